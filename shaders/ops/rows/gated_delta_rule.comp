#version 460
// The columns of a head's state do not depend on each other: kLanes threads keep one of them in registers
// and go through the item's rows together; what they read of a row comes from shared memory, filled for
// several rows at once. With S the state before a row and a = e^g, of the head or of each of its rows,
//   δ = β(v − Sᵀ(a·k)),  out = Sᵀ(a·q) + (k·q)·δ,  S ← a·S + k ⊗ δ
// so that one pass over the column gives both products. Grid: columns, heads, items.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shaders/common/decay.glsl"
#include "shaders/common/item_state.glsl"
#include "shaders/ops/rows/gated_delta_rule.h"

KERNEL(GATED_DELTA_RULE_CONSTANTS, GatedDeltaRulePush)

const uint kEach = kKeyDim / kLanes; // numbers of the column that a thread keeps
const uint kColumns = kThreads / kLanes;
shared vec2 keysAndQueries[kStaged * kKeyDim];
shared float decays[kDecayRows ? kStaged * kKeyDim : 1];
shared float values[kStaged * kColumns];
shared vec2 rates[kStaged]; // β and the decay of the whole head

/// Fills shared memory for rows first … of the item.
void stage(PassItem place, uint first, uint count, uint head, uint firstColumn)
{
    const uint thread = gl_LocalInvocationID.x;
    const uint firstKey = head / push.headsPerKey * kKeyDim;
    for (uint i = thread; i < count * kKeyDim; i += kThreads) {
        const uint row = place.firstRow + first + i / kKeyDim;
        const uint d = i % kKeyDim;
        keysAndQueries[i] =
            vec2(loadActivation(rowAddress(push.k, row, push.kStride), kKHalf, firstKey + d),
                 loadActivation(rowAddress(push.q, row, push.qStride), kQHalf, firstKey + d));
        if (kDecayRows)
            decays[i] = decay(loadActivation(rowAddress(push.g, row, push.gStride), kGHalf,
                                             head * kKeyDim + d));
    }
    for (uint i = thread; i < count * kColumns; i += kThreads) {
        const uint row = place.firstRow + first + i / kColumns;
        const uint column = firstColumn + i % kColumns;
        values[i] = column < push.valueDim
                        ? loadActivation(rowAddress(push.v, row, push.vStride), kVHalf,
                                         head * push.valueDim + column)
                        : 0.0;
    }
    for (uint t = thread; t < count; t += kThreads) {
        const uint row = place.firstRow + first + t;
        const float beta =
            loadActivation(rowAddress(push.beta, row, push.betaStride), kBetaHalf, head);
        float fading = 1.0;
        if (!kDecayRows)
            fading = decay(loadActivation(rowAddress(push.g, row, push.gStride), kGHalf, head));
        rates[t] = vec2(beta, fading);
    }
}

vec3 sumOverLanes(vec3 sums)
{
    [[unroll]] for (uint mask = kLanes / 2; mask > 0; mask /= 2)
        sums += subgroupShuffleXor(sums, mask);
    return sums;
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
    const uint firstColumn = gl_WorkGroupID.x * kColumns;
    const uint column = firstColumn + own;
    const bool inside = column < push.valueDim;
    const uvec2 state =
        stateRow(push.caches, item, push.stateOffset, head * kKeyDim, push.valueDim);

    float S[kEach];
    [[unroll]] for (uint d = 0; d < kEach; ++d)
        S[d] = inside ? Floats(rowAddress(state, d * kLanes + lane, 4 * push.valueDim)).v[column]
                      : 0.0;

    for (uint first = 0; first < place.rows; first += kStaged) {
        const uint count = min(kStaged, place.rows - first);
        barrier();
        stage(place, first, count, head, firstColumn);
        barrier();
        for (uint t = 0; t < count; ++t) {
            const float fading = rates[t].y; // of the whole head
            vec3 sums = vec3(0.0);           // Sᵀ(a·k), Sᵀ(a·q), k·q
            [[unroll]] for (uint d = 0; d < kEach; ++d) {
                const uint at = t * kKeyDim + d * kLanes + lane;
                const vec2 kq = keysAndQueries[at];
                if (kDecayRows)
                    S[d] *= decays[at];
                sums = fma(vec3(S[d], S[d], kq.x), vec3(kq.x, kq.y, kq.y), sums);
            }
            sums = sumOverLanes(sums);
            const float delta = rates[t].x * (values[t * kColumns + own] - fading * sums.x);
            [[unroll]] for (uint d = 0; d < kEach; ++d)
                S[d] = fma(fading, S[d],
                           keysAndQueries[t * kKeyDim + d * kLanes + lane].x * delta);
            if (inside && lane == 0)
                storeActivation(rowAddress(push.result, place.firstRow + first + t, push.outStride),
                                kOutHalf, head * push.valueDim + column,
                                fma(sums.z, delta, fading * sums.y));
        }
    }
    if (inside)
        [[unroll]] for (uint d = 0; d < kEach; ++d)
            Floats(rowAddress(state, d * kLanes + lane, 4 * push.valueDim)).v[column] = S[d];
}
