#version 460
// Adds up what the splits of staged_gemm_matrix.comp left of sums, always in the same order, and finishes
// them.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activations.glsl"
#include "shaders/ops/matmul/small_gemm.h"
KERNEL(SMALL_GEMM_REDUCE_CONSTANTS, SmallGemmPush)
#include "shaders/ops/matmul/small_gemm_result.glsl"

void main()
{
    const uint column = gl_WorkGroupID.y, allRows = kGroups * kRowsAtOnce;
    const uint place = gl_WorkGroupID.x * kThreads + gl_LocalInvocationID.x;
    uint group = place / kRowsAtOnce;
    if (place >= allRows || !findTarget(kRowsAtOnce, group))
        return;
    const uint row = group * kRowsAtOnce + place % kRowsAtOnce;
    if (row >= target.rows)
        return;
    float value = 0, up = 0;
    [[unroll]] for (uint split = 0; split < kSplits; ++split) {
        const uint from = (split * kMatrices * kColumns + column) * allRows + place;
        value += PartialSums(push.partial).v[from];
        if (kGated)
            up += PartialSums(push.partial).v[from + kColumns * allRows];
    }
    finishOne(row, column, value, up);
}
