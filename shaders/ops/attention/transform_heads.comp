#version 460
// One workgroup for each row and head.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/references.glsl"
#include "shaders/ops/attention/transform_heads.h"

KERNEL(TRANSFORM_HEADS_CONSTANTS, TransformHeadsPush)

shared float staged[kHeadDim];
#include "shaders/common/head_transform.glsl"

void main()
{
    const uint row = push.firstRow + gl_WorkGroupID.y;
    const uint head = gl_WorkGroupID.x;
    stageHead(push.x, (kFlags & kInputHalf) != 0, row * push.xStride + head * kHeadDim, kHeadDim, 0,
              (kFlags & kNormed) != 0, push.norm, push.eps,
              Rotation((kFlags & kInterleaved) != 0, kPairs, kFirst, push.factor, push.turns),
              Uints(push.positions).v[row]);
    barrier();
    const uint to = (kFlags & kHeadMajor) != 0 ? (head * push.rows + row) * push.outStride
                                               : row * push.outStride + head * kHeadDim;
    for (uint c = gl_LocalInvocationID.x; c < kHeadDim; c += gl_WorkGroupSize.x)
        storeActivation(push.out_, (kFlags & kOutputHalf) != 0, to + c, staged[c]);
}
