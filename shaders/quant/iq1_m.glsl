#include "shaders/quant/iq1.glsl"
const bool kHalfScales = true, kOffset = false;
// Numbers are eight times value and shift: 8 · (value + 1) + (0 or 2) − 9.
const float kIntegerZero = 9;

struct Packed
{
    uint q;       // low bits of four numbers
    uint more;    // of each three high bits, sign of the shift
    uvec2 scales; // of 256 elements: three bits for 16, and d
    uint group;   // of these
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 codes = firstPlane(w);
    const uvec2 more = nextPlane(codes, w.groups, 4);
    const uvec2 scales = nextPlane(more, w.groups, 2);
    return Packed(Uints(codes).v[unit], uint(Shorts(more).v[unit]), Uints2(scales).v[unit >> 3], unit & 7);
}
struct Opened
{
    uint entry[4];
    uint up; // a nibble for each entry: 2, or 0 where it is shifted down
    vec2 scale;
};
Opened opened(Packed p)
{
    Opened o;
    [[unroll]] for (uint k = 0; k < 4; ++k)
        o.entry[k] = entryAt(((p.q >> (8 * k)) & 255u) | (((p.more >> (4 * k)) & 7u) << 8));
    o.up = (~p.more & 0x8888u) >> 2;
    const uvec2 top = (p.scales >> uvec2(12, 4)) & uvec2(0xfu, 0xf00u);
    const uvec2 next = (p.scales >> uvec2(24, 16)) & uvec2(0xf0u, 0xf000u);
    const float d = 0.25 * unpackHalf2x16(top.x | top.y | next.x | next.y).x;
    const uint word = p.group < 4 ? p.scales.x : p.scales.y;
    const uint both = word >> (16 * ((p.group >> 1) & 1) + 6 * (p.group & 1));
    o.scale = d * vec2(field(both, 0, 3, -0.5), field(both, 3, 3, -0.5));
    return o;
}
int integerQuad(Opened p, uint quad)
{
    const uint up = (p.up >> (4 * (quad >> 1))) & 2u;
    return int(8 * threes(p.entry, quad) + up * 0x01010101u);
}
vec4 rawQuad(Opened p, uint quad)
{
    return fields(uint(integerQuad(p, quad)), 0, 5, 9);
}
vec2 scaleOf(Opened p, uint part)
{
    return vec2(p.scale[part], 0);
}
