const uint kUnit = 32;
const bool kHalfScales = true, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 32;

struct Packed
{
    uvec4 q;
    uvec2 high;
    uint scales; // signed bytes of both halves
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 high = nextPlane(w.address, w.groups, 16);
    const uvec2 scales = nextPlane(high, w.groups, 8);
    const uvec2 d = nextPlane(scales, w.groups >> 3, 16);
    return Packed(Uints4(w.address).v[unit], Uints2(high).v[unit], uint(Shorts(scales).v[unit]),
                  float(Halves(d).v[unit >> 3]));
}
#define LOADS_TWO
void loadTwo(WeightRef w, uint two, out Packed a, out Packed b)
{
    const uvec2 high = nextPlane(w.address, w.groups, 16);
    const uvec2 scales = nextPlane(high, w.groups, 8);
    const uvec2 d = nextPlane(scales, w.groups >> 3, 16);
    const TwoUints4 q = UintsTwice4(w.address).v[two];
    const uvec4 more = Uints4(high).v[two];
    const uint all = Uints(scales).v[two];
    const float factor = float(Halves(d).v[two >> 2]);
    a = Packed(q.a, more.xy, all & 0xffffu, factor);
    b = Packed(q.b, more.zw, all >> 16, factor);
}
int integerQuad(Packed p, uint quad)
{
    return int(nibbles(p.q, quad) | (pairs(p.high, quad) << 4));
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(uint(integerQuad(p, quad)), 0, 6, 32);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(p.d * field(p.scales ^ 0x8080u, 8 * part, 8, 128), 0);
}
