#version 460
// The results of a token's experts become one, each with its share, always in the same order.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/activations.glsl"
#include "shaders/ops/matmul/expert_tiles.h"

KERNEL(EXPERT_SUM_CONSTANTS, ExpertSumPush)

void main()
{
    const uint all = push.tokens * push.outs;
    const uint threads = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < all; i += threads) {
        const uint token = i / push.outs, o = i % push.outs;
        float sum = 0;
        for (uint j = 0; j < push.used; ++j) {
            const int id = Ints(push.ids).v[token * push.idStride + j];
            if (id >= 0 && uint(id) < push.experts)
                sum += Floats(push.shares).v[token * push.shareStride + j]
                       * loadActivation(push.x, kXHalf,
                                        (token * push.used + j) * push.xStride + o);
        }
        const uint index = token * push.outStride + o;
        if (kAdd)
            sum += loadActivation(push.result, kOutHalf, index);
        storeActivation(push.result, kOutHalf, index, sum);
    }
}
