// What MXFP4 and NVFP4 share: numbers are twice the values of a 4-bit float; the scale makes up for it.
// They are kept as nibbles n (planes.h) so chosen that number + 14 = n + 13 · gap(n).
// Before this file: kHalfScales, and FP4_FACTOR where 256 elements have a factor. Behind it: loadUnit() and scaleOf().
const uint kUnit = 32;
const bool kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 14;

struct Packed
{
    uvec4 q;
    uint scale; // as in its plane
#ifdef FP4_FACTOR
    float d;
#endif
};
#define OPENS_UNITS
struct Opened
{
    uvec4 q, gap;
    uint scale;
#ifdef FP4_FACTOR
    float d;
#endif
};
Opened opened(Packed p)
{
    // Bit 0 of each nibble, from its bits 0, 1 and 3.
    const uvec4 b = p.q >> 1, d = p.q >> 3;
    const uvec4 gap = (p.q & ~(b & d)) | ~(p.q | b | d);
#ifdef FP4_FACTOR
    return Opened(p.q, gap, p.scale, p.d);
#else
    return Opened(p.q, gap, p.scale);
#endif
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
/// An E4M3 without sign, halved, of a byte of the scales: the top bits of an F16, whose bias is 8 more;
/// 0x7f is 0.
float e4m3Scale(uint scales, uint part)
{
    const uint code = (scales >> (8 * part)) & 0x7fu;
    return code == 0x7fu ? 0 : 128 * unpackHalf2x16(code << 7).x;
}
