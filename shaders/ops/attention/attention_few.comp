#version 460
// Attention of few queries. A workgroup takes some slots (a query row and one of the heads that share a
// kv head) over a range of keys. A team of kLanes lanes holds one row of the cache at a time; a subgroup
// has one or more teams and goes over keys of its own without a barrier of the workgroup: products →
// shared memory → weights → weighted sums of values in registers. Subgroups are reduced at the end, then
// the splits, by the last workgroup.
//
// With kNewHeads, for one new row per item, the workgroup applies norms and RoPE to its queries, and the
// workgroup with the newest key appends it and its value to the cache.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "shaders/common/q8_activations.glsl"
#include "shaders/common/rows.glsl"
#include "shaders/ops/attention/attention.h"

ATTENTION_FEW_CONSTANTS(SPECIALISATION)
#include "shaders/common/attention_slots.glsl"

const uint kTeams = kThreads / kLanes;
const uint kChunks = (kHeadDim + 8 * kLanes - 1) / (8 * kLanes); // of a thread, of a key
const uint kValueChunks = (kValueDim + 8 * kLanes - 1) / (8 * kLanes);
const uint kBlock = kTeams * kKeysEach; // keys of a workgroup at a time
const uint kPairs = kKeysEach * kSlots / 2; // of products of a team, in order of keys, then slots
const uint kOwnPairs = (kPairs + kLanes - 1) / kLanes;
const uint kPitch = kPairs + 2; // between the products of two threads

// In units of log2: how far above its level a logit may lie until the level is raised.
const float kHeadroom = 60;

shared vec2 scratch[kScratch];
shared vec2 weights[kTeams * kPairs];
shared float levelOf[kTeams * kSlots], sumOf[kTeams * kSlots]; // of subgroups

CacheChunk keys[kKeysEach * kChunks], values[kKeysEach * kValueChunks];

uint threadIndex()
{
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}

/// Loads the thread's channels of `count` keys from `base` on. Indices are clamped instead of branched on:
/// beyond the last key it is the last again, with weight 0.
void fetchBlockKeys(uint base, uint count)
{
    const uint lane = threadIndex() % kLanes, team = threadIndex() / kLanes;
    const uvec2 block = addProduct(tile.view.keyBase, base, tile.view.keyBytes);
    UNROLL for (uint j = 0; j < kKeysEach; ++j) {
        const uvec2 row = addBytes(block, min(j * kTeams + team, count - 1) * tile.view.keyBytes);
        UNROLL for (uint i = 0; i < kChunks; ++i) {
            const uint channel = 8 * (i * kLanes + lane);
            keys[j * kChunks + i] = kNoChunk;
            if (kHeadDim % (8 * kLanes) == 0 || channel < kHeadDim)
                keys[j * kChunks + i] = fetchChunk(row, kKeyType, kKeyStep, kHeadDim, channel);
        }
    }
}
void fetchBlockValues(uint base, uint count)
{
    const uint lane = threadIndex() % kLanes, team = threadIndex() / kLanes;
    const uint stored = has(kLatent) ? kHeadDim : kValueDim;
    const uvec2 block = addProduct(tile.view.valueBase, base, tile.view.valueBytes);
    UNROLL for (uint j = 0; j < kKeysEach; ++j) {
        const uvec2 row = addBytes(block, min(j * kTeams + team, count - 1) * tile.view.valueBytes);
        UNROLL for (uint i = 0; i < kValueChunks; ++i) {
            const uint channel = 8 * (i * kLanes + lane);
            values[j * kValueChunks + i] = kNoChunk;
            if (kValueDim % (8 * kLanes) == 0 || channel < kValueDim)
                values[j * kValueChunks + i] =
                    fetchChunk(row, kValueType, kValueStep, stored, channel);
        }
    }
}

vec4 queryLow[kSlots * kChunks], queryHigh[kSlots * kChunks]; // scaled
vec4 sumLow[kSlots * kValueChunks], sumHigh[kSlots * kValueChunks];
// Of a slot: the level of the subgroup. Of a pair: of its two slots, and their sums of weights.
float level[kSlots];
vec2 levels[kOwnPairs], sums[kOwnPairs];
vec2 logits[kOwnPairs]; // of a block, in units of log2

float scratchFloat(uint at)
{
    return scratch[at / 2][at % 2];
}
vec4 scratchFour(uint at) // a multiple of four
{
    return vec4(scratch[at / 2], scratch[at / 2 + 1]);
}

