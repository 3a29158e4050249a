#include "shaders/quant/non_linear.glsl"
const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = false;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
    uint scale; // signed byte
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    const uvec2 d = nextPlane(scales, w.groups, 1);
    return Packed(Uints4(w.address).v[unit], uint(Bytes(scales).v[unit]),
                  float(Halves(d).v[unit >> 3]));
}
vec4 rawQuad(Packed p, uint quad)
{
    return tableQuad(p.q, quad);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(p.d * (small(p.scale ^ 0x80u) - 128.0), 0);
}
int integerQuad(Packed p, uint quad)
{
    return 0;
}
