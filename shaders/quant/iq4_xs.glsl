#include "shaders/quant/non_linear.glsl"
const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = kNonLinearZero;

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
#define OPENS_UNITS
struct Opened
{
    uint w[8];
    float scale;
};
Opened opened(Packed p)
{
    return Opened(nonLinearQuads(p.q), p.d * (small(p.scale ^ 0x80u) - 128.0));
}
vec4 rawQuad(Opened p, uint quad)
{
    return fields(p.w[quad] ^ 0x80808080u, 0, 8, 128 + kIntegerZero);
}
vec2 scaleOf(Opened p, uint part)
{
    return vec2(p.scale, 0);
}
int integerQuad(Opened p, uint quad)
{
    return int(p.w[quad]);
}
