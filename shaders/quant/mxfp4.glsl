#include "shaders/quant/table.glsl"
// Twice the values of a 4-bit float; the exponent's scale makes up for it.
const int kDecoderTable[16] = int[](0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = false;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
    uint exponent;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    return Packed(Uints4(w.address).v[unit], uint(Bytes(scales).v[unit]));
}
vec4 rawQuad(Packed p, uint quad)
{
    return tableQuad(p.q, quad);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(0.5 * uintBitsToFloat(p.exponent << 23), 0);
}
int integerQuad(Packed p, uint quad)
{
    return 0;
}