#include "shaders/common/new_heads.glsl"

void loadQueries()
{
    const uint lane = threadIndex() % kLanes;
    const float scale = kPlain ? push.scale * kLog2E : push.scale;
    UNROLL for (uint m = 0; m < kSlots; ++m)
        UNROLL for (uint i = 0; i < kChunks; ++i) {
            const uint channel = 8 * (i * kLanes + lane);
            vec4 low = vec4(0), high = vec4(0);
            if (m < tile.slots && channel < kHeadDim) {
                if (has(kNewHeads)) {
                    low = scratchFour(m * kHeadDim + channel);
                    high = scratchFour(m * kHeadDim + channel + 4);
                } else {
                    const uint slot = tile.firstSlot + m, bytes = has(kQueryHalf) ? 2 : 4;
                    const uvec2 from =
                        addBytes(rowAddress(push.q, rowOf(slot), push.qStride * bytes),
                                 headOf(slot) * kHeadDim * bytes);
                    if (kFours && kHeadDim % 8 == 0) {
                        low = loadUnit(from, has(kQueryHalf), true, channel / 4);
                        high = loadUnit(from, has(kQueryHalf), true, channel / 4 + 1);
                    } else {
                        UNROLL for (uint j = 0; j < 4; ++j) {
                            if (channel + j < kHeadDim)
                                low[j] = loadActivation(from, has(kQueryHalf), channel + j);
                            if (channel + 4 + j < kHeadDim)
                                high[j] = loadActivation(from, has(kQueryHalf), channel + 4 + j);
                        }
                    }
                }
            }
            queryLow[m * kChunks + i] = low * scale;
            queryHigh[m * kChunks + i] = high * scale;
        }
}

/// The softmax of the first team begins with the newest key, whose weight is 1.
void beginWithNewest()
{
    const uint lane = threadIndex() % kLanes, team = threadIndex() / kLanes;
    float products[kSlots];
    UNROLL for (uint m = 0; m < kSlots; ++m)
        products[m] = 0;
    UNROLL for (uint i = 0; i < kChunks; ++i) {
        const uint channel = 8 * (i * kLanes + lane);
        if (team == 0 && channel < kHeadDim) {
            const vec4 low = asStored(scratchFour(kKeyAt + channel), kKeyType);
            const vec4 high = asStored(scratchFour(kKeyAt + channel + 4), kKeyType);
            UNROLL for (uint m = 0; m < kSlots; ++m)
                products[m] += dot(queryLow[m * kChunks + i], low) +
                               dot(queryHigh[m * kChunks + i], high);
        }
    }
    UNROLL for (uint i = 0; i < kValueChunks; ++i) {
        const uint channel = 8 * (i * kLanes + lane);
        if (team == 0 && channel < kValueDim) {
            const vec4 low = asStored(scratchFour(kValueAt + channel), kValueType);
            const vec4 high = asStored(scratchFour(kValueAt + channel + 4), kValueType);
            UNROLL for (uint m = 0; m < kSlots; ++m) {
                sumLow[m * kValueChunks + i] = low;
                sumHigh[m * kValueChunks + i] = high;
            }
        }
    }
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        level[m] = subgroupAdd(products[m]);
        if (!kPlain)
            level[m] = kLog2E * logitOf(level[m],
                                        slopeOf(headOf(tile.firstSlot + m)),
                                        tile.view.past, tile.view.past);
    }
    UNROLL for (uint i = 0; i < kOwnPairs; ++i)
        UNROLL for (uint m = 0; m < kSlots; ++m) {
            const uint value = 2 * (i * kLanes + lane); // its key and slot, as below
            if (value % kSlots == m)
                levels[i].x = level[m];
            if ((value + 1) % kSlots == m)
                levels[i].y = level[m];
        }
    // Its weight is 1, added to the sums of the first pairs.
    UNROLL for (uint i = 0; i < kOwnPairs; ++i) {
        const uint value = 2 * (i * kLanes + lane);
        if (team == 0 && value < kSlots)
            sums[i].x = 1;
        if (team == 0 && value + 1 < kSlots)
            sums[i].y = 1;
    }
}

