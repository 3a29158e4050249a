#version 460
// Attention of decode: one query per item, with RoPE, norms and KV append of the new row done here. A
// workgroup takes one query head over a range of keys. A team of kLanes lanes holds one row of the cache
// at a time, eight channels per lane and chunk, and has its own online softmax; teams are reduced at the
// end, then, where keys are split over workgroups, the splits.
//
// A dispatch is short compared with the latency of memory. So loads are issued as soon as their address
// is known, in the order of use: new heads and tables, then frequencies and norms, keys, values.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shaders/common/attention_row.glsl"

ATTENTION_ROW_SCALAR_CONSTANTS(SPECIALISATION)

const uint kTeams = kThreads / kLanes;
const uint kBlock = kTeams * kKeysEach; // keys of a workgroup at a time
const uint kCopies = kLanes / kKeysEach, kOwnKeys = kShared ? 1 : kKeysEach; // of scores
const uint kChunks = (kHeadDim + 8 * kLanes - 1) / (8 * kLanes); // of a thread, of a key
const uint kValueChunks = (kValueDim + 8 * kLanes - 1) / (8 * kLanes);

shared vec4 scratch[kParts * kFours]; // sums of subgroups
shared float levelOf[kParts], sumOf[kParts];

uint subgroupSize()
{
    return kSubgroup > 0 ? kSubgroup : gl_SubgroupSize;
}
uint subgroups()
{
    return kSubgroup > 0 ? kThreads / kSubgroup : gl_NumSubgroups;
}

/// The largest level, when subgroups have left theirs.
float topOf()
{
    float top = kNoLevel;
    UNROLL for (uint s = 0; s < subgroups(); ++s)
        top = max(top, levelOf[s]);
    return top;
}

CacheChunk keys[kKeysEach * kChunks], values[kKeysEach * kValueChunks];
vec4 queryLow[kChunks], queryHigh[kChunks]; // scaled
vec4 sumLow[kValueChunks], sumHigh[kValueChunks];
// The largest logit of the team, which weights are relative to, and their sum, shared out like the
// scores.
float level, sum;
float scores[kKeysEach]; // of a block: the thread's parts of products

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

const uint kRotatedQueries = 1;
#include "shaders/common/row_heads.glsl"

vec4 headChunks[4 * kChunks]; // with norms: channels of each team for itself
vec4 newValues[2 * kValueChunks];

void fetchHeads(uint row, uint head)
{
    fetchPairs(row, head, 0);
    UNROLL for (uint m = 0; m < 2; ++m) {
        if (!headsHave(m == 0 ? kQueriesNormed : kKeysNormed))
            continue;
        const uint from =
            m == 0 ? row * push.qStride + head * kHeadDim
                   : row * push.kStride + head / kGroup * kHeadDim;
        const uvec2 x = m == 0 ? push.q : push.k;
        const bool isHalf = headsHave(m == 0 ? kQueriesHalf : kKeysHalf);
        UNROLL for (uint i = 0; i < kChunks; ++i) {
            const uint channel = 8 * (i * kLanes + laneIndex()), to = 2 * (m * kChunks + i);
            headChunks[to] = headChunks[to + 1] = vec4(0);
            if (kHeadDim % (8 * kLanes) == 0 || channel < kHeadDim) {
                headChunks[to] = loadUnit(x, isHalf, true, (from + channel) / 4);
                headChunks[to + 1] = loadUnit(x, isHalf, true, (from + channel) / 4 + 1);
            }
        }
    }
    const uint valueFrom = row * push.vStride + head / kGroup * kValueDim;
    UNROLL for (uint i = 0; i < kValueChunks; ++i) {
        const uint channel = 8 * (i * kLanes + laneIndex());
        newValues[2 * i] = newValues[2 * i + 1] = vec4(0);
        if (kValueDim % (8 * kLanes) == 0 || channel < kValueDim) {
            const uint four = (valueFrom + channel) / 4;
            newValues[2 * i] = loadUnit(push.v, headsHave(kValuesHalf), true, four);
            newValues[2 * i + 1] = loadUnit(push.v, headsHave(kValuesHalf), true, four + 1);
        }
    }
}

