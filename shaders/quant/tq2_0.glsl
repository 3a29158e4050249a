const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 1;

struct Packed
{
    uvec2 q;
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 d = nextPlane(w.address, w.groups, 8);
    return Packed(Uints2(w.address).v[unit], float(Halves(d).v[unit >> 3]));
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(p.q[quad >> 2], 2 * (quad & 3), 2, 1);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(p.d, 0);
}
int integerQuad(Packed p, uint quad)
{
    return int(pairs(p.q, quad));
}