/// Channels 4·four … of the result. With kQ8Out eight neighbouring threads have a block.
void storeResult(uint row, uint head, uint four, vec4 value)
{
    if (kFours) {
        const uint bytes = has(kOutHalf) ? 2 : 4;
        storeUnit(addBytes(rowAddress(push.out_, row, push.outStride * bytes),
                           head * kValueDim * bytes),
                  has(kOutHalf), true, four, value);
    } else {
        storeFour(row, head, four, value);
    }
    if (has(kQ8Out)) {
        const uint cols = kHeads * kValueDim;
        storeQ8(addUnits256(push.q8Out,
                                  row * (q8RowBytes(cols) / 256)),
                      cols, head * kValueDim / 4 + four, value, value);
    }
}

/// By the last workgroup of the tile: partial results of its slots become the output.
void reduceSplits()
{
    memoryBarrierBuffer();
    const uint fours = (kValueDim + 3) / 4;
    for (uint i = threadIndex(); i < tile.slots * fours; i += kThreads) {
        const uint slot = tile.firstSlot + i / fours, four = i % fours;
        const uint row = rowOf(slot), head = headOf(slot);
        const uint first = partialIndex(row, head, 0);
        float top = kNoLevel, sum = 0;
        vec4 value = vec4(0);
        for (uint s = 0; s < tile.used; s += 8) { // eight loads at a time
            vec4 parts[8];
            vec2 stats[8];
            UNROLL for (uint j = 0; j < 8; ++j) {
                stats[j] = loadPartialStats(first + min(s + j, tile.used - 1));
                parts[j] = loadPartial(first + min(s + j, tile.used - 1), four);
            }
            const float before = top;
            UNROLL for (uint j = 0; j < 8; ++j)
                top = max(top, stats[j].x);
            const float shrink = decay(before - top);
            value *= shrink;
            sum *= shrink;
            UNROLL for (uint j = 0; j < 8; ++j) {
                const float weight = s + j < tile.used ? decay(stats[j].x - top) : 0;
                if (weight != 0) {
                    value += weight * parts[j];
                    sum += weight * stats[j].y;
                }
            }
        }
        storeResult(row, head, four, value * finalScale(head, top, sum));
    }
}

/// Sums and levels of no key.
void clearSums()
{
    UNROLL for (uint i = 0; i < kSlots * kValueChunks; ++i)
        sumLow[i] = sumHigh[i] = vec4(0);
    UNROLL for (uint m = 0; m < kSlots; ++m)
        level[m] = kNoLevel;
    UNROLL for (uint i = 0; i < kOwnPairs; ++i) {
        levels[i] = vec2(kNoLevel);
        sums[i] = vec2(0);
    }
}

/// Before the first block: queries to registers, while the first keys and values come; with kNewHeads
/// they are made from their product, and the newest key goes to the cache.
void prepareQueries(bool newest)
{
    if (has(kNewHeads)) {
        rotateHeads(tile.slots, newest);
        barrier();
    }
    loadQueries();
    if (newest) {
        if (gl_SubgroupID == 0)
            beginWithNewest();
        if (tile.firstSlot == 0)
            storeNewest(tile.view);
    }
    if (has(kNewHeads))
        barrier(); // `scratch` is free
}

/// The thread's channels of key · query of a block, to shared memory.
void multiplyKeys()
{
    const uint products = threadIndex() * kPitch;
    UNROLL for (uint j = 0; j < kKeysEach; ++j) {
        float product[kSlots];
        UNROLL for (uint m = 0; m < kSlots; ++m)
            product[m] = 0;
        UNROLL for (uint i = 0; i < kChunks; ++i) {
            const vec4 low = lowChannels(keys[j * kChunks + i], kKeyType);
            const vec4 high = highChannels(keys[j * kChunks + i], kKeyType);
            UNROLL for (uint m = 0; m < kSlots; ++m)
                product[m] += dot(queryLow[m * kChunks + i], low) +
                              dot(queryHigh[m * kChunks + i], high);
        }
        UNROLL for (uint m = 0; m < kSlots; ++m)
            scratch[products + (j * kSlots + m) / 2][(j * kSlots + m) % 2] = product[m];
    }
}

