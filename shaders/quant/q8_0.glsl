const uint kUnit = 16;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 32);
    return Packed(Uints4(w.address).v[unit], float(Halves(scales).v[unit >> 1]));
}
vec4 rawQuad(Packed p, uint quad)
{
    return fields(p.q[quad] ^ 0x80808080u, 0, 8, 128);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(p.d, 0);
}
int integerQuad(Packed p, uint quad)
{
    return int(p.q[quad]);
}
