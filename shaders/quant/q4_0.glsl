const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 8;

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
vec4 rawQuad(Packed p, uint quad)
{
    return fields(p.q[quad >> 1], 4 * (quad & 1), 4, 8);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(p.d, 0);
}
int integerQuad(Packed p, uint quad)
{
    return int(nibbles(p.q, quad));
}
