const uint kUnit = 4;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = false;
const float kIntegerZero = 0;

struct Packed
{
    vec4 q;
};
Packed loadUnit(WeightRef w, uint unit)
{
    return Packed(Floats4(w.address).v[unit]);
}
vec4 rawQuad(Packed p, uint quad)
{
    return p.q;
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(1, 0);
}
int integerQuad(Packed p, uint quad)
{
    return 0;
}
