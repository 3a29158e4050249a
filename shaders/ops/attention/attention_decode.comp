#version 460
// Attention of few queries, for any head size. A workgroup takes some slots (a query row and one of the
// heads that share a kv head) over a range of keys. A team of kChunks threads holds one row of the cache,
// eight channels each. Per block of keys: products → shared memory → online softmax, one subgroup for
// each slot → weighted sums of values in registers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "shaders/ops/attention/attention.h"

ATTENTION_DECODE_CONSTANTS(SPECIALISATION)
#include "shaders/common/attention_slots.glsl"

const uint kChunks = (kHeadDim + 7) / 8, kTeams = kThreads / kChunks;
const uint kValueChunks = (kValueDim + 7) / 8, kValueTeams = kThreads / kValueChunks;
const uint kBlock = kTeams * kKeysPerThread;
const bool kValuesFit =
    kValueTeams * kValueChunks == kThreads && kValueTeams * kValuesPerThread == kBlock;
const uint kPitch = kBlock + 2; // floats between the products of two chunks
const uint kSumPitch = kValueChunks * 8; // and between the sums of two teams
const uint kSumFit = kShared / (kValueTeams * kSumPitch);
const uint kSumSlots = kSumFit < kSlots ? kSumFit : kSlots;

shared float products[kShared]; // [slot, chunk, key]
shared float weights[kBlock * kSlots];
shared float largest[kSlots], sums[kSlots], shrink[kSlots];

float sumOfProducts(uint slot, uint key)
{
    const uint from = slot * kChunks * kPitch + key;
    vec4 sum = vec4(0); // four loads at a time
    uint c = 0;
    for (; c + 4 <= kChunks; c += 4)
        UNROLL for (uint i = 0; i < 4; ++i)
            sum[i] += products[from + (c + i) * kPitch];
    for (; c < kChunks; ++c)
        sum.x += products[from + c * kPitch];
    return (sum.x + sum.y) + (sum.z + sum.w);
}

CacheChunk keys[kKeysPerThread], values[kValuesPerThread];
vec4 queryLow[kSlots], queryHigh[kSlots]; // scaled
vec4 sumLow[kSlots], sumHigh[kSlots];

/// Loads the thread's channels of `count` keys from `base` on. Indices are clamped instead of branched on:
/// beyond the last key it is the last again, with weight 0.
void fetchBlockKeys(uint base, uint count)
{
    const uint chunk = gl_LocalInvocationID.x % kChunks, team = gl_LocalInvocationID.x / kChunks;
    const uvec2 block = addProduct(tile.view.keyBase, base, tile.view.keyBytes);
    UNROLL for (uint j = 0; j < kKeysPerThread; ++j) {
        const uint key = min(j * kTeams + team, count - 1);
        keys[j] = fetchChunk(addBytes(block, key * tile.view.keyBytes), kKeyType, kKeyStep, kHeadDim,
                             chunk * 8);
    }
}
void fetchBlockValues(uint base, uint count)
{
    const uint chunk = gl_LocalInvocationID.x % kValueChunks;
    const uint team = gl_LocalInvocationID.x / kValueChunks;
    const uvec2 block = addProduct(tile.view.valueBase, base, tile.view.valueBytes);
    UNROLL for (uint j = 0; j < kValuesPerThread; ++j) {
        const uint key = min(j * kValueTeams + team, count - 1);
        values[j] = fetchChunk(addBytes(block, key * tile.view.valueBytes), kValueType, kValueStep,
                               has(kLatent) ? kHeadDim : kValueDim, chunk * 8);
    }
}

void loadQueries()
{
    const uint chunk = gl_LocalInvocationID.x % kChunks, team = gl_LocalInvocationID.x / kChunks;
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        queryLow[m] = queryHigh[m] = sumLow[m] = sumHigh[m] = vec4(0);
        const uint slot = tile.firstSlot + m;
        if (m < tile.slots && team < kTeams) {
            const uint head = headOf(slot);
            const uint from = (rowOf(slot)) * push.qStride + head * kHeadDim;
            UNROLL for (uint i = 0; i < 4; ++i) {
                const uint c = chunk * 8 + i;
                if (c < kHeadDim)
                    queryLow[m][i] = loadActivation(push.q, has(kQueryHalf), from + c) * push.scale;
                if (c + 4 < kHeadDim)
                    queryHigh[m][i] =
                        loadActivation(push.q, has(kQueryHalf), from + c + 4) * push.scale;
            }
        }
    }
}

