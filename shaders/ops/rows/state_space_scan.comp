#version 460
// Mamba 2's scan, a row at a time: rows of a head's state do not depend on each other. A team of kLanes
// threads keeps the N numbers of kOwn of them in registers and goes through the item's rows. What it reads
// of rows comes from shared memory, once for all kOwn, filled for several rows at once; the next ones are
// fetched to registers meanwhile. kTogether rows go from one to the next without waiting for the sums
// over threads. Grid: rows of the state, heads, items.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/decay.glsl"
#include "shaders/common/item_state.glsl"
#include "shaders/common/unroll.glsl"
#include "shaders/ops/rows/state_space_scan.h"

KERNEL(STATE_SPACE_SCAN_CONSTANTS, StateSpaceScanPush)

const uint kStateFours = (kStates + 3) / 4;
const uint kEach = kStateFours / kLanes; // fours of the state that a thread keeps
const uint kOwnRows = kThreads / kLanes * kOwn;
shared vec4 ins[kStaged * kStateFours], outs[kStaged * kStateFours]; // b, c
shared float inputs[kStaged * kOwnRows]; // x of the group's rows of the state
shared vec2 steps[kStaged];              // δ and how much of the state stays

const uint kLoads = (kStaged * kStateFours + kThreads - 1) / kThreads;
const uint kInputLoads = (kStaged * kOwnRows + kThreads - 1) / kThreads;
vec4 nextIns[kLoads], nextOuts[kLoads];
float nextInputs[kInputLoads], nextStep;

/// Fetches rows first … of the item; behind its last are zeros.
void fetch(PassItem place, uint first, uint head, uint firstAt)
{
    const uint thread = gl_LocalInvocationID.x;
    const uint firstState = head / push.headsPerGroup * kStates;
    const uint count = min(kStaged, place.rows - first);
    UNROLL for (uint l = 0; l < kLoads; ++l) {
        const uint i = thread + l * kThreads, n = i % kStateFours * 4;
        nextIns[l] = nextOuts[l] = vec4(0);
        if (i / kStateFours < count) {
            const uint row = place.firstRow + first + i / kStateFours;
            nextIns[l] = loadFour(rowAddress(push.b, row, push.bStride), kBHalf, kFours,
                                  firstState + n, n, kStates);
            nextOuts[l] = loadFour(rowAddress(push.c, row, push.cStride), kCHalf, kFours,
                                   firstState + n, n, kStates);
        }
    }
    UNROLL for (uint l = 0; l < kInputLoads; ++l) {
        const uint i = thread + l * kThreads, p = firstAt + i % kOwnRows;
        nextInputs[l] = 0.0;
        if (i / kOwnRows < count && p < push.headDim)
            nextInputs[l] =
                loadActivation(rowAddress(push.x, place.firstRow + first + i / kOwnRows, push.xStride),
                               kXHalf, head * push.headDim + p);
    }
    if (thread < count)
        nextStep = loadActivation(rowAddress(push.dt, place.firstRow + first + thread, push.dtStride),
                                  kDtHalf, head);
}

/// What was fetched, to shared memory. Rows behind the last change nothing.
void stage(uint count, uint head)
{
    const uint thread = gl_LocalInvocationID.x;
    UNROLL for (uint l = 0; l < kLoads; ++l) {
        const uint i = thread + l * kThreads;
        if (i < kStaged * kStateFours) {
            ins[i] = nextIns[l];
            outs[i] = nextOuts[l];
        }
    }
    UNROLL for (uint l = 0; l < kInputLoads; ++l) {
        const uint i = thread + l * kThreads;
        if (i < kStaged * kOwnRows)
            inputs[i] = nextInputs[l];
    }
    if (thread < kStaged) {
        steps[thread] = vec2(0.0, 1.0);
        if (thread < count) {
            float step = softplus(nextStep + (kHasBias ? Floats(push.dtBias).v[head] : 0.0));
            step = step < push.dtMin ? push.dtMin : step > push.dtMax ? push.dtMax : step;
            steps[thread] = vec2(step, decay(step * Floats(push.a).v[head]));
        }
    }
}

vec4 s[kOwn * kEach]; // numbers 4·(n·kLanes + lane) … of the rows

const uint kResults = kOwn * kTogether; // of a team, a power of two
const uint kSame = kLanes > kResults ? kLanes / kResults : 1; // threads that end with the same ones
float results[kResults];

