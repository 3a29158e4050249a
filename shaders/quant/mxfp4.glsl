const bool kHalfScales = false;
#include "shaders/quant/fp4.glsl"

Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    return Packed(Uints4(w.address).v[unit], uint(Bytes(scales).v[unit]));
}
vec2 scaleOf(Opened p, uint part)
{
    return vec2(0.5 * uintBitsToFloat(p.scale << 23), 0);
}
