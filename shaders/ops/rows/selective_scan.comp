#version 460
// Mamba's scan: channels do not depend on each other, and a thread keeps the N numbers of one of them in
// registers and goes through the item's rows. Grid: channels, items.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/decay.glsl"
#include "shaders/common/item_state.glsl"
#include "shaders/common/plain_weight.glsl"
#include "shaders/ops/rows/selective_scan.h"

KERNEL(SELECTIVE_SCAN_CONSTANTS, SelectiveScanPush)

shared vec2 insAndOuts[kStaged * kStates]; // b and c

void main()
{
    const uint threads = gl_WorkGroupSize.x;
    const uint thread = gl_LocalInvocationID.x;
    const uint channel = gl_GlobalInvocationID.x;
    const uint item = gl_WorkGroupID.y;
    const PassItem place = PassItems(push.items).v[item];
    if (place.rows == 0)
        return;
    const bool inside = channel < push.channels;
    const uvec2 state = stateRow(push.caches, item, push.stateOffset, channel, kStates);

    float s[kStates], a[kStates];
    [[unroll]] for (uint n = 0; n < kStates; ++n) {
        s[n] = inside ? Floats(state).v[n] : 0.0;
        a[n] = inside ? loadPlain(push.a, kAType, channel * push.aStride + n) : 0.0;
    }
    const float bias = kHasBias && inside ? Floats(push.dtBias).v[channel] : 0.0;
    const float through = inside ? Floats(push.d).v[channel] : 0.0;

    for (uint first = 0; first < place.rows; first += kStaged) {
        const uint count = min(kStaged, place.rows - first);
        barrier();
        for (uint i = thread; i < count * kStates; i += threads) {
            const uint row = place.firstRow + first + i / kStates;
            const uint n = i % kStates;
            insAndOuts[i] = vec2(loadActivation(rowAddress(push.b, row, push.bStride), kBHalf, n),
                                 loadActivation(rowAddress(push.c, row, push.cStride), kCHalf, n));
        }
        barrier();
        if (!inside)
            continue;
        for (uint t = 0; t < count; ++t) {
            const uint row = place.firstRow + first + t;
            const float x = loadActivation(rowAddress(push.x, row, push.xStride), kXHalf, channel);
            const float step = softplus(
                loadActivation(rowAddress(push.dt, row, push.dtStride), kDtHalf, channel) + bias);
            float sum = through * x;
            [[unroll]] for (uint n = 0; n < kStates; ++n) {
                const vec2 bc = insAndOuts[t * kStates + n];
                s[n] = fma(decay(step * a[n]), s[n], step * x * bc.x);
                sum = fma(s[n], bc.y, sum);
            }
            storeActivation(rowAddress(push.result, row, push.outStride), kOutHalf, channel, sum);
        }
    }
    if (inside)
        [[unroll]] for (uint n = 0; n < kStates; ++n)
            Floats(state).v[n] = s[n];
}