/// Sums over the threads of a team: `logits`, two for each thread. Whether one lies far above its level.
bool takeLogits(uint base, uint count)
{
    const uint lane = threadIndex() % kLanes, team = threadIndex() / kLanes;
    const uint teamProducts = team * kLanes * kPitch, allSlots = tile.view.rows * kGroup;
    bool above = false;
    UNROLL for (uint i = 0; i < kOwnPairs; ++i) {
        const uint pair = i * kLanes + lane;
        logits[i] = vec2(kUnseen);
        if (kPairs % kLanes == 0 || pair < kPairs) {
            vec2 score[4]; // four chains of sums
            UNROLL for (uint l = 0; l < 4; ++l)
                score[l] = vec2(0);
            UNROLL for (uint l = 0; l < kLanes; ++l)
                score[l % 4] += scratch[teamProducts + l * kPitch + pair];
            score[0] = (score[0] + score[1]) + (score[2] + score[3]);
            UNROLL for (uint h = 0; h < 2; ++h) {
                const uint value = 2 * pair + h, m = value % kSlots, slot = tile.firstSlot + m;
                const uint k = value / kSlots * kTeams + team, key = base + k;
                const uvec2 seen = seenKeys(tile.view, min(slot, allSlots - 1) / kGroup);
                if (k < count && key >= seen.x && key < seen.y)
                    logits[i][h] =
                        kPlain ? score[0][h]
                               : kLog2E * logitOf(score[0][h], slopeOf(headOf(slot)),
                                                  tile.view.past + slot / kGroup, key);
            }
        }
        above = above || any(greaterThan(logits[i] - levels[i], vec2(kHeadroom)));
    }
    return above;
}

/// Brings the subgroup's levels up to its largest logits.
void raiseLevels()
{
    const uint lane = threadIndex() % kLanes;
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        float top = kNoLevel;
        UNROLL for (uint i = 0; i < kOwnPairs; ++i)
            UNROLL for (uint h = 0; h < 2; ++h)
                if ((2 * (i * kLanes + lane) + h) % kSlots == m)
                    top = max(top, logits[i][h]);
        top = max(level[m], subgroupMax(top));
        const float shrink = exp2OrZero(level[m] - top);
        level[m] = top;
        UNROLL for (uint i = 0; i < kOwnPairs; ++i)
            UNROLL for (uint h = 0; h < 2; ++h)
                if ((2 * (i * kLanes + lane) + h) % kSlots == m) {
                    levels[i][h] = top;
                    sums[i][h] *= shrink;
                }
        UNROLL for (uint i = 0; i < kValueChunks; ++i) {
            sumLow[m * kValueChunks + i] *= shrink;
            sumHigh[m * kValueChunks + i] *= shrink;
        }
    }
}

/// `logits` become weights, in shared memory.
void makeWeights()
{
    const uint lane = threadIndex() % kLanes, team = threadIndex() / kLanes;
    UNROLL for (uint i = 0; i < kOwnPairs; ++i) {
        const uint pair = i * kLanes + lane;
        const vec2 weight = vec2(exp2OrZero(logits[i].x - levels[i].x),
                                 exp2OrZero(logits[i].y - levels[i].y));
        sums[i] += weight;
        if (kPairs % kLanes == 0 || pair < kPairs)
            weights[team * kPairs + pair] = weight;
    }
}

/// Weights times values of a block.
void addValues()
{
    const uint team = threadIndex() / kLanes;
    UNROLL for (uint j = 0; j < kKeysEach; ++j) {
        float weight[kSlots];
        UNROLL for (uint m = 0; m < kSlots; ++m)
            weight[m] = weights[team * kPairs + (j * kSlots + m) / 2][(j * kSlots + m) % 2];
        UNROLL for (uint i = 0; i < kValueChunks; ++i) {
            const vec4 low = lowChannels(values[j * kValueChunks + i], kValueType);
            const vec4 high = highChannels(values[j * kValueChunks + i], kValueType);
            UNROLL for (uint m = 0; m < kSlots; ++m) {
                sumLow[m * kValueChunks + i] += weight[m] * low;
                sumHigh[m * kValueChunks + i] += weight[m] * high;
            }
        }
    }
}

void storeLevels()
{
    const uint lane = threadIndex() % kLanes;
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        float sum = 0;
        UNROLL for (uint i = 0; i < kOwnPairs; ++i)
            UNROLL for (uint h = 0; h < 2; ++h)
                if ((2 * (i * kLanes + lane) + h) % kSlots == m)
                    sum += sums[i][h];
        sum = subgroupAdd(sum);
        if (subgroupElect()) {
            levelOf[gl_SubgroupID * kSlots + m] = level[m];
            sumOf[gl_SubgroupID * kSlots + m] = sum;
        }
    }
}

const uint kSumPitch = (kValueDim + 3) / 4 * 4; // floats of a team's sums of a slot

