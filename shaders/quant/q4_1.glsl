const uint kUnit = 32;
const bool kHalfScales = false, kOffset = true, kIntegerQuads = true;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
    uint scales; // d, m
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    return Packed(Uints4(w.address).v[unit], Uints(scales).v[unit]);
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(p.q[quad >> 1], 4 * (quad & 1), 4, 0);
}
vec2 scaleOf(Packed p, uint part)
{
    return unpackHalf2x16(p.scales);
}
int integerQuad(Packed p, uint quad)
{
    return int(nibbles(p.q, quad));
}
