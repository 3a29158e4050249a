#version 460
// One workgroup for each row and head.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/activations.glsl"
#include "shaders/ops/attention/reorder_heads.h"

KERNEL(REORDER_HEADS_CONSTANTS, ReorderHeadsPush)

void main()
{
    const uint row = push.firstRow + gl_WorkGroupID.y;
    const uint head = gl_WorkGroupID.x;
    const bool headMajor = push.toHeadMajor != 0;
    const uint from = headMajor ? row * push.xStride + head * push.headDim
                                : (head * push.rows + row) * push.xStride;
    const uint to = headMajor ? (head * push.rows + row) * push.outStride
                              : row * push.outStride + head * push.headDim;
    for (uint c = gl_LocalInvocationID.x; c < push.headDim; c += gl_WorkGroupSize.x)
        storeActivation(push.out_, kOutputHalf, to + c,
                        loadActivation(push.x, kInputHalf, from + c));
}
