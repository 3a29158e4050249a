// Bit fields to floats without conversion instructions, which run at a quarter of the speed of
// arithmetic on some devices: a field put into the mantissa of 2²³ is 2²³ + field · 2^at, exactly.
#ifndef FIRESIDE_UNPACK_GLSL
#define FIRESIDE_UNPACK_GLSL

/// The `bits` (≤ 8) bits of w from bit `at` on, less `zero` (0 … 128). With a constant `at` this is a
/// mask and a multiply-add.
float field(uint w, uint at, uint bits, float zero)
{
    if (at + bits > 23) {
        w >>= 16;
        at -= 16;
    }
    const uint mask = ((1u << bits) - 1u) << at;
    const float scale = uintBitsToFloat((127u - at) << 23); // 2^−at
    return fma(uintBitsToFloat(0x4b000000u | (w & mask)), scale, -(8388608.0 * scale + zero));
}
/// Four fields, one from each byte.
vec4 fields(uint w, uint at, uint bits, float zero)
{
    return vec4(field(w, at, bits, zero), field(w, at + 8, bits, zero),
                field(w, at + 16, bits, zero), field(w, at + 24, bits, zero));
}
/// A whole number below 2²³.
float small(uint x)
{
    return uintBitsToFloat(0x4b000000u | x) - 8388608.0;
}
float smallSigned(int x) // |x| < 2²²
{
    return uintBitsToFloat(uint(0x4b400000 + x)) - 12582912.0;
}

/// Four elements of the 4-bit plane's 16 bytes, as bytes.
uint nibbles(uvec4 plane, uint quad)
{
    return (plane[quad >> 1] >> (4 * (quad & 1))) & 0x0f0f0f0fu;
}
/// Four elements of the 2-bit plane's 8 bytes, as bytes.
uint pairs(uvec2 plane, uint quad)
{
    return (plane[quad >> 2] >> (2 * (quad & 3))) & 0x03030303u;
}
/// Four elements of the 1-bit plane's 4 bytes, as bytes.
uint bits(uint plane, uint quad)
{
    return (plane >> quad) & 0x01010101u;
}

/// Where the plane after one of `bytes` per unit begins; `bytes` is a power of two, 256 at most.
uvec2 nextPlane(uvec2 address, uint units, uint bytes)
{
    const uint perStep = 256 / bytes;
    return addUnits256(address, (units + perStep - 1) / perStep);
}

#endif
