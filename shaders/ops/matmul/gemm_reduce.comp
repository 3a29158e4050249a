#version 460
// Sums the pieces that gemm.comp or gemm_matrix.comp left of a product whose columns were cut, always
// in the same order, and finishes it.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/activations.glsl"
#include "shaders/common/activation_functions.glsl"
#include "shaders/ops/matmul/gemm.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint FLAGS = 0;
layout(constant_id = 2) const uint ACTIVATION = kActivationNone;
layout(push_constant, scalar) uniform Push { GemmReducePush push; };

const bool OUT_HALF = (FLAGS & kGemmOutHalf) != 0;
const bool GATED = (FLAGS & kGemmGated) != 0;

void main()
{
    const uint all = push.rows * push.outs;
    const uint threads = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < all; i += threads) {
        const uint row = i / push.outs, o = i % push.outs;
        float sum = 0, upSum = 0;
        for (uint piece = 0; piece < push.pieces; ++piece) {
            if (GATED) {
                sum += Floats(push.partial).v[2 * piece * all + i];
                upSum += Floats(push.partial).v[(2 * piece + 1) * all + i];
            } else {
                sum += Floats(push.partial).v[piece * all + i];
            }
        }
        if ((FLAGS & kGemmBias) != 0)
            sum += Floats(push.bias).v[o];
        if (GATED) {
            if ((FLAGS & kGemmUpBias) != 0)
                upSum += Floats(push.upBias).v[o];
            sum = gatedActivation(ACTIVATION, sum, upSum);
        }
        const uint index = row * push.outStride + o;
        if ((FLAGS & kGemmAdd) != 0)
            sum += loadActivation(push.result, OUT_HALF, index);
        storeActivation(push.result, OUT_HALF, index,
                        OUT_HALF ? clamp(sum, -65504.0, 65504.0) : sum);
    }
}