/// The teams' sums of slots [begin, begin + step), to shared memory.
void shareSums(uint begin, uint step)
{
    const uint lane = threadIndex() % kLanes, team = threadIndex() / kLanes;
    UNROLL for (uint m = 0; m < kSlots; ++m) // not from begin: m must be a constant
        if (m >= begin && m < begin + step)
            UNROLL for (uint i = 0; i < kValueChunks; ++i) {
                const uint channel = 8 * (i * kLanes + lane);
                const uint to = (((m - begin) * kTeams + team) * kSumPitch + channel) / 2;
                if (channel < kSumPitch) {
                    scratch[to] = sumLow[m * kValueChunks + i].xy;
                    scratch[to + 1] = sumLow[m * kValueChunks + i].zw;
                }
                if (channel + 4 < kSumPitch) {
                    scratch[to + 2] = sumHigh[m * kValueChunks + i].xy;
                    scratch[to + 3] = sumHigh[m * kValueChunks + i].zw;
                }
            }
}

/// Channels 4·four … of a slot, summed over teams: to the output, or to the partial results of a split.
void reduceTeams(uint m, uint inStep, uint four)
{
    const uint teamsOfSubgroup = gl_SubgroupSize / kLanes;
    float top = kNoLevel, sum = 0;
    for (uint s = 0; s < gl_NumSubgroups; ++s)
        top = max(top, levelOf[s * kSlots + m]);
    vec4 value = vec4(0);
    for (uint s = 0; s < gl_NumSubgroups; ++s) {
        const float weight = exp2OrZero(levelOf[s * kSlots + m] - top);
        sum += weight * sumOf[s * kSlots + m];
        for (uint t = s * teamsOfSubgroup; t < (s + 1) * teamsOfSubgroup; ++t)
            value += weight * scratchFour((inStep * kTeams + t) * kSumPitch + 4 * four);
    }
    const uint slot = tile.firstSlot + m, row = rowOf(slot), head = headOf(slot);
    const float largest = top / kLog2E;
    if (has(kSplit)) {
        const uint partial = partialIndex(row, head, gl_WorkGroupID.x);
        storePartialFour(partial, four, value);
        if (four == 0)
            storePartialStats(partial, largest, sum);
    } else {
        storeResult(row, head, four, value * finalScale(head, largest, sum));
    }
}

void main()
{
    if (has(kNewHeads))
        newHeads = NewHeads(push.v).v[0]; // loaded together with the item's tables
    const uint item = push.first + gl_WorkGroupID.z;
    if (!findTile(item))
        return;
    // The newest key is not in the cache yet.
    const bool newest = has(kNewHeads) && tile.range.y == tile.view.keys;
    if (newest)
        --tile.range.y;
    if (has(kNewHeads))
        newPosition = Uints(newHeads.positions).v[tile.view.firstRow]; // before the keys

    clearSums();

    // Registers are loaded for the next block as soon as this one has used them.
    const uint rounds = (max(tile.range.y, tile.range.x) - tile.range.x + kBlock - 1) / kBlock;
    [[dont_unroll]] for (uint round = 0; round <= rounds; ++round) {
        const uint next = tile.range.x + round * kBlock, base = next - kBlock;
        if (round > 0)
            multiplyKeys();
        if (round < rounds)
            fetchBlockKeys(next, min(kBlock, tile.range.y - next));
        if (round == 0) {
            if (rounds > 0)
                fetchBlockValues(next, min(kBlock, tile.range.y - next));
            prepareQueries(newest);
            continue;
        }
        subgroupMemoryBarrierShared();
        subgroupBarrier();
        const bool above = takeLogits(base, min(kBlock, tile.range.y - base));
        if (subgroupOr(above ? 1u : 0u) != 0)
            raiseLevels();
        makeWeights();
        subgroupMemoryBarrierShared();
        subgroupBarrier();
        addValues();
        if (round < rounds)
            fetchBlockValues(next, min(kBlock, tile.range.y - next));
    }

    storeLevels();
    // As many slots at a time as fit.
    const uint step = min(2 * kScratch / (kTeams * kSumPitch), kSlots), fours = kSumPitch / 4;
    for (uint begin = 0; begin < tile.slots; begin += step) {
        barrier();
        shareSums(begin, step);
        barrier();
        for (uint i = threadIndex(); i < step * fours && begin + i / fours < tile.slots; i += kThreads)
            reduceTeams(begin + i / fours, i / fours, i % fours);
    }
    if (has(kReduceInLast) && isLastOfTile(item, threadIndex()))
        reduceSplits();
}
