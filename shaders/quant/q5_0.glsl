const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 16;

struct Packed
{
    uvec4 q;
    uint high;
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 high = nextPlane(w.address, w.groups, 16);
    const uvec2 scales = nextPlane(high, w.groups, 4);
    return Packed(Uints4(w.address).v[unit], Uints(high).v[unit], float(Halves(scales).v[unit]));
}
int integerQuad(Packed p, uint quad)
{
    return int(nibbles(p.q, quad) | (bits(p.high, quad) << 4));
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(uint(integerQuad(p, quad)), 0, 5, 16);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(p.d, 0);
}
