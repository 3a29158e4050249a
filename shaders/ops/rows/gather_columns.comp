#version 460
// out[r, j] = x[r / each, columns[e, j]], a thread for each element; where there are fewer, they go on.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/rows.glsl"
#include "shaders/ops/rows/gather_columns.h"

KERNEL(GATHER_COLUMNS_CONSTANTS, GatherColumnsPush)

void main()
{
    const uint threads = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < push.rows * push.cols; i += threads) {
        const uint row = i / push.cols, j = i - row * push.cols;
        uint expert = 0;
        if (kExperts) {
            const uint token = row / push.used;
            expert = Uints(push.ids).v[token * push.idStride + row - token * push.used];
        }
        float value = 0.0;
        if (!kColumns || expert < push.experts) {
            const uint from = kColumns ? uint(Floats(push.columns).v[expert * push.cols + j]) : j;
            value = loadActivation(rowAddress(push.x, row / push.each, push.xStride), kXHalf, from);
        }
        storeActivation(rowAddress(push.result, row, push.outStride), kOutHalf, j, value);
    }
}