/// The thread's channels of key · query of a block, to shared memory.
void multiplyKeys()
{
    const uint chunk = gl_LocalInvocationID.x % kChunks, team = gl_LocalInvocationID.x / kChunks;
    if (kTeams * kChunks == kThreads || team < kTeams) {
        UNROLL for (uint j = 0; j < kKeysPerThread; ++j) {
            const vec4 low = lowChannels(keys[j], kKeyType);
            const vec4 high = highChannels(keys[j], kKeyType);
            UNROLL for (uint m = 0; m < kSlots; ++m)
                products[(m * kChunks + chunk) * kPitch + j * kTeams + team] =
                    dot(queryLow[m], low) + dot(queryHigh[m], high);
        }
    }
}

/// A step of the softmax over `count` keys from `base` on, one subgroup for each slot: products become
/// weights relative to the largest logit so far; `shrink` is for the sums so far.
void takeWeights(uint base, uint count)
{
    for (uint m = gl_SubgroupID; m < kSlots; m += gl_NumSubgroups) {
        const uint slot = min(tile.firstSlot + m, tile.firstSlot + tile.slots - 1);
        const uint at = tile.view.past + slot / kGroup;
        const uvec2 seen = seenKeys(tile.view, slot / kGroup);
        const float slope = slopeOf(headOf(slot));
        float top = kHidden;
        for (uint k = gl_SubgroupInvocationID; k < kBlock; k += gl_SubgroupSize) {
            float logit = kHidden;
            const uint key = base + k;
            if (k < count && key >= seen.x && key < seen.y)
                logit = logitOf(sumOfProducts(m, k), slope, at, key);
            weights[k * kSlots + m] = logit;
            top = max(top, logit);
        }
        const float before = largest[m];
        top = max(before, subgroupMax(top));
        float sum = 0;
        for (uint k = gl_SubgroupInvocationID; k < kBlock; k += gl_SubgroupSize) {
            const float logit = weights[k * kSlots + m];
            const float weight = logit == kHidden ? 0 : decay(logit - top);
            weights[k * kSlots + m] = weight;
            sum += weight;
        }
        sum = subgroupAdd(sum);
        if (subgroupElect()) {
            shrink[m] = decay(before - top);
            largest[m] = top;
            sums[m] = sums[m] * shrink[m] + sum;
        }
    }
}

/// Weights times values of a block.
void addValues()
{
    const uint valueTeam = gl_LocalInvocationID.x / kValueChunks;
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        sumLow[m] *= shrink[m];
        sumHigh[m] *= shrink[m];
    }
    UNROLL for (uint j = 0; j < kValuesPerThread; ++j) {
        const uint k = j * kValueTeams + valueTeam;
        if (kValuesFit || k < kBlock) {
            const vec4 low = lowChannels(values[j], kValueType);
            const vec4 high = highChannels(values[j], kValueType);
            UNROLL for (uint m = 0; m < kSlots; ++m) {
                sumLow[m] += weights[k * kSlots + m] * low;
                sumHigh[m] += weights[k * kSlots + m] * high;
            }
        }
    }
}

/// The teams' sums of kSumSlots slots from `begin` on, to shared memory.
void shareSums(uint begin)
{
    const uint valueChunk = gl_LocalInvocationID.x % kValueChunks;
    const uint valueTeam = gl_LocalInvocationID.x / kValueChunks;
    UNROLL for (uint m = 0; m < kSlots; ++m) // not from begin: m must be a constant
        if (m >= begin && m < begin + kSumSlots && valueTeam < kValueTeams) {
            const uint to = ((m - begin) * kValueTeams + valueTeam) * kSumPitch + valueChunk * 8;
            UNROLL for (uint i = 0; i < 4; ++i) {
                products[to + i] = sumLow[m][i];
                products[to + 4 + i] = sumHigh[m][i];
            }
        }
}

