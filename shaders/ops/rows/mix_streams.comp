#version 460
// out_j (+)= Σ_i (mix[j, i] + plus) · x_i for streams that lie side by side, a thread per unit of out.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/rows.glsl"
#include "shaders/ops/rows/mix_streams.h"

KERNEL(MIX_STREAMS_CONSTANTS, MixStreamsPush)

void main()
{
    const uint perRow = push.to * push.units, total = push.rows * perRow;
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < total; i += step) {
        const uint row = i / perRow, place = i - row * perRow;
        const uint j = place / push.units, unit = place - j * push.units;
        const uvec2 x = rowAddress(push.x, row, push.xStride);
        const uvec2 mix = rowAddress(push.mix, row, push.mixStride);
        const uvec2 result = rowAddress(push.result, row, push.outStride);
        vec4 sum = kAdd ? loadUnit(result, kOutHalf, kFours, place) : vec4(0.0);
        for (uint s = 0; s < push.from; ++s) {
            const float factor = loadActivation(mix, kMixHalf, j * push.from + s) + push.plus;
            sum += factor * loadUnit(x, kXHalf, kFours, s * push.units + unit);
        }
        storeUnit(result, kOutHalf, kFours, place, sum);
    }
}
