#include "shaders/quant/scales_k.glsl"
const uint kUnit = 32;
const bool kHalfScales = false, kOffset = true, kIntegerQuads = true;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
    uint high;
    uint scales;
    uint d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 high = nextPlane(w.address, w.groups, 16);
    const uvec2 scales = nextPlane(high, w.groups, 4);
    const uvec2 d = nextPlane(scales, w.groups, 2);
    return Packed(Uints4(w.address).v[unit], Uints(high).v[unit], uint(Shorts(scales).v[unit]),
                  Uints(d).v[unit >> 3]);
}
int integerQuad(Packed p, uint quad)
{
    return int(nibbles(p.q, quad) | (bits(p.high, quad) << 4));
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(uint(integerQuad(p, quad)), 0, 5, 0);
}
vec2 scaleOf(Packed p, uint part)
{
    return scaleAndMinimum(p.scales, p.d);
}
