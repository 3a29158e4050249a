#include "shaders/quant/scales_k.glsl"
const uint kUnit = 32;
const bool kHalfScales = false, kOffset = true, kIntegerQuads = true;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
    uvec4 scales; // of the whole 256
    uint j;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    return Packed(Uints4(w.address).v[unit], Uints4(scales).v[unit >> 3], unit & 7);
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(p.q[quad >> 1], 4 * (quad & 1), 4, 0);
}
vec2 scaleOf(Packed p, uint part)
{
    return scaleAndMinimum(p.scales, p.j);
}
int integerQuad(Packed p, uint quad)
{
    return int(nibbles(p.q, quad));
}
