#define GRID_SIZE 1024
#include "shaders/quant/eights.glsl"
const bool kHalfScales = true;

struct Packed
{
    uvec2 q;   // low bits of four numbers; signs
    uint more; // two high bits of each; scales
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 codes = firstPlane(w);
    const uvec2 more = nextPlane(codes, w.groups, 8);
    const uvec2 d = nextPlane(more, w.groups, 2);
    return Packed(Uints2(codes).v[unit], uint(Shorts(more).v[unit]), float(Halves(d).v[unit >> 3]));
}
Opened opened(Packed p)
{
    Opened o;
    [[unroll]] for (uint k = 0; k < 4; ++k)
        o.entry[k] = entryAt(((p.q.x >> (8 * k)) & 255u) | (((p.more >> (2 * k)) & 3u) << 8));
    o.signs = p.q.y;
    o.scale = p.d * halfScales(p.more >> 8);
    return o;
}
