#define GRID_SIZE 512
#include "shaders/quant/eights.glsl"
const bool kHalfScales = true;

struct Packed
{
    uvec2 q; // low bits of four numbers; signs, and their high bits
    uint scales;
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 codes = firstPlane(w);
    const uvec2 scales = nextPlane(codes, w.groups, 8);
    const uvec2 d = nextPlane(scales, w.groups, 1);
    return Packed(Uints2(codes).v[unit], uint(Bytes(scales).v[unit]), float(Halves(d).v[unit >> 3]));
}
Opened opened(Packed p)
{
    Opened o;
    [[unroll]] for (uint k = 0; k < 4; ++k)
        o.entry[k] = entryAt(((p.q.x >> (8 * k)) & 255u) | (((p.q.y >> (25 + 2 * k)) & 1u) << 8));
    o.signs = evenSigns(p.q.y);
    o.scale = p.d * halfScales(p.scales);
    return o;
}
