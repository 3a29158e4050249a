#define GRID_SIZE 256
#include "shaders/quant/fours.glsl"

struct Packed
{
    uvec2 q;
    uint signs; // and four bits of scale
    float d;
};
Packed loadUnit(WeightRef w, uint unit)
{
    const uvec2 codes = firstPlane(w);
    const uvec2 signs = nextPlane(codes, w.groups, 8);
    const uvec2 d = nextPlane(signs, w.groups, 4);
    return Packed(Uints2(codes).v[unit], Uints(signs).v[unit], float(Halves(d).v[unit >> 3]));
}
Opened opened(Packed p)
{
    Opened o;
    [[unroll]] for (uint quad = 0; quad < 8; ++quad)
        o.entry[quad] = entryAt(lowBits(p.q, quad));
    o.signs = evenSigns(p.signs);
    o.scale = p.d * 0.5 * field(fourBits(p.signs), 0, 4, -0.5);
    return o;
}
