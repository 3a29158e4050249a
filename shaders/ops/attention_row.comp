#version 460
// Attention of items of one row each, straight from the products that gave its heads: a group takes
// kSlots of the heads that share a kv head, turns them and the newest key, and goes over a range of
// keys. A team of threads holds a row of the cache, eight channels a thread at a time; each team has
// a softmax of its own until teams join, at the end, and after them the groups of a split range.
//
// A launch is short next to what it takes to fetch its code and to wait for memory. So everything
// that is read before the keys is asked for at once, with addresses from the push block as far as
// they fit, and there is one copy of the code for a block of keys.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shaders/common/attention_logits.glsl"
#include "shaders/common/cache.glsl"
#include "shaders/common/integer_row.glsl"
#include "shaders/common/pass_tables.glsl"
#include "shaders/common/rows.glsl"
#include "shaders/ops/attention_row.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 8) const uint kThreads = 256; // as constant 0
layout(constant_id = 9) const uint kSlots = 1;     // divides kGroup
layout(constant_id = 10) const uint kKeysEach = 8; // of a team at a time
layout(constant_id = 11) const uint kLanes = 16;   // of a team: a power of two, at most a subgroup
layout(constant_id = 17) const uint kParts = 8; // that meet in shared memory: the most subgroups

layout(push_constant, scalar) uniform Push { AttentionRowPush push; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer RowHeads
{
    AttentionRowHeads v[];
};
// Written and read by different groups of a launch.
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer PartialFours
{
    vec4 v[];
};

const uint kTeams = kThreads / kLanes;
const uint kBlock = kTeams * kKeysEach; // keys of a group at a time
const uint kChunks = (kHeadDim + 8 * kLanes - 1) / (8 * kLanes); // of a thread, of a key
const uint kValueChunks = (kValueDim + 8 * kLanes - 1) / (8 * kLanes);
const uint kFours = kValueDim / 4, kHeadFours = kHeadDim / 4;
const bool kPlain = (kFlags & (kSoftcap | kSlopes)) == 0; // a logit is a score times the scale
const float kLog2E = 1.4426950408889634;
const float kNoLevel = -1e30; // before the first score, in units of log2

shared vec4 room[kParts * kSlots * kFours];    // sums of subgroups
shared float levelOf[kParts * kSlots], sumOf[kParts * kSlots];
shared uint arrived;

/// The largest level, when subgroups have left theirs.
float topOf(uint m)
{
    float top = kNoLevel;
    for (uint s = 0; s < gl_NumSubgroups; ++s)
        top = max(top, levelOf[s * kSlots + m]);
    return top;
}

CacheChunk keys[kKeysEach * kChunks], values[kKeysEach * kValueChunks];
vec4 queryLow[kSlots * kChunks], queryHigh[kSlots * kChunks]; // scaled
vec4 sumLow[kSlots * kValueChunks], sumHigh[kSlots * kValueChunks];
// Of a slot: the largest logit of the team, which weights are relative to, and their sum.
float level[kSlots], sum[kSlots];
float scores[kKeysEach * kSlots]; // of a block: the thread's parts of products

uint threadIndex()
{
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}
uint laneIndex()
{
    return threadIndex() % kLanes;
}
uint teamIndex()
{
    return threadIndex() / kLanes;
}
float overTeam(float x)
{
    UNROLL for (uint o = kLanes / 2; o > 0; o /= 2)
        x += subgroupShuffleXor(x, o);
    return x;
}
float exp2OrZero(float x) // NaN stays NaN
{
    return x < -126 ? 0 : exp2(x);
}

/// Eight channels of a row as the cache holds them; channels is a multiple of 8.
CacheChunk storedChunk(vec4 low, vec4 high, uint type)
{
    return type == kCacheF16
               ? CacheChunk(uvec4(packHalf2x16(low.xy), packHalf2x16(low.zw),
                                  packHalf2x16(high.xy), packHalf2x16(high.zw)),
                            uvec4(0))
               : CacheChunk(floatBitsToUint(low), floatBitsToUint(high));
}
uint unitAt(uint row, uint type, uint channels, uint channel) // of 16 bytes
{
    const uint each = type == kCacheF16 ? 8 : 4;
    return row * (channels / each) + channel / each;
}
CacheChunk fetchUnits(uvec2 rows, uint row, uint type, uint channels, uint channel)
{
    CacheChunk chunk = kNoChunk;
    if (channels % (8 * kLanes) == 0 || channel < channels) {
        const uint at = unitAt(row, type, channels, channel);
        chunk.a = Uints4(rows).v[at];
        if (type == kCacheF32)
            chunk.b = Uints4(rows).v[at + 1];
    }
    return chunk;
}
void storeUnits(uvec2 rows, uint row, uint type, uint channels, uint channel, CacheChunk chunk)
{
    if (channel < channels) {
        const uint at = unitAt(row, type, channels, channel);
        Uints4(rows).v[at] = chunk.a;
        if (type == kCacheF32)
            Uints4(rows).v[at + 1] = chunk.b;
    }
}

/// The thread's part of keys from `base` on, without branches: beyond the last it is the last, whose
/// weight will be zero there.
void fetchKeys(uvec2 rows, uint firstRow, uint base, uint last)
{
    UNROLL for (uint j = 0; j < kKeysEach; ++j) {
        const uint row = firstRow + min(base + j * kTeams + teamIndex(), last);
        UNROLL for (uint i = 0; i < kChunks; ++i)
            keys[j * kChunks + i] =
                fetchUnits(rows, row, kKeyType, kHeadDim, 8 * (i * kLanes + laneIndex()));
    }
}
void fetchValues(uvec2 rows, uint firstRow, uint base, uint last)
{
    UNROLL for (uint j = 0; j < kKeysEach; ++j) {
        const uint row = firstRow + min(base + j * kTeams + teamIndex(), last);
        UNROLL for (uint i = 0; i < kValueChunks; ++i)
            values[j * kValueChunks + i] =
                fetchUnits(rows, row, kValueType, kValueDim, 8 * (i * kLanes + laneIndex()));
    }
}

#include "shaders/common/row_heads.glsl"

float slopeOf(AttentionRowHeads heads, uint head)
{
    return has(kSlopes) ? Floats(heads.slopes).v[head] : 0;
}

/// Channels 4 · four … of the result; `largest` in units of log2. Four neighbouring threads have a
/// block of integers.
void storeResult(AttentionRowHeads heads, uint row, uint head, uint four, vec4 sums, float largest,
                 float weights)
{
    const float sink = has(kSinks) ? Floats(heads.sinks).v[head] : 0;
    const vec4 value = sums * finalScale(largest / kLog2E, weights, sink);
    const uint bytes = has(kOutHalf) ? 2 : 4;
    storeUnit(addBytes(rowAddress(push.out_, row, push.outStride * bytes),
                       head * kValueDim * bytes),
              has(kOutHalf), true, four, value);
    if (has(kIntegerRows)) {
        const uint cols = kHeads * kValueDim;
        storeIntegers(addUnits256(push.integerRows, row * (integerRowBytes(cols) / 256)), cols,
                      head * kFours + four, value, value);
    }
}

/// The first team begins with the newest key, whose weight is 1, and brings it to the cache.
void beginWithNewest(AttentionRowHeads heads, PassCache cache, uint row, uint head, uint past,
                     uint cacheRow, bool newest)
{
    const uint kvHead = head / kGroup;
    const bool mine = newest && teamIndex() == 0;
    const bool stores = mine && head % kGroup == 0;
    const uint valueFrom = row * push.vStride + kvHead * kValueDim;
    UNROLL for (uint i = 0; i < kValueChunks; ++i) {
        const uint channel = 8 * (i * kLanes + laneIndex());
        vec4 low = vec4(0), high = vec4(0);
        if (kValueDim % (8 * kLanes) == 0 || channel < kValueDim) {
            low = loadFour(push.v, headsHave(kValuesHalf), valueFrom + channel);
            high = loadFour(push.v, headsHave(kValuesHalf), valueFrom + channel + 4);
        }
        const CacheChunk chunk = storedChunk(low, high, kValueType);
        if (stores)
            storeUnits(cache.values, cacheRow, kValueType, kValueDim, channel, chunk);
        UNROLL for (uint m = 0; m < kSlots; ++m) {
            sumLow[m * kValueChunks + i] = mine ? lowChannels(chunk, kValueType) : vec4(0);
            sumHigh[m * kValueChunks + i] = mine ? highChannels(chunk, kValueType) : vec4(0);
        }
    }

    float queryScale[kSlots], keyScale = 1;
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        queryScale[m] = kPlain ? push.scale * kLog2E : push.scale;
        if (headsHave(kQueriesNormed))
            queryScale[m] *= normFactor(push.q, headsHave(kQueriesHalf),
                                        row * push.qStride + (head + m) * kHeadDim, heads.qEps);
    }
    if (headsHave(kKeysNormed))
        keyScale = normFactor(push.k, headsHave(kKeysHalf), row * push.kStride + kvHead * kHeadDim,
                              heads.kEps);
    barrier(); // `turned` is there
    UNROLL for (uint m = 0; m < kSlots; ++m)
        level[m] = 0;
    UNROLL for (uint i = 0; i < kChunks; ++i) {
        const uint channel = 8 * (i * kLanes + laneIndex()), four = channel / 4;
        const bool there = kHeadDim % (8 * kLanes) == 0 || channel < kHeadDim;
        CacheChunk chunk = kNoChunk;
        if (there)
            chunk = storedChunk(turned[kSlots * kHeadFours + four] * keyScale,
                                turned[kSlots * kHeadFours + four + 1] * keyScale, kKeyType);
        if (stores)
            storeUnits(cache.keys, cacheRow, kKeyType, kHeadDim, channel, chunk);
        const vec4 low = lowChannels(chunk, kKeyType), high = highChannels(chunk, kKeyType);
        UNROLL for (uint m = 0; m < kSlots; ++m) {
            const uint at = m * kChunks + i;
            queryLow[at] = queryHigh[at] = vec4(0);
            if (there) {
                queryLow[at] = turned[m * kHeadFours + four] * queryScale[m];
                queryHigh[at] = turned[m * kHeadFours + four + 1] * queryScale[m];
            }
            level[m] += dot(queryLow[at], low) + dot(queryHigh[at], high);
        }
    }
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        level[m] = overTeam(level[m]);
        if (!kPlain)
            level[m] = kLog2E * logitOf(level[m], push.softcap, slopeOf(heads, head + m), past, past);
        level[m] = mine ? level[m] : kNoLevel;
        sum[m] = mine ? 1 : 0;
    }
}

