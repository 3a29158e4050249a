// What IQ2_XXS, IQ2_XS and IQ2_S share: entries of eight values, and signs. Before this file: GRID_SIZE.
#define GRID_ENTRY uvec2
#define GRID_ENTRIES Uints2
#define GRID_BITS 64
#include "shaders/quant/grid.glsl"
const uint kUnit = 32;
const bool kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 0;

#define OPENS_UNITS
struct Opened
{
    uvec2 entry[4];
    uint signs;
    vec2 scale; // of both halves
};
int integerQuad(Opened p, uint quad)
{
    return int(signedBytes(p.entry[quad >> 1][quad & 1], bits(p.signs, quad)));
}
vec4 rawQuad(Opened p, uint quad)
{
    return signedFields(uint(integerQuad(p, quad)));
}
vec2 scaleOf(Opened p, uint part)
{
    return vec2(p.scale[part], 0);
}
/// (scale + 1/2) / 4 of a byte with a scale of four bits for each half.
vec2 halfScales(uint both)
{
    return vec2(field(both, 0, 4, -0.5), field(both, 4, 4, -0.5)) * 0.25;
}