/// Their sum: to the output, or to the partial results of a split.
void storeSums(uint begin)
{
    for (uint i = gl_LocalInvocationID.x; i < kSumSlots * kValueDim; i += kThreads) {
        const uint m = begin + i / kValueDim, c = i % kValueDim, slot = tile.firstSlot + m;
        if (m >= tile.slots)
            break;
        float value = 0;
        for (uint t = 0; t < kValueTeams; ++t)
            value += products[((m - begin) * kValueTeams + t) * kSumPitch + c];
        const uint row = rowOf(slot);
        const uint head = headOf(slot);
        if (has(kSplit))
            storePartial(partialIndex(row, head, gl_WorkGroupID.x), c, value);
        else
            storeActivation(push.out_, has(kOutHalf),
                            row * push.outStride + head * kValueDim + c,
                            value * finalScale(head, largest[m], sums[m]));
    }
}

/// By the last workgroup of the tile: partial results of its slots become the output.
void reduceSplits()
{
    memoryBarrierBuffer();
    const uint thread = gl_LocalInvocationID.x;
    // In `products`: [slot, split] of largest logits, later weights, and behind them of sums.
    for (uint i = thread; i < tile.slots * tile.used; i += kThreads) {
        const uint slot = tile.firstSlot + i / tile.used;
        const vec2 stats = loadPartialStats(partialIndex(rowOf(slot), headOf(slot), i % tile.used));
        products[i] = stats.x;
        products[kSlots * kMaxReduced + i] = stats.y;
    }
    barrier();
    for (uint m = thread; m < tile.slots; m += kThreads) {
        float top = kHidden, sum = 0;
        for (uint s = 0; s < tile.used; ++s)
            top = max(top, products[m * tile.used + s]);
        for (uint s = 0; s < tile.used; ++s) {
            const float weight = decay(products[m * tile.used + s] - top);
            products[m * tile.used + s] = weight;
            sum += weight * products[kSlots * kMaxReduced + m * tile.used + s];
        }
        shrink[m] = finalScale(headOf(tile.firstSlot + m), top, sum);
    }
    barrier();
    const uint fours = (kValueDim + 3) / 4;
    for (uint i = thread; i < tile.slots * fours; i += kThreads) {
        const uint m = i / fours, four = i % fours, slot = tile.firstSlot + m;
        const uint row = rowOf(slot), head = headOf(slot);
        const uint first = partialIndex(row, head, 0);
        vec4 value = vec4(0);
        for (uint s = 0; s < tile.used; s += 4) { // four loads at a time
            vec4 parts[4];
            UNROLL for (uint j = 0; j < 4; ++j)
                parts[j] = loadPartial(first + min(s + j, tile.used - 1), four);
            UNROLL for (uint j = 0; j < 4; ++j)
                if (s + j < tile.used)
                    value += products[m * tile.used + s + j] * parts[j];
        }
        storeFour(row, head, four, value * shrink[m]);
    }
}

void main()
{
    const uint thread = gl_LocalInvocationID.x, item = push.first + gl_WorkGroupID.z;
    if (!findTile(item))
        return;
    loadQueries();
    if (thread < kSlots) {
        largest[thread] = kHidden;
        sums[thread] = 0;
    }
    barrier();

    // Registers are loaded for the next block as soon as this one has used them.
    const uvec2 range = tile.range;
    if (range.x < range.y) {
        const uint count = min(kBlock, range.y - range.x);
        fetchBlockKeys(range.x, count);
        fetchBlockValues(range.x, count);
    }
    for (uint base = range.x; base < range.y; base += kBlock) {
        const uint next = base + kBlock;
        multiplyKeys();
        if (next < range.y)
            fetchBlockKeys(next, min(kBlock, range.y - next));
        barrier();
        takeWeights(base, min(kBlock, range.y - base));
        barrier();
        addValues();
        if (next < range.y)
            fetchBlockValues(next, min(kBlock, range.y - next));
    }

    // As many slots at a time as fit.
    for (uint begin = 0; begin < kSlots; begin += kSumSlots) {
        barrier();
        shareSums(begin);
        barrier();
        storeSums(begin);
    }
    if (has(kSplit) && thread < tile.slots) {
        const uint slot = tile.firstSlot + thread;
        storePartialStats(partialIndex(rowOf(slot), headOf(slot), gl_WorkGroupID.x),
                          largest[thread], sums[thread]);
    }
    if (has(kReduceInLast) && isLastOfTile(item, thread))
        reduceSplits();
}