/// What follows from the products with keys from `base` on, of the range that ends at `end`.
void takeBlock(AttentionRowHeads heads, uint head, uint past, uint base, uint end)
{
    UNROLL for (uint o = kLanes / 2; o > 0; o /= 2)
        UNROLL for (uint j = 0; j < kKeysEach * kSlots; ++j)
            scores[j] += subgroupShuffleXor(scores[j], o);
    const uint first = base + teamIndex();
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        float top = level[m];
        UNROLL for (uint j = 0; j < kKeysEach; ++j) {
            const uint key = first + j * kTeams, at = j * kSlots + m;
            if (!kPlain)
                scores[at] = kLog2E * logitOf(scores[at], push.softcap, slopeOf(heads, head + m),
                                              past, key);
            if (key < end)
                top = max(top, scores[at]);
        }
        const float shrink = exp2OrZero(level[m] - top);
        level[m] = top;
        sum[m] *= shrink;
        UNROLL for (uint i = 0; i < kValueChunks; ++i) {
            sumLow[m * kValueChunks + i] *= shrink;
            sumHigh[m * kValueChunks + i] *= shrink;
        }
    }
    UNROLL for (uint j = 0; j < kKeysEach; ++j) {
        float weight[kSlots];
        UNROLL for (uint m = 0; m < kSlots; ++m) {
            const float score = scores[j * kSlots + m];
            weight[m] = first + j * kTeams < end ? exp2OrZero(score - level[m]) : 0;
            sum[m] += weight[m];
        }
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

/// The sums of all teams meet in `room` and `sumOf`, those of a subgroup as one, each times what
/// its level, now in `levelOf`, is away from the largest.
void joinTeams()
{
    const bool first = gl_SubgroupInvocationID < kLanes; // of the subgroup's teams
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        float top = level[m];
        for (uint o = kLanes; o < gl_SubgroupSize; o *= 2)
            top = max(top, subgroupShuffleXor(top, o));
        const float shrink = exp2OrZero(level[m] - top);
        level[m] = top;
        sum[m] *= shrink;
        UNROLL for (uint i = m * kValueChunks; i < (m + 1) * kValueChunks; ++i) {
            sumLow[i] *= shrink;
            sumHigh[i] *= shrink;
        }
        if (first && laneIndex() == 0)
            levelOf[gl_SubgroupID * kSlots + m] = top;
    }
    for (uint o = kLanes; o < gl_SubgroupSize; o *= 2)
        UNROLL for (uint m = 0; m < kSlots; ++m) {
            sum[m] += subgroupShuffleXor(sum[m], o);
            UNROLL for (uint i = m * kValueChunks; i < (m + 1) * kValueChunks; ++i) {
                sumLow[i] += subgroupShuffleXor(sumLow[i], o);
                sumHigh[i] += subgroupShuffleXor(sumHigh[i], o);
            }
        }
    barrier();
    UNROLL for (uint m = 0; m < kSlots; ++m) {
        const float shrink = exp2OrZero(level[m] - topOf(m));
        const uint to = gl_SubgroupID * kSlots + m;
        UNROLL for (uint i = 0; i < kValueChunks; ++i) {
            const uint channel = 8 * (i * kLanes + laneIndex());
            if (first && (kValueDim % (8 * kLanes) == 0 || channel < kValueDim)) {
                room[to * kFours + channel / 4] = sumLow[m * kValueChunks + i] * shrink;
                room[to * kFours + channel / 4 + 1] = sumHigh[m * kValueChunks + i] * shrink;
            }
        }
        if (first && laneIndex() == 0)
            sumOf[to] = sum[m] * shrink;
    }
    barrier();
}

