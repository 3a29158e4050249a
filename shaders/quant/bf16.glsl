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
    const uvec2 two = uvec2(p.q[2 * quad], p.q[2 * quad + 1]);
    return uintBitsToFloat(uvec4(two.x << 16, two.x & 0xffff0000u, two.y << 16, two.y & 0xffff0000u));
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(1, 0);
}
int integerQuad(Packed p, uint quad)
{
    return 0;
}
