#version 460
// Rows of F32 as F16 for products on cooperative matrices.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activations.glsl"
#include "shaders/ops/matmul/gemm.h"

KERNEL(GEMM_INPUT_CONSTANTS, GemmInputPush)

void main()
{
    const uint perRow = (push.cols + 3) / 4;
    const uint all = push.rows * perRow;
    const uint threads = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < all; i += threads) {
        const uint row = i / perRow, col = i % perRow * 4;
        const uint from = row * push.xStride + col, to = row * push.resultStride + col;
        if (kWide && !kXHalf) {
            const vec4 x = limited(Floats4(push.x).v[from / 4]);
            Uints2(push.result).v[to / 4] = uvec2(packHalf2x16(x.xy), packHalf2x16(x.zw));
            continue;
        }
        [[unroll]] for (uint c = 0; c < 4; ++c)
            if (col + c < push.cols)
                storeActivation(push.result, true, to + c,
                                limited(loadActivation(push.x, kXHalf, from + c)));
    }
}
