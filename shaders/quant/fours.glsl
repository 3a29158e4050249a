// What IQ3_XXS and IQ3_S share: entries of four values, and signs. Before this file: GRID_SIZE.
#define GRID_ENTRY uint
#define GRID_ENTRIES Uints
#define GRID_BITS 32
#include "shaders/quant/grid.glsl"
const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 0;

#define OPENS_UNITS
struct Opened
{
    uint entry[8];
    uint signs;
    float scale;
};
int integerQuad(Opened p, uint quad)
{
    return int(signedBytes(p.entry[quad], bits(p.signs, quad)));
}
vec4 rawQuad(Opened p, uint quad)
{
    return signedFields(uint(integerQuad(p, quad)));
}
vec2 scaleOf(Opened p, uint part)
{
    return vec2(p.scale, 0);
}
/// The low eight bits of a number.
uint lowBits(uvec2 q, uint quad)
{
    return (q[quad >> 2] >> (8 * (quad & 3))) & 255u;
}
