const uint kUnit = 16;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = false;
const float kIntegerZero = 0;

struct Packed
{
    uvec4 q;
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 32);
    return Packed(Uints4(w.address).v[unit], Floats(scales).v[unit >> 1]);
}
#define LOADS_TWO
void loadTwo(WeightRef w, uint two, out Packed a, out Packed b)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 32);
    const TwoUints4 q = UintsTwice4(w.address).v[two];
    const float d = Floats(scales).v[two];
    a = Packed(q.a, d);
    b = Packed(q.b, d);
}
// Codes are the top bits of F16, whose bias is 8 more: the scale makes up for it.
vec2 halvesOf(uint two)
{
    return unpackHalf2x16(((two & 0x00800080u) << 8) | ((two & 0x007f007fu) << 7));
}
vec4 rawQuad(Packed p, uint quad)
{
    const vec2 even = halvesOf(p.q[quad]), odd = halvesOf(p.q[quad] >> 8);
    return vec4(even.x, odd.x, even.y, odd.y);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(256 * p.d, 0);
}
int integerQuad(Packed p, uint quad)
{
    return 0;
}
