const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = true;
// Numbers are twice the values of a 4-bit float; the exponent's scale makes up for it. They are kept as
// nibbles n (planes.h) so chosen that number + 14 = n + 13 · gap(n).
const float kIntegerZero = 14;

struct Packed
{
    uvec4 q;
    uint exponent;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    return Packed(Uints4(w.address).v[unit], uint(Bytes(scales).v[unit]));
}
#define OPENS_UNITS
struct Opened
{
    uvec4 q, gap;
    uint exponent;
};
Opened opened(Packed p)
{
    // Bit 0 of each nibble, from its bits 0, 1 and 3.
    const uvec4 b = p.q >> 1, d = p.q >> 3;
    return Opened(p.q, (p.q & ~(b & d)) | ~(p.q | b | d), p.exponent);
}
int integerQuad(Opened p, uint quad)
{
    const uint gap = (p.gap[quad >> 1] >> (4 * (quad & 1))) & 0x01010101u;
    return int(13 * gap + nibbles(p.q, quad));
}
vec4 rawQuad(Opened p, uint quad)
{
    return fields(uint(integerQuad(p, quad)), 0, 5, kIntegerZero);
}
vec2 scaleOf(Opened p, uint part)
{
    return vec2(0.5 * uintBitsToFloat(p.exponent << 23), 0);
}
