// Buffer references of plain arrays, and arithmetic on addresses. An address is a uvec2 (low, high
// word), so that no 64-bit integers are needed.
#ifndef FIRESIDE_REFERENCES_GLSL
#define FIRESIDE_REFERENCES_GLSL
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats { float v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Floats2 { vec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Floats4 { vec4 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Halves { float16_t v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Ints { int v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Uints { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Uints2 { uvec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Uints4 { uvec4 v[]; };
struct TwoUints4 { uvec4 a, b; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer UintsTwice4 { TwoUints4 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Shorts { uint16_t v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Bytes { uint8_t v[]; };

uvec2 addBytes(uvec2 address, uint bytes)
{
    uint carry;
    const uint low = uaddCarry(address.x, bytes, carry);
    return uvec2(low, address.y + carry);
}
/// For distances beyond 4 GiB: units of 256 bytes.
uvec2 addUnits256(uvec2 address, uint units)
{
    uint carry;
    const uint low = uaddCarry(address.x, units << 8, carry);
    return uvec2(low, address.y + (units >> 24) + carry);
}

#endif
