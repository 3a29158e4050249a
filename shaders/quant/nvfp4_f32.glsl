const bool kHalfScales = true;
#define FP4_FACTOR
#include "shaders/quant/fp4.glsl"

Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    const uvec2 d = nextPlane(scales, w.groups, 2);
    return Packed(Uints4(w.address).v[unit], uint(Shorts(scales).v[unit]), Floats(d).v[unit >> 3]);
}
vec2 scaleOf(Opened p, uint part)
{
    return vec2(p.d * e4m3Scale(p.scale, part), 0);
}
