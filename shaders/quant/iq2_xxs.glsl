#define GRID_SIZE 256
#include "shaders/quant/eights.glsl"
const bool kHalfScales = false;

struct Packed
{
    uvec2 q; // four numbers; signs, and four bits of scale
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 codes = firstPlane(w);
    const uvec2 d = nextPlane(codes, w.groups, 8);
    return Packed(Uints2(codes).v[unit], float(Halves(d).v[unit >> 3]));
}
Opened opened(Packed p)
{
    Opened o;
    [[unroll]] for (uint k = 0; k < 4; ++k)
        o.entry[k] = entryAt((p.q.x >> (8 * k)) & 255u);
    o.signs = evenSigns(p.q.y);
    o.scale = vec2(p.d * halfScales(fourBits(p.q.y)).x);
    return o;
}
