const uint kUnit = 32;
const bool kHalfScales = true, kOffset = true, kIntegerQuads = true;
const float kIntegerZero = 0;

struct Packed
{
    uvec2 q;
    uint scales; // scale | min << 4 of both halves, as bytes
    uint d;      // d, dmin
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 8);
    const uvec2 d = nextPlane(scales, w.groups >> 3, 16);
    return Packed(Uints2(w.address).v[unit], uint(Shorts(scales).v[unit]), Uints(d).v[unit >> 3]);
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(p.q[quad >> 2], 2 * (quad & 3), 2, 0);
}
vec2 scaleOf(Packed p, uint part)
{
    const vec2 d = unpackHalf2x16(p.d);
    return vec2(d.x * field(p.scales, 8 * part, 4, 0), -d.y * field(p.scales, 8 * part + 4, 4, 0));
}
int integerQuad(Packed p, uint quad)
{
    return int(pairs(p.q, quad));
}
