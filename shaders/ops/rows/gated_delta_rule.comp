#version 460
// The columns of a head's state do not depend on each other: a thread keeps one of them in registers
// and goes through the item's rows. With S the state before a row and a = e^g, of the head or of each
// of its rows,
//   δ = β(v − Sᵀ(a·k)),  out = Sᵀ(a·q) + (k·q)·δ,  S ← a·S + k ⊗ δ
// so that one pass over the column gives both products. Grid: columns, heads, items.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/decay.glsl"
#include "shaders/common/item_state.glsl"
#include "shaders/ops/rows/gated_delta_rule.h"

KERNEL(GATED_DELTA_RULE_CONSTANTS, GatedDeltaRulePush)

shared vec2 keysAndQueries[kStaged * kKeyDim];
shared float decays[kDecayRows ? kStaged * kKeyDim : 1];

void main()
{
    const uint threads = gl_WorkGroupSize.x;
    const uint thread = gl_LocalInvocationID.x;
    const uint column = gl_GlobalInvocationID.x;
    const uint head = gl_WorkGroupID.y;
    const uint item = gl_WorkGroupID.z;
    const PassItem place = PassItems(push.items).v[item];
    if (place.rows == 0)
        return;
    const bool inside = column < push.valueDim;
    const uvec2 state =
        stateRow(push.caches, item, push.stateOffset, head * kKeyDim, push.valueDim);
    const uint firstKey = head / push.headsPerKey * kKeyDim;

    float S[kKeyDim];
    [[unroll]] for (uint d = 0; d < kKeyDim; ++d)
        S[d] = inside ? Floats(rowAddress(state, d, 4 * push.valueDim)).v[column] : 0.0;

    for (uint first = 0; first < place.rows; first += kStaged) {
        const uint count = min(kStaged, place.rows - first);
        barrier();
        for (uint i = thread; i < count * kKeyDim; i += threads) {
            const uint row = place.firstRow + first + i / kKeyDim;
            const uint d = i % kKeyDim;
            keysAndQueries[i] =
                vec2(loadActivation(rowAddress(push.k, row, push.kStride), kKHalf, firstKey + d),
                     loadActivation(rowAddress(push.q, row, push.qStride), kQHalf, firstKey + d));
            if (kDecayRows)
                decays[i] = decay(loadActivation(rowAddress(push.g, row, push.gStride), kGHalf,
                                               head * kKeyDim + d));
        }
        barrier();
        if (!inside)
            continue;
        for (uint t = 0; t < count; ++t) {
            const uint row = place.firstRow + first + t;
            const uint at = head * push.valueDim + column;
            const float v = loadActivation(rowAddress(push.v, row, push.vStride), kVHalf, at);
            const float beta =
                loadActivation(rowAddress(push.beta, row, push.betaStride), kBetaHalf, head);
            float fading = 1.0; // of the whole head
            if (!kDecayRows)
                fading = decay(loadActivation(rowAddress(push.g, row, push.gStride), kGHalf, head));
            float seen = 0.0, asked = 0.0, overlap = 0.0; // Sᵀ(a·k), Sᵀ(a·q), k·q
            [[unroll]] for (uint d = 0; d < kKeyDim; ++d) {
                const vec2 kq = keysAndQueries[t * kKeyDim + d];
                if (kDecayRows)
                    S[d] *= decays[t * kKeyDim + d];
                seen = fma(S[d], kq.x, seen);
                asked = fma(S[d], kq.y, asked);
                overlap = fma(kq.x, kq.y, overlap);
            }
            const float delta = beta * (v - fading * seen);
            [[unroll]] for (uint d = 0; d < kKeyDim; ++d)
                S[d] = fma(fading, S[d], keysAndQueries[t * kKeyDim + d].x * delta);
            storeActivation(rowAddress(push.result, row, push.outStride), kOutHalf, at,
                            fma(overlap, delta, fading * asked));
        }
    }
    if (inside)
        [[unroll]] for (uint d = 0; d < kKeyDim; ++d)
            Floats(rowAddress(state, d, 4 * push.valueDim)).v[column] = S[d];
}
