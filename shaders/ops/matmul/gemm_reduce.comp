#version 460
// Sums the splits that gemm.comp or gemm_matrix.comp left of a product whose columns were cut, always
// in the same order, and finishes it.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/activations.glsl"
#include "shaders/common/activation_functions.glsl"
#include "shaders/ops/matmul/gemm.h"

KERNEL(GEMM_REDUCE_CONSTANTS, GemmReducePush)

const bool kOutHalf = (kFlags & kGemmOutHalf) != 0;
const bool kGated = (kFlags & kGemmGated) != 0;

void main()
{
    const uint all = push.rows * push.outs;
    const uint threads = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < all; i += threads) {
        const uint row = i / push.outs, o = i % push.outs;
        float sum = 0, upSum = 0;
        for (uint split = 0; split < push.splits; ++split) {
            if (kGated) {
                sum += Floats(push.partial).v[2 * split * all + i];
                upSum += Floats(push.partial).v[(2 * split + 1) * all + i];
            } else {
                sum += Floats(push.partial).v[split * all + i];
            }
        }
        if ((kFlags & kGemmBias) != 0)
            sum += Floats(push.bias).v[o];
        if (kGated) {
            if ((kFlags & kGemmUpBias) != 0)
                upSum += Floats(push.upBias).v[o];
            sum = gatedActivation(kActivation, sum, upSum);
        } else {
            sum = activation(kActivation, sum);
        }
        const uint index = row * push.outStride + o;
        if ((kFlags & kGemmAdd) != 0)
            sum += loadActivation(push.result, kOutHalf, index);
        storeActivation(push.result, kOutHalf, index, kOutHalf ? limited(sum) : sum);
    }
}
