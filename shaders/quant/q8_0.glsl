const bool kHalfScales = false, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 0;

#ifdef INTEGER_DOT
// For products of bytes a unit is a whole group: half as many scales to load.
const uint kUnit = 32;

struct Packed
{
    uvec4 q[2];
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 32);
    return Packed(uvec4[2](Uints4(w.address).v[2 * unit], Uints4(w.address).v[2 * unit + 1]),
                  float(Halves(scales).v[unit]));
}
uint bytesOf(Packed p, uint quad)
{
    return p.q[quad >> 2][quad & 3];
}
#else
const uint kUnit = 16;

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
#define LOADS_TWO
void loadTwo(WeightRef w, uint two, out Packed a, out Packed b)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 32);
    const TwoUints4 q = UintsTwice4(w.address).v[two];
    const float d = float(Halves(scales).v[two]);
    a = Packed(q.a, d);
    b = Packed(q.b, d);
}
uint bytesOf(Packed p, uint quad)
{
    return p.q[quad];
}
#endif
vec4 rawQuad(Packed p, uint quad)
{
    return fields(bytesOf(p, quad) ^ 0x80808080u, 0, 8, 128);
}
vec2 scaleOf(Packed p, uint part)
{
    return vec2(p.d, 0);
}
int integerQuad(Packed p, uint quad)
{
    return int(bytesOf(p, quad));
}
