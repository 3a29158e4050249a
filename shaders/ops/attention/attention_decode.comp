#version 460
// Attention of few queries: one group takes some slots (a query row and one of the heads that share
// a kv head) over a range of keys. A team of threads holds a row of the cache, eight channels each;
// teams take different keys. Per block of keys: products → shared memory → softmax step, one
// subgroup per slot → weighted sum of values in registers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "shaders/common/attention.glsl"

ATTENTION_DECODE_CONSTANTS(SPECIALISATION)

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
shared uint arrived;

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

/// The thread's part of `count` keys from `base` on, without branches: what is beyond them is the
/// last key, whose weight will be zero there.
void fetchBlockKeys(ItemView view, uint base, uint count)
{
    const uint chunk = gl_LocalInvocationID.x % kChunks, team = gl_LocalInvocationID.x / kChunks;
    const uvec2 block = addProduct(view.keyBase, base, view.keyBytes);
    UNROLL for (uint j = 0; j < kKeysPerThread; ++j) {
        const uint key = min(j * kTeams + team, count - 1);
        keys[j] = fetchChunk(addBytes(block, key * view.keyBytes), kKeyType, kKeyStep, kHeadDim,
                             chunk * 8);
    }
}
void fetchBlockValues(ItemView view, uint base, uint count)
{
    const uint chunk = gl_LocalInvocationID.x % kValueChunks;
    const uint team = gl_LocalInvocationID.x / kValueChunks;
    const uvec2 block = addProduct(view.valueBase, base, view.valueBytes);
    UNROLL for (uint j = 0; j < kValuesPerThread; ++j) {
        const uint key = min(j * kValueTeams + team, count - 1);
        values[j] = fetchChunk(addBytes(block, key * view.valueBytes), kValueType, kValueStep,
                               has(kLatent) ? kHeadDim : kValueDim, chunk * 8);
    }
}

/// By the last group of the tile: partial results of its slots become the output.
void joinSplits(ItemView view, uint kvHead, uint firstSlot, uint slots, uint used)
{
    const uint thread = gl_LocalInvocationID.x;
    // In `products`: [slot, split] of largest logits, later weights, and behind them of sums.
    for (uint i = thread; i < slots * used; i += kThreads) {
        const uint slot = firstSlot + i / used;
        const vec2 stats = loadPartialStats(
            partialIndex(view.firstRow + slot / kGroup, kvHead * kGroup + slot % kGroup, i % used));
        products[i] = stats.x;
        products[kSlots * kMaxJoined + i] = stats.y;
    }
    barrier();
    for (uint m = thread; m < slots; m += kThreads) {
        float top = kHidden, sum = 0;
        for (uint s = 0; s < used; ++s)
            top = max(top, products[m * used + s]);
        for (uint s = 0; s < used; ++s) {
            const float weight = decay(products[m * used + s] - top);
            products[m * used + s] = weight;
            sum += weight * products[kSlots * kMaxJoined + m * used + s];
        }
        shrink[m] = finalScale(kvHead * kGroup + (firstSlot + m) % kGroup, top, sum);
    }
    barrier();
    const uint fours = (kValueDim + 3) / 4;
    for (uint i = thread; i < slots * fours; i += kThreads) {
        const uint m = i / fours, four = i % fours, slot = firstSlot + m;
        const uint row = view.firstRow + slot / kGroup, head = kvHead * kGroup + slot % kGroup;
        const uint first = partialIndex(row, head, 0);
        vec4 value = vec4(0);
        for (uint s = 0; s < used; s += 4) { // four loads at a time
            vec4 parts[4];
            UNROLL for (uint j = 0; j < 4; ++j)
                parts[j] = loadPartial(first + min(s + j, used - 1), four);
            UNROLL for (uint j = 0; j < 4; ++j)
                if (s + j < used)
                    value += products[m * used + s + j] * parts[j];
        }
        storeFour(row, head, four, value * shrink[m]);
    }
}

