// Activations in F32 or F16. Whether a tensor is F16 is a specialisation constant of the shader that
// includes this, so that the unused branch is gone after compilation.
#ifndef FIRESIDE_ACTIVATIONS_GLSL
#define FIRESIDE_ACTIVATIONS_GLSL
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/references.glsl"

float loadActivation(uvec2 address, bool isHalf, uint index)
{
    return isHalf ? float(Halves(address).v[index]) : Floats(address).v[index];
}
void storeActivation(uvec2 address, bool isHalf, uint index, float value)
{
    if (isHalf)
        Halves(address).v[index] = float16_t(value);
    else
        Floats(address).v[index] = value;
}
/// Elements `at` … `at` + 3, which have the numbers element … in a row of `cols`; zeros beyond it. `fours`:
/// they are aligned, and the row does not end within.
vec4 loadFour(uvec2 address, bool isHalf, bool fours, uint at, uint element, uint cols)
{
    if (fours) {
        if (!isHalf)
            return Floats4(address).v[at >> 2];
        const uvec2 halves = Uints2(address).v[at >> 2];
        return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
    }
    vec4 v = vec4(0);
    [[unroll]] for (uint i = 0; i < 4; ++i)
        if (element + i < cols)
            v[i] = loadActivation(address, isHalf, at + i);
    return v;
}

/// What is too large for F16 becomes its largest number, as an infinity would spoil whole sums. NaN and
/// infinities stay what they are, so that they are found in the results; told by their bits, as clamp()
/// may make a number of NaN.
vec4 limited(vec4 x)
{
    const uvec4 bits = floatBitsToUint(x);
    const uint largest = 0x477fe000u; // 65504
    const uvec4 above = (bits & 0x7fffffffu) - (largest + 1u);
    const vec4 limit = uintBitsToFloat((bits & 0x80000000u) | largest);
    return mix(x, limit, lessThan(above, uvec4(0x7f800000u - (largest + 1u))));
}
float limited(float x)
{
    return limited(vec4(x)).x;
}
/// As many leading bits as F16 keeps. Not by way of packHalf2x16: some compilers drop that and the way
/// back.
vec4 leadingBits(vec4 x)
{
    return uintBitsToFloat(floatBitsToUint(x) & 0xffffe000u);
}

#endif