/// 1 / √(mean of squares + eps) of the query (m = 0) or the newest key (1).
float normFactor(uint m, float eps)
{
    float square = 0;
    UNROLL for (uint i = 2 * m * kChunks; i < 2 * (m + 1) * kChunks; ++i)
        square += dot(headChunks[i], headChunks[i]);
    return 1 / sqrt(overTeam(square) / float(kHeadDim) + eps);
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

/// Loads the thread's channels of keys from `base` on. Indices are clamped instead of branched on: beyond
/// the last key it is the last again, with weight 0.
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

/// The softmax of the first team begins with the newest key, whose weight is 1; KV append.
void beginWithNewest(AttentionRowHeads heads, PassCache cache, uint head, uint past, uint cacheRow,
                     bool newest)
{
    const bool mine = newest && teamIndex() == 0;
    const bool stores = mine && head % kGroup == 0;
    UNROLL for (uint i = 0; i < kValueChunks; ++i) {
        const uint channel = 8 * (i * kLanes + laneIndex());
        const CacheChunk chunk = storedChunk(newValues[2 * i], newValues[2 * i + 1], kValueType);
        if (stores)
            storeUnits(cache.values, cacheRow, kValueType, kValueDim, channel, chunk);
        sumLow[i] = mine ? lowChannels(chunk, kValueType) : vec4(0);
        sumHigh[i] = mine ? highChannels(chunk, kValueType) : vec4(0);
    }

    const float queryScale = (kPlain ? push.scale * kLog2E : push.scale) *
                             (headsHave(kQueriesNormed) ? normFactor(0, heads.qEps) : 1);
    const float keyScale = headsHave(kKeysNormed) ? normFactor(1, heads.kEps) : 1;
    barrier(); // `rotated` is written
    level = 0;
    UNROLL for (uint i = 0; i < kChunks; ++i) {
        const uint channel = 8 * (i * kLanes + laneIndex()), four = channel / 4;
        CacheChunk chunk = kNoChunk;
        queryLow[i] = queryHigh[i] = vec4(0);
        if (kHeadDim % (8 * kLanes) == 0 || channel < kHeadDim) {
            queryLow[i] = rotated[four] * queryScale;
            queryHigh[i] = rotated[four + 1] * queryScale;
            chunk = storedChunk(rotated[kHeadFours + four] * keyScale,
                                rotated[kHeadFours + four + 1] * keyScale, kKeyType);
        }
        if (stores)
            storeUnits(cache.keys, cacheRow, kKeyType, kHeadDim, channel, chunk);
        level += dot(queryLow[i], lowChannels(chunk, kKeyType)) +
                 dot(queryHigh[i], highChannels(chunk, kKeyType));
    }
    level = mine ? logit(head, overTeam(level), past, past) : kNoLevel;
    sum = mine && (!kShared || laneIndex() == 0) ? 1 : 0;
}

/// A step of the softmax over the keys from `base` on, up to `end`: scores become weights relative to the
/// team's largest logit so far, sums += weights · values.
void takeBlock(uint head, uint past, uint base, uint end)
{
    const uint lane = laneIndex(), firstOfTeam = gl_SubgroupInvocationID - lane;
    float top = level;
    if (kShared) {
        // Sums over the team, of half as many keys for each thread in each step; in the end kCopies
        // threads have the same key.
        UNROLL for (uint o = kLanes / 2, n = kKeysEach / 2; o > 0; o /= 2, n /= 2) {
            const bool upper = (lane & o) != 0;
            UNROLL for (uint j = 0; j < n; ++j) {
                const float given = upper ? scores[j] : scores[j + n];
                scores[j] = (upper ? scores[j + n] : scores[j]) + subgroupShuffleXor(given, o);
            }
            if (n == 0)
                scores[0] += subgroupShuffleXor(scores[0], o);
        }
    } else {
        UNROLL for (uint o = kLanes / 2; o > 0; o /= 2)
            UNROLL for (uint j = 0; j < kKeysEach; ++j)
                scores[j] += subgroupShuffleXor(scores[j], o);
    }
    UNROLL for (uint j = 0; j < kOwnKeys; ++j) {
        const uint key = base + (kShared ? lane / kCopies : j) * kTeams + teamIndex();
        scores[j] = key < end ? logit(head, scores[j], past, key) : kUnseen;
        top = max(top, scores[j]);
    }
    if (kShared)
        UNROLL for (uint o = kLanes / 2; o >= kCopies; o /= 2)
            top = max(top, subgroupShuffleXor(top, o));
    const float shrink = exp2OrZero(level - top);
    level = top;
    sum *= shrink;
    UNROLL for (uint i = 0; i < kValueChunks; ++i) {
        sumLow[i] *= shrink;
        sumHigh[i] *= shrink;
    }
    UNROLL for (uint j = 0; j < kOwnKeys; ++j) {
        scores[j] = exp2OrZero(scores[j] - top);
        sum += !kShared || lane % kCopies == 0 ? scores[j] : 0;
    }
    UNROLL for (uint j = 0; j < kKeysEach; ++j) {
        const float weight =
            kShared ? subgroupShuffle(scores[0], firstOfTeam + j * kCopies) : scores[j];
        UNROLL for (uint i = 0; i < kValueChunks; ++i) {
            sumLow[i] += weight * lowChannels(values[j * kValueChunks + i], kValueType);
            sumHigh[i] += weight * highChannels(values[j * kValueChunks + i], kValueType);
        }
    }
}

/// Reduces the teams of a subgroup with shuffles; leaves the sums of subgroups in `scratch` and `sumOf`,
/// scaled to the largest level of the workgroup, and their levels in `levelOf`.
void reduceTeams()
{
    const bool first = gl_SubgroupInvocationID < kLanes; // of the subgroup's teams
    float top = level;
    UNROLL for (uint o = kLanes; o < subgroupSize(); o *= 2)
        top = max(top, subgroupShuffleXor(top, o));
    const float shrink = exp2OrZero(level - top);
    sum = kShared ? overTeam(sum * shrink) : sum * shrink;
    UNROLL for (uint i = 0; i < kValueChunks; ++i) {
        sumLow[i] *= shrink;
        sumHigh[i] *= shrink;
    }
    UNROLL for (uint o = kLanes; o < subgroupSize(); o *= 2) {
        sum += subgroupShuffleXor(sum, o);
        UNROLL for (uint i = 0; i < kValueChunks; ++i) {
            sumLow[i] += subgroupShuffleXor(sumLow[i], o);
            sumHigh[i] += subgroupShuffleXor(sumHigh[i], o);
        }
    }
    if (gl_SubgroupInvocationID == 0)
        levelOf[gl_SubgroupID] = top;
    barrier();
    const float last = exp2OrZero(top - topOf());
    UNROLL for (uint i = 0; i < kValueChunks; ++i) {
        const uint channel = 8 * (i * kLanes + laneIndex());
        const uint to = gl_SubgroupID * kFours + channel / 4;
        if (first && (kValueDim % (8 * kLanes) == 0 || channel < kValueDim)) {
            scratch[to] = sumLow[i] * last;
            scratch[to + 1] = sumHigh[i] * last;
        }
    }
    if (gl_SubgroupInvocationID == 0)
        sumOf[gl_SubgroupID] = sum * last;
    barrier();
}

/// Keys [x, y) of the workgroup, without the newest, which is not in the cache yet; `used` splits have
/// any key.
uvec2 rangeOf(uint past, out uint used)
{
    uint begin = 0, end = past;
    used = 1;
    if (push.window > 0) {
        const uint reach = has(kChunked)   ? past % push.window
                           : has(kCausal) ? push.window - 1
                                          : push.window / 2;
        begin = past > reach ? past - reach : 0;
    }
    if (has(kSplit)) {
        const uint total = past + 1 - begin, each = (total + push.splits - 1) / push.splits;
        const uint part = (each + kSplitStep - 1) / kSplitStep * kSplitStep;
        used = (total + part - 1) / part;
        begin += gl_WorkGroupID.x * part;
        end = min(begin + part, past);
    }
    return uvec2(begin, end);
}

/// `scores` = the thread's channels of key · query, for the keys of a block.
void multiplyKeys()
{
    UNROLL for (uint j = 0; j < kKeysEach; ++j) {
        scores[j] = 0;
        UNROLL for (uint i = 0; i < kChunks; ++i)
            scores[j] += dot(queryLow[i], lowChannels(keys[j * kChunks + i], kKeyType)) +
                         dot(queryHigh[i], highChannels(keys[j * kChunks + i], kKeyType));
    }
}

/// The result of the workgroup's keys: to the output, or to the partial results of a split.
void storeSums(uint row, uint head, bool split)
{
    for (uint four = threadIndex(); four < kFours; four += kThreads) {
        vec4 value = vec4(0);
        float weights = 0;
        UNROLL for (uint s = 0; s < subgroups(); ++s) {
            value += scratch[s * kFours + four];
            weights += sumOf[s];
        }
        if (split) {
            const uint index = (row * kHeads + head) * push.splits + gl_WorkGroupID.x;
            const uint at = index * (kFours + 1);
            PartialFours(push.partials).v[at + four] = value;
            if (four == 0)
                PartialFours(push.partials).v[at + kFours] = vec4(topOf(), weights, 0, 0);
        } else {
            storeResult(row, head, four, value, topOf(), weights);
        }
    }
}

/// By the last workgroup of a head: the splits' partial results become the output.
void reduceSplits(uint row, uint head, uint used)
{
    memoryBarrierBuffer();
    const uint from = (row * kHeads + head) * push.splits;
    for (uint four = threadIndex(); four < kFours; four += kThreads) {
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
        storeResult(row, head, four, value, top, weights);
    }
}

void main()
{
    const uint head = gl_WorkGroupID.y, kvHead = head / kGroup;
    const uint row = push.first + gl_WorkGroupID.z;
    fetchHeads(row, head);
    const AttentionRowHeads heads = RowHeads(push.heads).v[0];
    const PassItem item = PassItems(push.items).v[row];
    const PassCache cache = PassCaches(push.caches).v[row];
    const uint position = Uints(push.positions).v[row];
    const uint past = item.past, firstRow = kvHead * item.capacity;
    uint used;
    const uvec2 range = rangeOf(past, used);
    if (has(kSplit) && gl_WorkGroupID.x >= used)
        return;
    fetchTurns(heads); // before the keys: loads return in order, and those of keys take longer
    if (range.x < range.y) {
        fetchKeys(cache.keys, firstRow, range.x, range.y - 1);
        fetchValues(cache.values, firstRow, range.x, range.y - 1);
    }
    rotateHeads(heads, position);
    beginWithNewest(heads, cache, head, past, firstRow + past, gl_WorkGroupID.x + 1 == used);

    // Registers are loaded for the next block as soon as this one has used them.
    [[dont_unroll]] for (uint base = range.x; base < range.y; base += kBlock) {
        multiplyKeys();
        const bool more = !kOnce && base + kBlock < range.y;
        if (more)
            fetchKeys(cache.keys, firstRow, base + kBlock, range.y - 1);
        takeBlock(head, past, base, range.y);
        if (more)
            fetchValues(cache.values, firstRow, base + kBlock, range.y - 1);
        if (kOnce)
            break;
    }
    reduceTeams();
    const bool split = has(kSplit) && used > 1;
    storeSums(row, head, split);
    if (split && isLastWorkgroup(push.counters, row * kHeads + head, used, threadIndex()))
        reduceSplits(row, head, used);
}
