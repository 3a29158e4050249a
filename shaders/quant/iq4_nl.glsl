#include "shaders/quant/non_linear.glsl"

struct Packed
{
    uvec4 q;
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    return Packed(Uints4(w.address).v[unit], float(Halves(scales).v[unit]));
}
Opened opened(Packed p)
{
    return Opened(nonLinearQuads(p.q), p.d);
}
