// What IQ1_S and IQ1_M share: entries of eight values −1, 0 and 1, one more of each in a nibble
// (engine/vulkan/weights/table.cpp).
#define GRID_ENTRY uint
#define GRID_ENTRIES Uints
#define GRID_BITS 32
#define GRID_SIZE 2048
#include "shaders/quant/grid.glsl"
const uint kUnit = 32;
const bool kIntegerQuads = true;

/// Elements 4·quad … of entries, as bytes.
uint threes(uint entry[4], uint quad)
{
    return (entry[quad >> 1] >> (4 * (quad & 1))) & 0x03030303u;
}
#define OPENS_UNITS
