const uint kUnit = 32;
const bool kHalfScales = true, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 4;

struct Packed
{
    uvec2 q;
    uint high;
    uint scales; // signed bytes of both halves
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 high = nextPlane(w.address, w.groups, 8);
    const uvec2 scales = nextPlane(high, w.groups, 4);
    const uvec2 d = nextPlane(scales, w.groups >> 3, 16);
    return Packed(Uints2(w.address).v[unit], Uints(high).v[unit], uint(Shorts(scales).v[unit]),
                  float(Halves(d).v[unit >> 3]));
}
int integerQuad(Packed p, uint quad)
{
    return int(pairs(p.q, quad) | (bits(p.high, quad) << 2));
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(uint(integerQuad(p, quad)), 0, 3, 4);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(p.d * field(p.scales ^ 0x8080u, 8 * part, 8, 128), 0);
}
