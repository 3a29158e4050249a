#version 460
// The first index of each row's largest value, or kNotFiniteId for a row with NaN or an infinity. With
// splits = 1 a workgroup reads a whole row; few long rows are read by `splits` workgroups each, whose
// candidates a second dispatch reduces.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "shaders/common/rows.glsl"
#include "shaders/common/order_keys.glsl"
#include "shaders/common/not_finite.h"
#include "shaders/ops/rows/argmax.h"

KERNEL(ARGMAX_CONSTANTS, ArgmaxPush)

const uint kNoIndex = 0xffffffffu;
shared uvec2 subgroupBest[256]; // 1024 threads in subgroups of 4

uvec2 best; // key, index

void offer(uint key, uint index)
{
    if (key > best.x || (key == best.x && index < best.y))
        best = uvec2(key, index);
}

void main()
{
    const uint threads = gl_WorkGroupSize.x;
    const uint thread = gl_LocalInvocationID.x;
    const uint row = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint matrixRow = row / push.splits, split = row % push.splits;
    if (matrixRow >= push.rows)
        return;
    const uvec2 x = rowAddress(push.x, matrixRow, push.xStride);
    const uint units = kFours ? push.cols / 4 : push.cols;
    best = uvec2(0, kNoIndex);
    for (uint unit = split * threads + thread; unit < units; unit += push.splits * threads) {
        if (kFromCandidates) {
            const uvec2 candidate = Uints2(x).v[unit];
            offer(candidate.x, candidate.y);
        } else {
            // In rising order: an equal value later on does not displace an earlier one.
            const vec4 value = loadUnit(x, kXHalf, kFours, unit);
            const uint lanes = kFours ? 4 : 1;
            for (uint i = 0; i < lanes; ++i) {
                const uint key = finiteKey(value[i]);
                if (key > best.x)
                    best = uvec2(key, unit * lanes + i);
            }
        }
    }

    const uint key = subgroupMax(best.x);
    const uint index = subgroupMin(best.x == key ? best.y : kNoIndex);
    if (subgroupElect())
        subgroupBest[gl_SubgroupID] = uvec2(key, index);
    barrier();
    if (thread == 0) {
        for (uint i = 0; i < gl_NumSubgroups; ++i)
            offer(subgroupBest[i].x, subgroupBest[i].y);
        if (push.splits > 1)
            Uints2(push.candidates).v[row] = best;
        else
            Ints(rowAddress(push.ids, matrixRow, push.idsStride)).v[0] =
                int(best.x == kNotFiniteKey ? kNotFiniteId : best.y);
    }
}