/// Sums each of the results over the team, which leaves every thread some of them, one after another:
/// the number of the first, and how many.
uvec2 shareResults(uint lane)
{
    uint first = 0, count = kResults;
    [[unroll]] for (uint mask = kLanes / 2; mask > 0; mask /= 2) {
        const bool upper = (lane & mask) != 0;
        const bool halve = count > 1;
        if (halve) {
            count /= 2;
            first += upper ? count : 0;
        }
        [[unroll]] for (uint i = 0; i < (kResults + 1) / 2; ++i)
            if (i < count) {
                const float other = results[halve ? i + count : i];
                const float sent = upper && halve ? results[i] : other;
                results[i] = (upper ? other : results[i]) + subgroupShuffleXor(sent, mask);
            }
    }
    return uvec2(first, count);
}

void main()
{
    const uint lane = gl_LocalInvocationID.x % kLanes;
    const uint own = gl_LocalInvocationID.x / kLanes * kOwn; // the first of the thread's rows
    const uint head = gl_WorkGroupID.y;
    const uint item = gl_WorkGroupID.z;
    const PassItem place = PassItems(push.items).v[item];
    if (place.rows == 0)
        return;
    const uint firstAt = gl_WorkGroupID.x * kOwnRows;
    const uint at = head * push.headDim + firstAt; // in x and in the state
    const uvec2 state = stateRow(push.caches, item, push.stateOffset, at + own, kStates);

    fetch(place, 0, head, firstAt);
    [[unroll]] for (uint r = 0; r < kOwn; ++r)
        [[unroll]] for (uint n = 0; n < kEach; ++n)
            s[r * kEach + n] = firstAt + own + r < push.headDim
                                   ? loadFour(state, false, kStateWide,
                                              r * kStates + 4 * (n * kLanes + lane),
                                              4 * (n * kLanes + lane), kStates)
                                   : vec4(0.0);
    const float through = kHasD ? Floats(push.d).v[head] : 0.0;

    for (uint first = 0; first < place.rows; first += kStaged) {
        const uint count = min(kStaged, place.rows - first);
        barrier();
        stage(count, head);
        barrier();
        if (first + kStaged < place.rows)
            fetch(place, first + kStaged, head, firstAt);
        [[dont_unroll]] for (uint t = 0; t < count; t += kTogether) {
            [[unroll]] for (uint u = 0; u < kTogether; ++u) {
                const vec2 step = steps[t + u];
                vec4 sums[kOwn];
                [[unroll]] for (uint n = 0; n < kEach; ++n) {
                    const uint four = (t + u) * kStateFours + n * kLanes + lane;
                    const vec4 b = step.x * ins[four], c = outs[four];
                    [[unroll]] for (uint r = 0; r < kOwn; ++r) {
                        const float x = inputs[(t + u) * kOwnRows + own + r];
                        const vec4 now = fma(vec4(step.y), s[r * kEach + n], x * b);
                        s[r * kEach + n] = now;
                        sums[r] = n == 0 ? now * c : fma(now, c, sums[r]);
                    }
                }
                [[unroll]] for (uint r = 0; r < kOwn; ++r)
                    results[u * kOwn + r] = (sums[r].x + sums[r].y) + (sums[r].z + sums[r].w);
            }
            const uvec2 ours = shareResults(lane);
            [[unroll]] for (uint i = 0; i < kResults; ++i) {
                const uint u = t + (ours.x + i) / kOwn, p = own + (ours.x + i) % kOwn;
                if (i < ours.y && lane % kSame == 0 && u < count && firstAt + p < push.headDim)
                    storeActivation(rowAddress(push.result, place.firstRow + first + u, push.outStride),
                                    kOutHalf, at + p,
                                    fma(through, inputs[u * kOwnRows + p], results[i]));
            }
        }
    }
    [[unroll]] for (uint r = 0; r < kOwn; ++r)
        [[unroll]] for (uint n = 0; n < kEach; ++n) {
            const uint number = 4 * (n * kLanes + lane);
            if (firstAt + own + r >= push.headDim)
                continue;
            if (kStateWide)
                Floats4(state).v[(r * kStates + number) / 4] = s[r * kEach + n];
            else
                [[unroll]] for (uint i = 0; i < 4; ++i)
                    if (number + i < kStates)
                        Floats(state).v[r * kStates + number + i] = s[r * kEach + n][i];
        }
}
