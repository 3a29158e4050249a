#include "shaders/quant/non_linear.glsl"
const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = false;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
    uvec2 scales; // of the whole 256
    uint j;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    return Packed(Uints4(w.address).v[unit], Uints2(scales).v[unit >> 3], unit & 7);
}
vec4 rawQuad(Packed p, uint quad)
{
    return tableQuad(p.q, quad);
}
vec2 scaleOf(Packed p, uint part)
{
    const uint scale =
        ((p.scales.y >> (4 * p.j)) & 15u) | (((p.scales.x >> (16 + 2 * p.j)) & 3u) << 4);
    return vec2(unpackHalf2x16(p.scales.x).x * (small(scale) - 32), 0);
}
int integerQuad(Packed p, uint quad)
{
    return 0;
}
