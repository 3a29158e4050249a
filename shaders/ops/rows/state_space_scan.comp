#version 460
// Mamba 2's scan, a row at a time: rows of a head's state do not depend on each other, and a thread keeps
// the N numbers of one of them in registers and goes through the item's rows. Grid: rows of the
// state, heads, items.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/decay.glsl"
#include "shaders/common/item_state.glsl"
#include "shaders/ops/rows/state_space_scan.h"

KERNEL(STATE_SPACE_SCAN_CONSTANTS, StateSpaceScanPush)

shared vec2 insAndOuts[kStaged * kStates]; // b and c

void main()
{
    const uint threads = gl_WorkGroupSize.x;
    const uint thread = gl_LocalInvocationID.x;
    const uint head = gl_WorkGroupID.y;
    const uint item = gl_WorkGroupID.z;
    const PassItem place = PassItems(push.items).v[item];
    if (place.rows == 0)
        return;
    const bool inside = gl_GlobalInvocationID.x < push.headDim;
    const uint at = head * push.headDim + gl_GlobalInvocationID.x; // in x and in the state
    const uint firstState = head / push.headsPerGroup * kStates;
    const uvec2 state = stateRow(push.caches, item, push.stateOffset, at, kStates);

    float s[kStates];
    [[unroll]] for (uint n = 0; n < kStates; ++n)
        s[n] = inside ? Floats(state).v[n] : 0.0;
    const float bias = kHasBias ? Floats(push.dtBias).v[head] : 0.0;
    const float through = kHasD ? Floats(push.d).v[head] : 0.0;
    const float a = Floats(push.a).v[head];

    for (uint first = 0; first < place.rows; first += kStaged) {
        const uint count = min(kStaged, place.rows - first);
        barrier();
        for (uint i = thread; i < count * kStates; i += threads) {
            const uint row = place.firstRow + first + i / kStates;
            const uint n = firstState + i % kStates;
            insAndOuts[i] = vec2(loadActivation(rowAddress(push.b, row, push.bStride), kBHalf, n),
                                 loadActivation(rowAddress(push.c, row, push.cStride), kCHalf, n));
        }
        barrier();
        if (!inside)
            continue;
        for (uint t = 0; t < count; ++t) {
            const uint row = place.firstRow + first + t;
            const float x = loadActivation(rowAddress(push.x, row, push.xStride), kXHalf, at);
            float step = softplus(
                loadActivation(rowAddress(push.dt, row, push.dtStride), kDtHalf, head) + bias);
            step = step < push.dtMin ? push.dtMin : step > push.dtMax ? push.dtMax : step;
            const float fading = decay(step * a);
            float sum = through * x;
            [[unroll]] for (uint n = 0; n < kStates; ++n) {
                const vec2 bc = insAndOuts[t * kStates + n];
                s[n] = fma(fading, s[n], step * x * bc.x);
                sum = fma(s[n], bc.y, sum);
            }
            storeActivation(rowAddress(push.result, row, push.outStride), kOutHalf, at, sum);
        }
    }
    if (inside)
        [[unroll]] for (uint n = 0; n < kStates; ++n)
            Floats(state).v[n] = s[n];
}
