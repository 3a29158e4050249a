#include "shaders/quant/non_linear.glsl"

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
Opened opened(Packed p)
{
    return Opened(nonLinearQuads(p.q), p.d * (small(p.scale ^ 0x80u) - 128.0));
}
