#version 460
// One workgroup for each row and head of q, k or v.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/activations.glsl"
#include "shaders/ops/attention/split_qkv.h"

KERNEL(SPLIT_QKV_CONSTANTS, SplitQkvPush)

void main()
{
    const uint row = push.firstRow + gl_WorkGroupID.y;
    const uint index = gl_WorkGroupID.x;
    const uint part = index < push.heads ? 0 : index < push.heads + push.kvHeads ? 1 : 2;
    const uint head = index - (part == 0 ? 0 : push.heads) - (part == 2 ? push.kvHeads : 0);
    const uint group = push.heads / push.kvHeads;
    const uint width = part == 2 ? push.valueDim : push.headDim;
    uint from;
    if (push.perKvHead == 0)
        from = part == 2 ? (push.heads + push.kvHeads) * push.headDim + head * push.valueDim
                         : index * push.headDim;
    else {
        const uint block = (group + 1) * push.headDim + push.valueDim; // of one kv head
        from = part == 0 ? head / group * block + head % group * push.headDim
                         : head * block + (group + part - 1) * push.headDim;
    }
    from += row * push.qkvStride;
    const uint to = head * width;
    for (uint c = gl_LocalInvocationID.x; c < width; c += gl_WorkGroupSize.x) {
        const float value = loadActivation(push.qkv, kInputHalf, from + c);
        if (part == 0)
            storeActivation(push.q, kQueryOutHalf, row * push.qStride + to + c, value);
        else if (part == 1)
            storeActivation(push.k, kKeyOutHalf, row * push.kStride + to + c, value);
        else
            storeActivation(push.v, kValueOutHalf, row * push.vStride + to + c, value);
    }
}
