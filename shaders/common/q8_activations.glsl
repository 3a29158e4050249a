// Writing q8 activations (q8_activations.h).
#ifndef FIRESIDE_Q8_ACTIVATIONS_GLSL
#define FIRESIDE_Q8_ACTIVATIONS_GLSL
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shaders/common/q8_activations.h"
#include "shaders/common/references.glsl"

uint q8RowBytes(uint cols)
{
    return (2 * cols + cols / 4 * 3 + kQ8Alignment - 1) / kQ8Alignment
           * kQ8Alignment;
}

/// Four elements of a row, from 4 · quad on: v, and what it was before the norm's weights. Four
/// adjacent lanes of a subgroup do this together for the 16 elements of a block.
void storeQ8(uvec2 row, uint cols, uint quad, vec4 v, vec4 plain)
{
    // By shuffles, as clustered sums are wrong in some versions of Mesa.
    // Magnitudes as integers, so that a NaN is the largest and, in the scale, reaches the products.
    const uvec4 bits = floatBitsToUint(v) & 0x7fffffffu;
    uint largestBits = max(max(bits.x, bits.y), max(bits.z, bits.w));
    largestBits = max(largestBits, subgroupShuffleXor(largestBits, 1));
    largestBits = max(largestBits, subgroupShuffleXor(largestBits, 2));
    const bool broken = largestBits >= 0x7f800000u;
    const float largest = uintBitsToFloat(largestBits);
    float square = dot(plain, plain);
    square += subgroupShuffleXor(square, 1);
    square += subgroupShuffleXor(square, 2);
    const float most = 127.0 * 256.0;
    const float inverse = largest > 0 ? most / largest : 0;
    const ivec4 n = broken ? ivec4(1) : ivec4(round(v * inverse));
    int sum = (n.x + n.y) + (n.z + n.w);
    sum += subgroupShuffleXor(sum, 1);
    sum += subgroupShuffleXor(sum, 2);

    const ivec4 low = (n << 24) >> 24;
    const uvec4 lowBytes = uvec4(low) & 255u, highBytes = uvec4((n - low) >> 8) & 255u;
    Uints(row).v[quad] = lowBytes.x | lowBytes.y << 8 | lowBytes.z << 16 | lowBytes.w << 24;
    Uints(row).v[cols / 4 + quad] =
        highBytes.x | highBytes.y << 8 | highBytes.z << 16 | highBytes.w << 24;
    if ((quad & 3) == 0) {
        const float scale = broken ? uintBitsToFloat(0x7fc00000u) : largest / most;
        Floats2(row).v[cols / 4 + quad / 4] = vec2(scale, float(sum) * scale);
        Floats(row).v[cols / 2 + cols / 8 + quad / 4] = square;
    }
}

#endif
