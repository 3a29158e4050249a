#version 460
// One group per row and head.
#extension GL_GOOGLE_include_directive : require
#include "shaders/ops/attention/transform_heads.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kFlags = 0;
layout(constant_id = 2) const uint kHeadDim = 64;
layout(constant_id = 3) const uint kPairs = 0;
layout(constant_id = 4) const uint kFirst = 0;

shared float staged[kHeadDim];
#include "shaders/common/head_transform.glsl"

layout(push_constant, scalar) uniform Push { TransformHeadsPush push; };

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
