#version 460
// GEMV for weights of few rows, as routers have: a workgroup for each row of the weight and each row of x,
// so that all compute units take part. The weights are loaded before x.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "shaders/common/activations.glsl"
#include "shaders/ops/matmul/gemv_few.h"
#include "shaders/quant/decode.glsl"

KERNEL(GEMV_FEW_CONSTANTS, GemvFewPush)

const uint kMaxSubgroups = kThreads / kSmallestSubgroup;
shared vec2 parts[kMaxSubgroups];

void main()
{
    const uint row = gl_WorkGroupID.x, column = gl_WorkGroupID.y;
    const uint index = gl_LocalInvocationIndex;
    const uint rowGroups = (push.cols + 31) / 32;
    const uint units = (push.cols + kUnit - 1) / kUnit;
    const WeightRef weight = WeightRef(push.weight, push.rows * rowGroups);
    Packed packed[kSteps];
    [[unroll]] for (uint i = 0; i < kSteps; ++i)
        packed[i] = loadUnit(weight, row * rowGroups * kUnitsPerGroup + min(i * kThreads + index, units - 1));
    float sum = 0, square = 0;
    [[unroll]] for (uint i = 0; i < kSteps; ++i) {
        const uint unit = i * kThreads + index;
        if (unit >= units)
            continue;
        const Opened p = opened(packed[i]);
        [[unroll]] for (uint q = 0; q < kQuadsPerUnit; ++q) {
            const uint element = unit * kUnit + 4 * q;
            if (element >= push.cols)
                continue;
            vec4 x = loadFour(push.x, kXHalf, kFours, column * push.xStride + element, element,
                              push.cols);
            if (kNorm) {
                square += dot(x, x);
                x *= loadFour(push.norm, false, kFours, element, element, push.cols);
            }
            vec4 w = valueQuad(p, q);
            if (!kFours)
                w = mix(w, vec4(0), greaterThanEqual(uvec4(0, 1, 2, 3) + element, uvec4(push.cols)));
            sum += dot(w, x);
        }
    }
    sum = subgroupAdd(sum);
    square = kNorm ? subgroupAdd(square) : 0;
    if (subgroupElect())
        parts[gl_SubgroupID] = vec2(sum, square);
    barrier();
    if (index > 0)
        return;
    vec2 all = vec2(0);
    for (uint i = 0; i < gl_NumSubgroups; ++i)
        all += parts[i];
    float value = all.x;
    if (kNorm)
        value *= inversesqrt(all.y / float(push.cols) + push.eps);
    if (push.bias != uvec2(0))
        value += Floats(push.bias).v[row];
    storeActivation(push.y, kYHalf, column * push.yStride + row, value);
}
