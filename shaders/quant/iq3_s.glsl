#define GRID_SIZE 512
#include "shaders/quant/fours.glsl"

struct Packed
{
    uvec2 q;
    uint signs, high; // a bit of each number
    uint scales, at;  // four bits there
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 codes = firstPlane(w);
    const uvec2 signs = nextPlane(codes, w.groups, 8);
    const uvec2 high = nextPlane(signs, w.groups, 4);
    const uvec2 scales = nextPlane(high, w.groups, 1);
    const uint last = (unit >> 3) * 3;
    return Packed(Uints2(codes).v[unit], Uints(signs).v[unit], uint(Bytes(high).v[unit]),
                  uint(Shorts(scales).v[last + ((unit >> 2) & 1)]), 4 * (unit & 3),
                  float(Halves(scales).v[last + 2]));
}
Opened opened(Packed p)
{
    Opened o;
    [[unroll]] for (uint quad = 0; quad < 8; ++quad)
        o.entry[quad] = entryAt(lowBits(p.q, quad) | (((p.high >> quad) & 1u) << 8));
    o.signs = p.signs;
    o.scale = p.d * small(2 * ((p.scales >> p.at) & 15u) + 1);
    return o;
}
