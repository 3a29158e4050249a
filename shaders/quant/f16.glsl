const uint kUnit = 8;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = false;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
};
Packed loadUnit(WeightRef w, uint unit)
{
    return Packed(Uints4(w.address).v[unit]);
}
vec4 rawQuad(Packed p, uint quad)
{
    return vec4(unpackHalf2x16(p.q[2 * quad]), unpackHalf2x16(p.q[2 * quad + 1]));
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(1, 0);
}
int integerQuad(Packed p, uint quad)
{
    return 0;
}
