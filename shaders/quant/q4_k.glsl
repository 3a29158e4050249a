#include "shaders/quant/scales_k.glsl"
const uint kUnit = 32;
const bool kHalfScales = false, kOffset = true, kIntegerQuads = true;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
    uint scales;
    uint d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    const uvec2 d = nextPlane(scales, w.groups, 2);
    return Packed(Uints4(w.address).v[unit], uint(Shorts(scales).v[unit]), Uints(d).v[unit >> 3]);
}
#define LOADS_TWO
void loadTwo(WeightRef w, uint two, out Packed a, out Packed b)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    const uvec2 d = nextPlane(scales, w.groups, 2);
    const TwoUints4 q = UintsTwice4(w.address).v[two];
    const uint both = Uints(scales).v[two], factors = Uints(d).v[two >> 2];
    a = Packed(q.a, both & 0xffffu, factors);
    b = Packed(q.b, both >> 16, factors);
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(p.q[quad >> 1], 4 * (quad & 1), 4, 0);
}
vec2 scaleOf(Packed p, uint part)
{
    return scaleAndMinimum(p.scales, p.d);
}
int integerQuad(Packed p, uint quad)
{
    return int(nibbles(p.q, quad));
}
