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

layout(local_size_x_id = 0) in;
layout(constant_id = 10) const uint kThreads = 128; // as constant 0
layout(constant_id = 11) const uint kSlots = 4;
layout(constant_id = 12) const uint kKeysPerThread = 8;
layout(constant_id = 13) const uint kValuesPerThread = 8; // enough for all keys of a block
layout(constant_id = 14) const uint kShared = 4608;       // floats for products and for the last sum

const uint kChunks = (kHeadDim + 7) / 8, kTeams = kThreads / kChunks;
const uint kValueChunks = (kValueDim + 7) / 8, kValueTeams = kThreads / kValueChunks;
const uint kBlock = kTeams * kKeysPerThread;
const uint kPitch = kBlock + 2; // floats between the products of two chunks

shared float products[kShared]; // [slot, chunk, key]
shared float weights[kBlock * kSlots];
shared float largest[kSlots], sums[kSlots], shrink[kSlots];
shared uint arrived;

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
        products[kSlots * kMostJoined + i] = stats.y;
    }
    barrier();
    for (uint m = thread; m < slots; m += kThreads) {
        float top = kHidden, sum = 0;
        for (uint s = 0; s < used; ++s)
            top = max(top, products[m * used + s]);
        for (uint s = 0; s < used; ++s) {
            const float weight = decay(products[m * used + s] - top);
            products[m * used + s] = weight;
            sum += weight * products[kSlots * kMostJoined + m * used + s];
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
            [[unroll]] for (uint j = 0; j < 4; ++j)
                parts[j] = loadPartial(first + min(s + j, used - 1), four);
            [[unroll]] for (uint j = 0; j < 4; ++j)
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
        return; // a part without keys; the joining launch leaves it out too
    const uint lastSlot = min(firstSlot + kSlots, allSlots) - 1;
    range.x = max(range.x, seenKeys(view, firstSlot / kGroup).x);
    range.y = min(range.y, seenKeys(view, lastSlot / kGroup).y);

    const uint chunk = thread % kChunks, team = thread / kChunks;
    const uint valueChunk = thread % kValueChunks, valueTeam = thread / kValueChunks;
    vec4 queryLow[kSlots], queryHigh[kSlots];
    vec4 sumLow[kSlots], sumHigh[kSlots];
    [[unroll]] for (uint m = 0; m < kSlots; ++m) {
        queryLow[m] = queryHigh[m] = sumLow[m] = sumHigh[m] = vec4(0);
        const uint slot = firstSlot + m;
        if (slot < allSlots && team < kTeams) {
            const uint head = kvHead * kGroup + slot % kGroup;
            const uint from = (view.firstRow + slot / kGroup) * push.qStride + head * kHeadDim;
            [[unroll]] for (uint i = 0; i < 4; ++i) {
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

    for (uint base = range.x; base < range.y; base += kBlock) {
        const uint count = min(kBlock, range.y - base);
        CacheChunk keys[kKeysPerThread], values[kValuesPerThread];
        [[unroll]] for (uint j = 0; j < kKeysPerThread; ++j) {
            const uint k = j * kTeams + team;
            keys[j] = kNoChunk;
            if (team < kTeams && k < count)
                keys[j] = fetchKeys(view, base + k, chunk * 8);
        }
        [[unroll]] for (uint j = 0; j < kValuesPerThread; ++j) {
            const uint k = j * kValueTeams + valueTeam;
            values[j] = kNoChunk;
            if (valueTeam < kValueTeams && k < count)
                values[j] = fetchValues(view, base + k, valueChunk * 8);
        }
        if (team < kTeams) {
            [[unroll]] for (uint j = 0; j < kKeysPerThread; ++j) {
                const vec4 low = lowChannels(keys[j], kKeyType);
                const vec4 high = highChannels(keys[j], kKeyType);
                [[unroll]] for (uint m = 0; m < kSlots; ++m)
                    products[(m * kChunks + chunk) * kPitch + j * kTeams + team] =
                        dot(queryLow[m], low) + dot(queryHigh[m], high);
            }
        }
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
                if (k < count && key >= seen.x && key < seen.y) {
                    float score = 0;
                    for (uint c = 0; c < kChunks; ++c)
                        score += products[(m * kChunks + c) * kPitch + k];
                    logit = logitOf(score, slope, at, key);
                }
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

        [[unroll]] for (uint m = 0; m < kSlots; ++m) {
            sumLow[m] *= shrink[m];
            sumHigh[m] *= shrink[m];
        }
        [[unroll]] for (uint j = 0; j < kValuesPerThread; ++j) {
            const uint k = j * kValueTeams + valueTeam;
            if (valueTeam < kValueTeams && k < count) {
                const vec4 low = lowChannels(values[j], kValueType);
                const vec4 high = highChannels(values[j], kValueType);
                [[unroll]] for (uint m = 0; m < kSlots; ++m) {
                    sumLow[m] += weights[k * kSlots + m] * low;
                    sumHigh[m] += weights[k * kSlots + m] * high;
                }
            }
        }
    }

    [[unroll]] for (uint m = 0; m < kSlots; ++m) {
        barrier();
        if (valueTeam < kValueTeams) {
            const uint to = (valueTeam * kValueChunks + valueChunk) * 8;
            [[unroll]] for (uint i = 0; i < 4; ++i) {
                products[to + i] = sumLow[m][i];
                products[to + 4 + i] = sumHigh[m][i];
            }
        }
        barrier();
        const uint slot = firstSlot + m;
        if (slot >= allSlots)
            continue;
        const uint row = view.firstRow + slot / kGroup;
        const uint head = kvHead * kGroup + slot % kGroup;
        const uint partial = partialIndex(row, head, gl_WorkGroupID.x);
        const float scale = has(kSplit) ? 1 : finalScale(head, largest[m], sums[m]);
        for (uint c = thread; c < kValueDim; c += kThreads) {
            float value = 0;
            for (uint t = 0; t < kValueTeams; ++t)
                value += products[t * kValueChunks * 8 + c];
            if (has(kSplit))
                storePartial(partial, c, value);
            else
                storeActivation(push.out_, has(kOutHalf),
                                row * push.outStride + head * kValueDim + c, value * scale);
        }
        if (has(kSplit) && thread == 0)
            storePartialStats(partial, largest[m], sums[m]);
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
            atomicExchange(Uints(push.counters).v[counter], 0); // ready for the next launch
    }
    barrier();
    if (arrived != used)
        return;
    memoryBarrierBuffer();
    joinSplits(view, kvHead, firstSlot, lastSlot + 1 - firstSlot, used);
}