/// By the last group of a tile: partial results become the output.
void joinSplits(AttentionRowHeads heads, uint row, uint head, uint used)
{
    for (uint i = threadIndex(); i < kSlots * kFours; i += kThreads) {
        const uint its = head + i / kFours, four = i % kFours;
        const uint from = (row * kHeads + its) * push.splits;
        float top = kNoLevel, weights = 0;
        vec4 value = vec4(0);
        for (uint s = 0; s < used; s += 8) { // eight loads at a time
            vec4 parts[8], stats[8];
            UNROLL for (uint j = 0; j < 8; ++j) {
                const uint at = (from + min(s + j, used - 1)) * (kFours + 1);
                parts[j] = PartialFours(push.partials).v[at + four];
                stats[j] = PartialFours(push.partials).v[at + kFours];
            }
            const float before = top;
            UNROLL for (uint j = 0; j < 8; ++j)
                top = max(top, stats[j].x);
            const float shrink = exp2OrZero(before - top);
            value *= shrink;
            weights *= shrink;
            UNROLL for (uint j = 0; j < 8; ++j) {
                const float weight = s + j < used ? exp2OrZero(stats[j].x - top) : 0;
                value += weight * parts[j];
                weights += weight * stats[j].y;
            }
        }
        storeResult(heads, row, its, four, value, top, weights);
    }
}

