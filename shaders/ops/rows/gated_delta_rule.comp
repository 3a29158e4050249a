#version 460
// The columns of a head's state do not depend on each other: kLanes threads keep one of them in registers
// and go through the item's rows together. What they read of rows comes from shared memory, filled for
// several at once; the next ones are fetched to registers meanwhile. With a = e^g, of the head or of each
// of the state's rows,
//   S ← a·S,  δ = β(v − Sᵀk),  S ← S + k ⊗ δ,  out = Sᵀq
// where the sums over threads that give `out` are taken for kTogether rows at once, as nothing waits for
// them. Grid: columns, heads, items.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shaders/common/decay.glsl"
#include "shaders/common/item_state.glsl"
#include "shaders/common/unroll.glsl"
#include "shaders/ops/rows/gated_delta_rule.h"

KERNEL(GATED_DELTA_RULE_CONSTANTS, GatedDeltaRulePush)

const uint kKeyFours = (kKeyDim + 3) / 4;
const uint kEach = kKeyFours / kLanes; // fours of the column that a thread keeps
const uint kColumns = kThreads / kLanes;
const uint kUnits = kStaged * kKeyFours;
shared vec4 keys[kUnits], queries[kUnits];
shared vec4 decays[kDecayRows ? kUnits : 1];
shared float values[kStaged * kColumns];
shared vec2 rates[kStaged]; // β and the decay of the whole head

const uint kLoads = (kUnits + kThreads - 1) / kThreads;
const uint kValueLoads = (kStaged * kColumns + kThreads - 1) / kThreads;
vec4 nextKeys[kLoads], nextQueries[kLoads], nextDecays[kDecayRows ? kLoads : 1];
float nextValues[kValueLoads];
vec2 nextRates;

/// Fetches rows first … of the item; behind its last are zeros.
void fetch(PassItem place, uint first, uint head, uint firstColumn)
{
    const uint thread = gl_LocalInvocationID.x;
    const uint firstKey = head / push.headsPerKey * kKeyDim;
    const uint count = min(kStaged, place.rows - first);
    UNROLL for (uint l = 0; l < kLoads; ++l) {
        const uint i = thread + l * kThreads, d = i % kKeyFours * 4;
        nextKeys[l] = nextQueries[l] = vec4(0);
        if (kDecayRows)
            nextDecays[l] = vec4(0);
        if (i / kKeyFours < count) {
            const uint row = place.firstRow + first + i / kKeyFours;
            nextKeys[l] = loadFour(rowAddress(push.k, row, push.kStride), kKHalf, kFours,
                                   firstKey + d, d, kKeyDim);
            nextQueries[l] = loadFour(rowAddress(push.q, row, push.qStride), kQHalf, kFours,
                                      firstKey + d, d, kKeyDim);
            if (kDecayRows)
                nextDecays[l] = loadFour(rowAddress(push.g, row, push.gStride), kGHalf, kFours,
                                         head * kKeyDim + d, d, kKeyDim);
        }
    }
    UNROLL for (uint l = 0; l < kValueLoads; ++l) {
        const uint i = thread + l * kThreads, column = firstColumn + i % kColumns;
        nextValues[l] = 0.0;
        if (i / kColumns < count && column < push.valueDim)
            nextValues[l] =
                loadActivation(rowAddress(push.v, place.firstRow + first + i / kColumns, push.vStride),
                               kVHalf, head * push.valueDim + column);
    }
    nextRates = vec2(0.0);
    if (thread < count) {
        const uint row = place.firstRow + first + thread;
        nextRates.x = loadActivation(rowAddress(push.beta, row, push.betaStride), kBetaHalf, head);
        if (!kDecayRows)
            nextRates.y = loadActivation(rowAddress(push.g, row, push.gStride), kGHalf, head);
    }
}

/// What was fetched, to shared memory. Rows behind the last change nothing.
void stage()
{
    const uint thread = gl_LocalInvocationID.x;
    UNROLL for (uint l = 0; l < kLoads; ++l) {
        const uint i = thread + l * kThreads;
        if (i >= kUnits)
            continue;
        keys[i] = nextKeys[l];
        queries[i] = nextQueries[l];
        if (kDecayRows)
            [[unroll]] for (uint c = 0; c < 4; ++c)
                decays[i][c] = decay(nextDecays[l][c]);
    }
    UNROLL for (uint l = 0; l < kValueLoads; ++l) {
        const uint i = thread + l * kThreads;
        if (i < kStaged * kColumns)
            values[i] = nextValues[l];
    }
    if (thread < kStaged)
        rates[thread] = vec2(nextRates.x, decay(nextRates.y));
}

float sumOverLanes(float sum)
{
    [[unroll]] for (uint mask = kLanes / 2; mask > 0; mask /= 2)
        sum += subgroupShuffleXor(sum, mask);
    return sum;
}

vec4 S[kEach]; // numbers 4·(d·kLanes + lane) … of the column

/// Row t of shared memory. Returns the thread's part of the result.
float takeRow(uint t, uint lane, uint own)
{
    const vec2 rate = rates[t];
    const uint begin = t * kKeyFours + lane;
    vec4 k[kEach], product = vec4(0.0);
    [[unroll]] for (uint d = 0; d < kEach; ++d) {
        k[d] = keys[begin + d * kLanes];
        if (kDecayRows)
            S[d] *= decays[begin + d * kLanes];
        product = fma(S[d], k[d], product);
    }
    const float all = sumOverLanes((product.x + product.y) + (product.z + product.w));
    const float delta = rate.x * fma(-rate.y, all, values[t * kColumns + own]);
    vec4 result = vec4(0.0);
    [[unroll]] for (uint d = 0; d < kEach; ++d) {
        S[d] = fma(vec4(delta), k[d], rate.y * S[d]);
        result = fma(S[d], queries[begin + d * kLanes], result);
    }
    return (result.x + result.y) + (result.z + result.w);
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

    fetch(place, 0, head, firstColumn);
    [[unroll]] for (uint d = 0; d < kEach; ++d)
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            const uint row = 4 * (d * kLanes + lane) + i;
            S[d][i] = inside && row < kKeyDim
                          ? Floats(rowAddress(state, row, 4 * push.valueDim)).v[column]
                          : 0.0;
        }

    for (uint first = 0; first < place.rows; first += kStaged) {
        const uint count = min(kStaged, place.rows - first);
        barrier();
        stage();
        barrier();
        if (first + kStaged < place.rows)
            fetch(place, first + kStaged, head, firstColumn);
        [[dont_unroll]] for (uint t = 0; t < count; t += kTogether) {
            float results[kTogether];
            [[unroll]] for (uint u = 0; u < kTogether; ++u)
                results[u] = takeRow(t + u, lane, own);
            [[unroll]] for (uint mask = kLanes / 2; mask > 0; mask /= 2)
                [[unroll]] for (uint u = 0; u < kTogether; ++u)
                    results[u] += subgroupShuffleXor(results[u], mask);
            [[unroll]] for (uint u = 0; u < kTogether; ++u)
                if (inside && lane == u % kLanes && t + u < count)
                    storeActivation(
                        rowAddress(push.result, place.firstRow + first + t + u, push.outStride),
                        kOutHalf, head * push.valueDim + column, results[u]);
        }
    }
    [[unroll]] for (uint d = 0; d < kEach; ++d)
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            const uint row = 4 * (d * kLanes + lane) + i;
            if (inside && row < kKeyDim)
                Floats(rowAddress(state, row, 4 * push.valueDim)).v[column] = S[d][i];
        }
}
