#version 460
// Mamba 2's scan, a row at a time: rows of a head's state do not depend on each other. kLanes threads
// keep the N numbers of one of them in registers and go through the item's rows together; what they
// read of a row comes from shared memory, filled for several rows at once. Grid: rows of the state,
// heads, items.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/decay.glsl"
#include "shaders/common/item_state.glsl"
#include "shaders/ops/rows/state_space_scan.h"

KERNEL(STATE_SPACE_SCAN_CONSTANTS, StateSpaceScanPush)

const uint kEach = kStates / kLanes; // numbers of the state that a thread keeps
const uint kOwnRows = kThreads / kLanes;
shared vec2 insAndOuts[kStaged * kStates]; // b and c
shared float inputs[kStaged * kOwnRows];   // x of the group's rows of the state
shared vec2 steps[kStaged];                // δ and how much of the state stays

/// Fills shared memory for rows first … of the item.
void stage(PassItem place, uint first, uint count, uint head, uint firstAt)
{
    const uint thread = gl_LocalInvocationID.x;
    const uint firstState = head / push.headsPerGroup * kStates;
    for (uint i = thread; i < count * kStates; i += kThreads) {
        const uint row = place.firstRow + first + i / kStates;
        const uint n = firstState + i % kStates;
        insAndOuts[i] = vec2(loadActivation(rowAddress(push.b, row, push.bStride), kBHalf, n),
                             loadActivation(rowAddress(push.c, row, push.cStride), kCHalf, n));
    }
    for (uint i = thread; i < count * kOwnRows; i += kThreads) {
        const uint row = place.firstRow + first + i / kOwnRows;
        const uint p = firstAt + i % kOwnRows;
        inputs[i] = p < push.headDim ? loadActivation(rowAddress(push.x, row, push.xStride), kXHalf,
                                                      head * push.headDim + p)
                                     : 0.0;
    }
    const float bias = kHasBias ? Floats(push.dtBias).v[head] : 0.0;
    for (uint t = thread; t < count; t += kThreads) {
        const uint row = place.firstRow + first + t;
        float step = softplus(
            loadActivation(rowAddress(push.dt, row, push.dtStride), kDtHalf, head) + bias);
        step = step < push.dtMin ? push.dtMin : step > push.dtMax ? push.dtMax : step;
        steps[t] = vec2(step, decay(step * Floats(push.a).v[head]));
    }
}

void main()
{
    const uint lane = gl_LocalInvocationID.x % kLanes;
    const uint own = gl_LocalInvocationID.x / kLanes;
    const uint head = gl_WorkGroupID.y;
    const uint item = gl_WorkGroupID.z;
    const PassItem place = PassItems(push.items).v[item];
    if (place.rows == 0)
        return;
    const uint firstAt = gl_WorkGroupID.x * kOwnRows;
    const bool inside = firstAt + own < push.headDim;
    const uint at = head * push.headDim + firstAt + own; // in x and in the state
    const uvec2 state = stateRow(push.caches, item, push.stateOffset, at, kStates);

    float s[kEach];
    [[unroll]] for (uint n = 0; n < kEach; ++n)
        s[n] = inside ? Floats(state).v[n * kLanes + lane] : 0.0;
    const float through = kHasD ? Floats(push.d).v[head] : 0.0;

    for (uint first = 0; first < place.rows; first += kStaged) {
        const uint count = min(kStaged, place.rows - first);
        barrier();
        stage(place, first, count, head, firstAt);
        barrier();
        for (uint t = 0; t < count; ++t) {
            const float x = inputs[t * kOwnRows + own];
            const vec2 step = steps[t];
            float sum = 0.0;
            [[unroll]] for (uint n = 0; n < kEach; ++n) {
                const vec2 bc = insAndOuts[t * kStates + n * kLanes + lane];
                s[n] = fma(step.y, s[n], step.x * x * bc.x);
                sum = fma(s[n], bc.y, sum);
            }
            [[unroll]] for (uint mask = kLanes / 2; mask > 0; mask /= 2)
                sum += subgroupShuffleXor(sum, mask);
            if (inside && lane == 0)
                storeActivation(rowAddress(push.result, place.firstRow + first + t, push.outStride),
                                kOutHalf, at, fma(through, x, sum));
        }
    }
    if (inside)
        [[unroll]] for (uint n = 0; n < kEach; ++n)
            Floats(state).v[n * kLanes + lane] = s[n];
}
