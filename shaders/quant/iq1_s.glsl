#include "shaders/quant/iq1.glsl"
const bool kHalfScales = false, kOffset = true;
const float kIntegerZero = 0;

struct Packed
{
    uint q;    // low bits of four numbers
    uint more; // three high bits of each; scale; sign of the shift
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 codes = firstPlane(w);
    const uvec2 more = nextPlane(codes, w.groups, 4);
    const uvec2 d = nextPlane(more, w.groups, 2);
    return Packed(Uints(codes).v[unit], uint(Shorts(more).v[unit]), float(Halves(d).v[unit >> 3]));
}
struct Opened
{
    uint entry[4];
    vec2 scale;
};
Opened opened(Packed p)
{
    Opened o;
    [[unroll]] for (uint k = 0; k < 4; ++k)
        o.entry[k] = entryAt(((p.q >> (8 * k)) & 255u) | (((p.more >> (3 * k)) & 7u) << 8));
    const float scale = p.d * (2 * field(p.more, 12, 3, -0.5));
    o.scale = vec2(scale, scale * ((p.more & 0x8000u) != 0 ? -1.125 : -0.875));
    return o;
}
int integerQuad(Opened p, uint quad)
{
    return int(threes(p.entry, quad));
}
vec4 rawQuad(Opened p, uint quad)
{
    return fields(threes(p.entry, quad), 0, 2, 0);
}
vec2 scaleOf(Opened p, uint part)
{
    return p.scale;
}