void main()
{
    const uint thread = gl_LocalInvocationID.x;
    const uint tiles = gl_NumWorkGroups.y / kKvHeads;
    const uint kvHead = gl_WorkGroupID.y / tiles;
    const uint firstSlot = (gl_WorkGroupID.y - kvHead * tiles) * kSlots;
    const ItemView view = viewItem(push.first + gl_WorkGroupID.z, kvHead);
    if (view.rows == 0 || !takesPart(view.rows))
        return;
    const uint allSlots = view.rows * kGroup;
    if (firstSlot >= allSlots)
        return;
    uint used;
    uvec2 range = splitKeys(view, gl_WorkGroupID.x, used);
    if (gl_WorkGroupID.x >= used)
        return; // a part without keys; the joining dispatch leaves it out too
    const uint lastSlot = min(firstSlot + kSlots, allSlots) - 1;
    range.x = max(range.x, seenKeys(view, firstSlot / kGroup).x);
    range.y = min(range.y, seenKeys(view, lastSlot / kGroup).y);

    const uint chunk = thread % kChunks, team = thread / kChunks;
    const uint valueChunk = thread % kValueChunks, valueTeam = thread / kValueChunks;
    vec4 queryLow[kSlots], queryHigh[kSlots];
    vec4 sumLow[kSlots], sumHigh[kSlots];
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        queryLow[m] = queryHigh[m] = sumLow[m] = sumHigh[m] = vec4(0);
        const uint slot = firstSlot + m;
        if (slot < allSlots && team < kTeams) {
            const uint head = kvHead * kGroup + slot % kGroup;
            const uint from = (view.firstRow + slot / kGroup) * push.qStride + head * kHeadDim;
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
    if (thread < kSlots) {
        largest[thread] = kHidden;
        sums[thread] = 0;
    }
    barrier();

    // What a block has used is loaded for the next at once, while the rest goes on.
    if (range.x < range.y) {
        const uint count = min(kBlock, range.y - range.x);
        fetchBlockKeys(view, range.x, count);
        fetchBlockValues(view, range.x, count);
    }
    for (uint base = range.x; base < range.y; base += kBlock) {
        const uint count = min(kBlock, range.y - base);
        const uint next = base + kBlock;
        if (kTeams * kChunks == kThreads || team < kTeams) {
            UNROLL for (uint j = 0; j < kKeysPerThread; ++j) {
                const vec4 low = lowChannels(keys[j], kKeyType);
                const vec4 high = highChannels(keys[j], kKeyType);
                UNROLL for (uint m = 0; m < kSlots; ++m)
                    products[(m * kChunks + chunk) * kPitch + j * kTeams + team] =
                        dot(queryLow[m], low) + dot(queryHigh[m], high);
            }
        }
        if (next < range.y)
            fetchBlockKeys(view, next, min(kBlock, range.y - next));
        barrier();

        for (uint m = gl_SubgroupID; m < kSlots; m += gl_NumSubgroups) {
            const uint slot = min(firstSlot + m, allSlots - 1);
            const uint at = view.past + slot / kGroup;
            const uvec2 seen = seenKeys(view, slot / kGroup);
            const float slope = slopeOf(kvHead * kGroup + slot % kGroup);
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
        barrier();

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
        if (next < range.y)
            fetchBlockValues(view, next, min(kBlock, range.y - next));
    }

    // The teams' sums of as many slots at a time as fit.
    for (uint begin = 0; begin < kSlots; begin += kSumSlots) {
        barrier();
        UNROLL for (uint m = 0; m < kSlots; ++m) // not from begin: m must be a constant
            if (m >= begin && m < begin + kSumSlots && valueTeam < kValueTeams) {
                const uint to = ((m - begin) * kValueTeams + valueTeam) * kSumPitch + valueChunk * 8;
                UNROLL for (uint i = 0; i < 4; ++i) {
                    products[to + i] = sumLow[m][i];
                    products[to + 4 + i] = sumHigh[m][i];
                }
            }
        barrier();
        for (uint i = thread; i < kSumSlots * kValueDim; i += kThreads) {
            const uint m = begin + i / kValueDim, c = i % kValueDim, slot = firstSlot + m;
            if (m >= kSlots || slot >= allSlots)
                break;
            float value = 0;
            for (uint t = 0; t < kValueTeams; ++t)
                value += products[((m - begin) * kValueTeams + t) * kSumPitch + c];
            const uint row = view.firstRow + slot / kGroup;
            const uint head = kvHead * kGroup + slot % kGroup;
            if (has(kSplit))
                storePartial(partialIndex(row, head, gl_WorkGroupID.x), c, value);
            else
                storeActivation(push.out_, has(kOutHalf),
                                row * push.outStride + head * kValueDim + c,
                                value * finalScale(head, largest[m], sums[m]));
        }
    }
    if (has(kSplit) && thread <= lastSlot - firstSlot) {
        const uint slot = firstSlot + thread;
        storePartialStats(partialIndex(view.firstRow + slot / kGroup,
                                       kvHead * kGroup + slot % kGroup, gl_WorkGroupID.x),
                          largest[thread], sums[thread]);
    }
    if (!has(kJoinLast))
        return;
    memoryBarrierBuffer();
    barrier();
    if (thread == 0) {
        const uint counter =
            (push.first + gl_WorkGroupID.z) * gl_NumWorkGroups.y + gl_WorkGroupID.y;
        arrived = atomicAdd(Uints(push.counters).v[counter], 1) + 1;
        if (arrived == used)
            atomicExchange(Uints(push.counters).v[counter], 0); // ready for the next dispatch
    }
    barrier();
    if (arrived != used)
        return;
    memoryBarrierBuffer();
    joinSplits(view, kvHead, firstSlot, lastSlot + 1 - firstSlot, used);
}
