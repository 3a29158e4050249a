#version 460
// out[t] (+)= table[ids[t]] · scale. A thread writes four neighbouring values of a row; y of
// the grid is the row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/activations.glsl"
#include "shaders/common/q8_activations.glsl"
#include "shaders/ops/rows/embed.h"
#include "shaders/quant/decode.glsl"

KERNEL(EMBED_CONSTANTS, EmbedPush)

void main()
{
    const uint first = 4 * gl_GlobalInvocationID.x;
    if (first >= push.cols)
        return;
    const uint count = min(4, push.cols - first);
    for (uint t = gl_WorkGroupID.y; t < push.count; t += gl_NumWorkGroups.y) {
        const int id = Ints(push.ids).v[t * push.idStride];
        const uint row = id >= 0 && uint(id) < push.tableRows ? uint(id) : 0;
        const vec4 v = decode4(WeightRef(push.table, push.groups),
                               row * push.rowGroups + first / 32, first / 4 % 8);
        vec4 result = vec4(0);
        for (uint i = 0; i < count; ++i) {
            const uint at = t * push.yStride + first + i;
            const float old = kAccumulate ? loadActivation(push.y, kOutHalf, at) : 0;
            result[i] = old + v[i] * push.scale;
            storeActivation(push.y, kOutHalf, at, result[i]);
        }
        if (kNext) {
            const vec4 norm =
                push.nextNorm == uvec2(0) ? vec4(1) : Floats4(push.nextNorm).v[first / 4];
            const uvec2 rows = addUnits256(push.nextRows, t * (q8RowBytes(push.cols) / 256));
            storeQ8(rows, push.cols, first / 4, result * norm, result);
        }
    }
}