void main()
{
    const uint head = gl_WorkGroupID.y * kSlots, kvHead = head / kGroup;
    const uint row = push.first + gl_WorkGroupID.z;
    const AttentionRowHeads heads = RowHeads(push.heads).v[0];
    const PassItem item = PassItems(push.items).v[row];
    const PassCache cache = PassCaches(push.caches).v[row];
    const uint position = Uints(push.positions).v[row];
    const uint past = item.past, firstRow = kvHead * item.capacity;

    // Keys [begin, end) of the group. The newest is not in the cache yet; the last group has it.
    uint begin = 0, end = past, used = 1;
    if (push.window > 0) {
        const uint reach = has(kCausal) ? push.window - 1 : push.window / 2;
        begin = past > reach ? past - reach : 0;
    }
    if (has(kSplit)) {
        const uint total = past + 1 - begin, each = (total + push.splits - 1) / push.splits;
        const uint part = (each + kSplitStep - 1) / kSplitStep * kSplitStep;
        used = (total + part - 1) / part;
        if (gl_WorkGroupID.x >= used)
            return;
        begin += gl_WorkGroupID.x * part;
        end = min(begin + part, past);
    }
    const bool newest = gl_WorkGroupID.x + 1 == used;
    if (begin < end) {
        fetchKeys(cache.keys, firstRow, begin, end - 1);
        fetchValues(cache.values, firstRow, begin, end - 1);
    }
    turnHeads(heads, row, head, position);
    beginWithNewest(heads, cache, row, head, past, firstRow + past, newest);

    // What a block has used is loaded for the next at once, while the rest goes on.
    [[dont_unroll]] for (uint base = begin; base < end; base += kBlock) {
        UNROLL for (uint j = 0; j < kKeysEach; ++j) {
            UNROLL for (uint m = 0; m < kSlots; ++m)
                scores[j * kSlots + m] = 0;
            UNROLL for (uint i = 0; i < kChunks; ++i) {
                const vec4 low = lowChannels(keys[j * kChunks + i], kKeyType);
                const vec4 high = highChannels(keys[j * kChunks + i], kKeyType);
                UNROLL for (uint m = 0; m < kSlots; ++m)
                    scores[j * kSlots + m] += dot(queryLow[m * kChunks + i], low) +
                                              dot(queryHigh[m * kChunks + i], high);
            }
        }
        const bool more = base + kBlock < end;
        if (more)
            fetchKeys(cache.keys, firstRow, base + kBlock, end - 1);
        takeBlock(heads, head, past, base, end);
        if (more)
            fetchValues(cache.values, firstRow, base + kBlock, end - 1);
    }

    joinTeams();
    for (uint i = threadIndex(); i < kSlots * kFours; i += kThreads) {
        const uint m = i / kFours, four = i % kFours;
        vec4 value = vec4(0);
        float weights = 0;
        for (uint s = 0; s < gl_NumSubgroups; ++s) {
            value += room[(s * kSlots + m) * kFours + four];
            weights += sumOf[s * kSlots + m];
        }
        if (has(kSplit) && used > 1) {
            const uint part = (row * kHeads + head + m) * push.splits + gl_WorkGroupID.x;
            const uint at = part * (kFours + 1);
            PartialFours(push.partials).v[at + four] = value;
            if (four == 0)
                PartialFours(push.partials).v[at + kFours] = vec4(topOf(m), weights, 0, 0);
        } else {
            storeResult(heads, row, head + m, four, value, topOf(m), weights);
        }
    }
    if (!has(kSplit) || used == 1)
        return;
    memoryBarrierBuffer();
    barrier();
    if (threadIndex() == 0) {
        const uint counter = row * gl_NumWorkGroups.y + gl_WorkGroupID.y;
        arrived = atomicAdd(Uints(push.counters).v[counter], 1) + 1;
        if (arrived == used)
            atomicExchange(Uints(push.counters).v[counter], 0); // ready for the next launch
    }
    barrier();
    if (arrived != used)
        return;
    memoryBarrierBuffer();
    joinSplits(heads, row, head, used);
}
