#version 460
// Attention of decode over long caches in F16: one query per item, with RoPE, norms and KV append of the
// new row done here. A workgroup takes up to eight heads of a kv head over a range of keys, on cooperative
// matrices whose elements lanes fill themselves (matrix_direct.glsl). Each subgroup takes 16 keys at a
// time and has its own online softmax; subgroups are reduced at the end, then the splits.
//
// Keys and values are loaded to registers and from there put into matrices, without shared memory.
// Queries and weights are F32 as two F16 (leading bits, rest): the eight columns of a matrix are four
// heads, two parts each. Lane l, with g = l / 4 and t = l % 4, loads every fourth 16 bytes of keys g and
// g + 8, and every eighth of values 2t, 2t + 8, 2t + 1 and 2t + 9. Of the sums of both products it has
// the elements of head t, both parts.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifndef EMULATE_MATRIX
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#include "shaders/common/attention_row.glsl"

ATTENTION_ROW_MATRIX_CONSTANTS(SPECIALISATION)

// Rows of a cache as arrays of the units that four or eight lanes load together: with the index of a row
// apart from those within, an address takes fewer instructions.
struct KeyUnits { uvec4 v[4]; };
struct ValueUnits { uvec4 v[8]; };
struct KeyRow32 { KeyUnits u[1]; };
struct KeyRow64 { KeyUnits u[2]; };
struct KeyRow128 { KeyUnits u[4]; };
struct ValueRow64 { ValueUnits u[1]; };
struct ValueRow128 { ValueUnits u[2]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer KeyRows32 { KeyRow32 r[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer KeyRows64 { KeyRow64 r[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer KeyRows128 { KeyRow128 r[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ValueRows64 { ValueRow64 r[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ValueRows128 { ValueRow128 r[]; };

const uint kSubgroups = kThreads / 32;
const uint kHeadTiles = (kGroup + kSlots - 1) / kSlots;
const uint kSets = (kSlots + 3) / 4;  // matrices of eight columns
const uint kKeyUnits = kHeadDim / 32; // of a thread, of 16 bytes
const uint kValueUnits = kValueDim / 64;
const uint kStep = 16 * kTiles, kBlock = kSubgroups * kStep; // keys at a time
// In units of log2: the weight of a key at the level; how far above the level a logit may lie until the
// level is raised. Weights stay within F16.
const float kUp = 8, kHeadroom = 7;

const uint kScratch = kSubgroups * 4 * kFours;
shared vec4 scratch[kScratch]; // sums of subgroups, of four heads
shared float levelOf[kSubgroups * 4 * kSets], sumOf[kSubgroups * 4 * kSets];
const uint kStatsEach = (kSplits + 31) / 32;     // splits of a thread, when they are reduced
shared float weightOf[kSlots * 32 * kStatsEach]; // of splits

#define MATRIX_APART
#include "shaders/common/matrix_direct.glsl"

uint threadIndex()
{
    return matrixSubgroup() * 32 + matrixLane();
}
const uint kRotatedQueries = kSlots;
#include "shaders/common/row_heads.glsl"

uvec4 keys[kTiles * 2 * kKeyUnits];     // [tile][key g or g + 8][unit]
uvec4 values[kTiles * 4 * kValueUnits]; // [tile][key][unit]
float scoreFactor[kSets];               // to logits, of products with `parts`
float level[kSets], sum[kSets];         // of head t; the sum of the thread's weights

/// Indices are clamped: beyond the last key it is the last again, with weight 0.
void fetchKeys(uvec2 rows, uint firstRow, uint base, uint last)
{
    const uint g = matrixLane() / 4, t = matrixLane() % 4;
    UNROLL for (uint j = 0; j < 2 * kTiles; ++j) {
        const uint row = firstRow + min(base + j * 8 + g, last);
        UNROLL for (uint u = 0; u < kKeyUnits; ++u)
            keys[j * kKeyUnits + u] = kHeadDim == 128  ? KeyRows128(rows).r[row].u[u].v[t]
                                      : kHeadDim == 64 ? KeyRows64(rows).r[row].u[u].v[t]
                                                       : KeyRows32(rows).r[row].u[u].v[t];
    }
}
void fetchValues(uvec2 rows, uint firstRow, uint base, uint last)
{
    const uint g = matrixLane() / 4, t = matrixLane() % 4;
    UNROLL for (uint j = 0; j < 4 * kTiles; ++j) {
        const uint key = j / 4 * 16 + 2 * t + (j & 1) * 8 + (j & 2) / 2;
        const uint row = firstRow + min(base + key, last);
        UNROLL for (uint u = 0; u < kValueUnits; ++u)
            values[j * kValueUnits + u] = kValueDim == 128 ? ValueRows128(rows).r[row].u[u].v[g]
                                                           : ValueRows64(rows).r[row].u[u].v[g];
    }
}

#include "shaders/common/matrix_queries.glsl"

/// Four channels of a split's sums; with four = kFours its level and its sum of weights.
vec4 partOf(uint from, uint slot, uint split, uint four)
{
    return PartialFours(push.partials).v[(from + slot * kSplits + split) * (kFours + 1) + four];
}
/// By the last workgroup: partial results become the output.
void reduceSplits(uint row, uint firstHead, uint slots, uint used)
{
    memoryBarrierBuffer();
    const uint kAtOnce = 16;
    const uint first = threadIndex(), from = (row * kHeads + firstHead) * kSplits;
    vec4 parts[kAtOnce];
    UNROLL for (uint n = 0; n * kSubgroups < kSlots; ++n) {
        const uint slot = n * kSubgroups + matrixSubgroup();
        vec2 stats[kStatsEach];
        float top = kNoLevel, sum = 0;
        UNROLL for (uint j = 0; j < kStatsEach; ++j) {
            const uint split = min(j * 32 + matrixLane(), used - 1);
            stats[j] = partOf(from, min(slot, slots - 1), split, kFours).xy;
        }
        // The first partial sums are loaded while subgroups compute the weights, each of one head.
        if (n == 0)
            UNROLL for (uint j = 0; j < kAtOnce; ++j)
                parts[j] = partOf(from, min(first / kFours, slots - 1), min(j, used - 1),
                                  first % kFours);
        UNROLL for (uint j = 0; j < kStatsEach; ++j)
            top = max(top, stats[j].x);
        UNROLL for (uint o = 1; o < 32; o *= 2)
            top = max(top, matrixShuffleXor(top, o));
        UNROLL for (uint j = 0; j < kStatsEach; ++j) {
            const uint split = j * 32 + matrixLane();
            const float weight = split < used ? exp2OrZero(stats[j].x - top) : 0;
            if (slot < slots)
                weightOf[slot * 32 * kStatsEach + split] = weight;
            sum += weight * stats[j].y;
        }
        UNROLL for (uint o = 1; o < 32; o *= 2)
            sum += matrixShuffleXor(sum, o);
        if (matrixLane() == 0 && slot < slots) {
            levelOf[slot] = top;
            sumOf[slot] = sum;
        }
    }
    barrier();
    for (uint i = first; i < slots * kFours; i += kThreads) {
        const uint slot = i / kFours, four = i % kFours;
        vec4 value = vec4(0);
        for (uint s = 0; s < used; s += kAtOnce) {
            if (i != first || s != 0)
                UNROLL for (uint j = 0; j < kAtOnce; ++j)
                    parts[j] = partOf(from, slot, min(s + j, used - 1), four);
            UNROLL for (uint j = 0; j < kAtOnce; ++j)
                value += weightOf[slot * 32 * kStatsEach + s + j] * parts[j];
        }
        storeResult(row, firstHead + slot, four, value, levelOf[slot], sumOf[slot]);
    }
}

MatrixB queries[kSets * kKeyUnits * 2];
MatrixSum sums[kSets * kValueUnits * 4]; // [set][unit][two channels]
MatrixSum products[kTiles * kSets * 2];  // keys · queries, in two chains of sums
vec2 logits[kTiles * kSets];             // of keys g and g + 8

/// Keys [x, y) of the workgroup, without the newest, which is not in the cache yet: the last split has
/// it. `total` keys in all, `part` of each split.
uvec2 rangeOf(uint past, out uint part, out uint total)
{
    uint begin = 0, end = past;
    part = 0;
    total = 0;
    if (push.window > 0) {
        const uint reach = has(kChunked)   ? past % push.window
                           : has(kCausal) ? push.window - 1
                                          : push.window / 2;
        begin = past > reach ? past - reach : 0;
    }
    if (has(kSplit)) {
        total = past + 1 - begin;
        part = ((total + kSplits - 1) / kSplits + kSplitStep - 1) / kSplitStep * kSplitStep;
        begin += gl_WorkGroupID.x * part;
        end = min(begin + part, past);
    }
    return uvec2(begin, end);
}

/// Queries to matrices; sums and levels begin with nothing, or with the newest key and its value.
void beginSums(bool hasNewest)
{
    const uint lane = matrixLane(), g = lane / 4, t = lane % 4;
    UNROLL for (uint i = 0; i < kSets * kKeyUnits * 2; ++i) {
        const uvec2 x = parts[i * 32 + lane];
        matrixTakeB(queries[i], x.x, x.y);
    }
    UNROLL for (uint i = 0; i < kSets * kValueUnits * 4; ++i)
        matrixClear(sums[i]);
    UNROLL for (uint s = 0; s < kSets; ++s) {
        scoreFactor[s] = factorOf[min(4 * s + t, kSlots - 1)];
        level[s] = kNoLevel;
        sum[s] = 0;
    }
    if (hasNewest && matrixSubgroup() == 0) // begins with it
        UNROLL for (uint s = 0; s < kSets; ++s) {
            level[s] = newestOf[min(4 * s + t, kSlots - 1)];
            sum[s] = g == 0 ? exp2(kUp) : 0;
            UNROLL for (uint u = 0; u < kValueUnits; ++u) {
                const uvec4 unit = newest[8 * u + g];
                UNROLL for (uint c = 0; c < 4; ++c) {
                    const vec2 x = unpackHalf2x16(unit[c]) * exp2(kUp);
                    const uint i = (s * kValueUnits + u) * 4 + c;
                    matrixElement(sums[i], 0) = x.x;
                    matrixElement(sums[i], 2) = x.y;
                }
            }
        }
}

/// `products` of the keys of a block with the queries.
void multiplyKeys()
{
    UNROLL for (uint i = 0; i < kTiles * kSets * 2; ++i)
        matrixClear(products[i]);
    UNROLL for (uint j = 0; j < kTiles; ++j)
        UNROLL for (uint i = 0; i < 2 * kKeyUnits; ++i) {
            const uvec4 low = keys[2 * j * kKeyUnits + i / 2];
            const uvec4 high = keys[(2 * j + 1) * kKeyUnits + i / 2];
            const uint w = i % 2 * 2;
            MatrixA a;
            matrixTakeA(a, low[w], high[w], low[w + 1], high[w + 1]);
            UNROLL for (uint s = 0; s < kSets; ++s) {
                const uint to = (j * kSets + s) * 2 + i % 2;
                matrixMultiplyAdd(a, queries[s * 2 * kKeyUnits + i], products[to]);
            }
        }
}

/// `products` become `logits`, in units of log2. Whether one lies far above its level.
bool takeLogits(uint firstHead, uint lastSlot, uint past, uint base, uint end)
{
    const uint g = matrixLane() / 4, t = matrixLane() % 4;
    bool above = false;
    UNROLL for (uint at = 0; at < kTiles * kSets; ++at) {
        const uint s = at % kSets, key = base + at / kSets * 16 + g;
        const uint head = firstHead + min(4 * s + t, lastSlot);
        const float first =
            (matrixElement(products[2 * at], 0) + matrixElement(products[2 * at + 1], 0)) +
            (matrixElement(products[2 * at], 1) + matrixElement(products[2 * at + 1], 1));
        const float second =
            (matrixElement(products[2 * at], 2) + matrixElement(products[2 * at + 1], 2)) +
            (matrixElement(products[2 * at], 3) + matrixElement(products[2 * at + 1], 3));
        logits[at].x = key < end ? logit(head, first * scoreFactor[s], past, key) : kUnseen;
        logits[at].y =
            key + 8 < end ? logit(head, second * scoreFactor[s], past, key + 8) : kUnseen;
        above = above || max(logits[at].x, logits[at].y) - level[s] > kHeadroom;
    }
    return above;
}

/// Brings levels up to the largest logits, where `raise`; shuffles are for all threads.
void raiseLevels(bool raise)
{
    UNROLL for (uint s = 0; s < kSets; ++s) {
        float top = level[s];
        UNROLL for (uint j = 0; j < kTiles; ++j)
            top = max(top, max(logits[j * kSets + s].x, logits[j * kSets + s].y));
        UNROLL for (uint o = 4; o < 32; o *= 2)
            top = max(top, matrixShuffleXor(top, o));
        if (!raise)
            continue;
        const float shrink = exp2OrZero(level[s] - top);
        level[s] = top;
        sum[s] *= shrink;
        UNROLL for (uint i = 0; i < kValueUnits * 4; ++i)
            UNROLL for (uint e = 0; e < 4; ++e)
                matrixElement(sums[s * kValueUnits * 4 + i], e) *= shrink;
    }
}

/// sums += weights · values. Weights, as two F16, are shuffled to the lanes that hold the values of
/// their keys.
void addValues()
{
    const uint g = matrixLane() / 4, t = matrixLane() % 4;
    MatrixB weights[kTiles * kSets];
    UNROLL for (uint at = 0; at < kTiles * kSets; ++at) {
        const float up = kUp - level[at % kSets];
        const vec2 weight = vec2(exp2OrZero(logits[at].x + up), exp2OrZero(logits[at].y + up));
        sum[at % kSets] += weight.x + weight.y;
        const vec2 leading = uintBitsToFloat(floatBitsToUint(weight) & 0xffffe000u);
        const uint high = packHalf2x16(leading), low = packHalf2x16(weight - leading);
        const uint from = 8 * t + g / 2;
        const uvec2 highs = uvec2(matrixShuffle(high, from), matrixShuffle(high, from + 4));
        const uvec2 lows = uvec2(matrixShuffle(low, from), matrixShuffle(low, from + 4));
        const uvec2 w = (g & 1) == 0 ? highs : lows;
        matrixTakeB(weights[at], w.x, w.y);
    }
    UNROLL for (uint j = 0; j < kTiles; ++j)
        UNROLL for (uint u = 0; u < kValueUnits; ++u)
            UNROLL for (uint c = 0; c < 4; ++c) {
                uint v[4];
                UNROLL for (uint k = 0; k < 4; ++k)
                    v[k] = values[(4 * j + k) * kValueUnits + u][c];
                MatrixA a;
                matrixTakeACrossed(a, v[0], v[1], v[2], v[3]);
                UNROLL for (uint s = 0; s < kSets; ++s) {
                    const uint to = (s * kValueUnits + u) * 4 + c;
                    matrixMultiplyAdd(a, weights[j * kSets + s], sums[to]);
                }
            }
}

/// Sums of the subgroups are added in shared memory, four heads at a time: to the output, or to the partial
/// results of a split.
void storeSums(uint row, uint firstHead, uint slots, bool split)
{
    const uint g = matrixLane() / 4, t = matrixLane() % 4;
    UNROLL for (uint s = 0; s < kSets; ++s) {
        UNROLL for (uint o = 4; o < 32; o *= 2)
            sum[s] += matrixShuffleXor(sum[s], o);
        if (g == 0) {
            levelOf[(4 * s + t) * kSubgroups + matrixSubgroup()] = level[s];
            sumOf[(4 * s + t) * kSubgroups + matrixSubgroup()] = sum[s];
        }
    }
    // Where a four of head h lies: lanes of a matrix use different banks.
#define SCRATCH(n, h, four) scratch[((n) * 4 + (h)) * kFours + ((four) ^ (((h) & 1) + ((h) & 2) * 2))]
    UNROLL for (uint s = 0; s < kSets; ++s) {
        if (s > 0)
            barrier();
        UNROLL for (uint u = 0; u < kValueUnits; ++u)
            UNROLL for (uint h = 0; h < 2; ++h) {
                const uint i = (s * kValueUnits + u) * 4 + 2 * h;
                SCRATCH(matrixSubgroup(), t, 2 * (8 * u + g) + h) =
                    vec4(matrixElement(sums[i], 0) + matrixElement(sums[i], 1),
                         matrixElement(sums[i], 2) + matrixElement(sums[i], 3),
                         matrixElement(sums[i + 1], 0) + matrixElement(sums[i + 1], 1),
                         matrixElement(sums[i + 1], 2) + matrixElement(sums[i + 1], 3));
            }
        barrier();
        const uint outputs = min(4, max(slots, 4 * s) - 4 * s) * kFours;
        for (uint i = threadIndex(); i < outputs; i += kThreads) {
            const uint slot = 4 * s + i / kFours, four = i % kFours, head = firstHead + slot;
            float top = kNoLevel;
            UNROLL for (uint n = 0; n < kSubgroups; ++n)
                top = max(top, levelOf[slot * kSubgroups + n]);
            vec4 value = vec4(0);
            float weights = 0;
            UNROLL for (uint n = 0; n < kSubgroups; ++n) {
                const float weight =
                    exp2OrZero(levelOf[slot * kSubgroups + n] - top) * exp2(-kUp);
                weights += weight * sumOf[slot * kSubgroups + n];
                value += weight * SCRATCH(n, i / kFours, four);
            }
            if (split) {
                const uint index = (row * kHeads + head) * kSplits + gl_WorkGroupID.x;
                const uint at = index * (kFours + 1);
                PartialFours(push.partials).v[at + four] = value;
                if (four == 0)
                    PartialFours(push.partials).v[at + kFours] = vec4(top, weights, 0, 0);
            } else {
                storeResult(row, head, four, value, top, weights);
            }
        }
    }
}

void main()
{
    const uint kvHead = gl_WorkGroupID.y / kHeadTiles, tile = gl_WorkGroupID.y % kHeadTiles;
    const uint firstHead = kvHead * kGroup + tile * kSlots;
    const uint slots = kGroup % kSlots == 0 ? kSlots : min(kSlots, kGroup - tile * kSlots);
    const uint row = push.first + gl_WorkGroupID.z;
    const PassItem item = PassItems(push.items).v[row];
    const PassCache cache = PassCaches(push.caches).v[row];
    const AttentionRowHeads heads = RowHeads(push.heads).v[0];
    const uint position = Uints(push.positions).v[row];
    fetchPairs(row, firstHead, slots - 1);
    fetchSquares(row, firstHead, slots - 1);
    // Of the new row's value.
    vec4 newLow = vec4(0), newHigh = vec4(0);
    const uint valueUnit = threadIndex() - kHeadDim / 8; // large below
    if (valueUnit < kValueDim / 8) {
        const uint four = (row * push.vStride + kvHead * kValueDim) / 4 + 2 * valueUnit;
        newLow = loadUnit(push.v, headsHave(kValuesHalf), true, four);
        newHigh = loadUnit(push.v, headsHave(kValuesHalf), true, four + 1);
    }
    const uint past = item.past, firstRow = kvHead * item.capacity;
    uint part, total;
    const uvec2 range = rangeOf(past, part, total);
    const uint skipped = gl_WorkGroupID.x * part;
    if (has(kSplit) && skipped >= total)
        return;
    const bool hasNewest = !has(kSplit) || skipped + part >= total;
    // RoPE before the keys are loaded: with the loads first, the rotation waited 1.5 µs longer for what
    // it needs. The rest of the preparation overlaps with them.
    fetchTurns(heads);
    rotateHeads(heads, position);
    uint base = range.x + matrixSubgroup() * kStep;
    if (MATRIX_ALL ? range.x < range.y : base < range.y) {
        fetchKeys(cache.keys, firstRow, base, range.y - 1);
        fetchValues(cache.values, firstRow, base, range.y - 1);
    }
    factorsOfNorms(heads);
    barrier();
    takeQueries(firstHead, slots - 1, past, hasNewest);
    if (hasNewest)
        storeNewest(cache, firstRow + past, newLow, newHigh, tile == 0);
    barrier();
    beginSums(hasNewest);

    // Registers are loaded for the next block as soon as this one has used them.
    [[dont_unroll]] for (uint block = range.x; block < range.y; block += kBlock) {
        if (!MATRIX_ALL && base >= range.y)
            break;
        const bool more = MATRIX_ALL || base + kBlock < range.y;
        multiplyKeys();
        if (more)
            fetchKeys(cache.keys, firstRow, base + kBlock, range.y - 1);
        const bool raise = matrixAny(takeLogits(firstHead, slots - 1, past, base, range.y));
        if (MATRIX_ALL || raise)
            raiseLevels(raise);
        addValues();
        if (more)
            fetchValues(cache.values, firstRow, base + kBlock, range.y - 1);
        base += kBlock;
    }
    const bool split = has(kSplit) && total > part;
    storeSums(row, firstHead, slots, split);
    if (!split)
        return;
    const uint used = (total + part - 1) / part;
    if (isLastWorkgroup(push.counters, row * kHeads + gl_WorkGroupID.y, used, threadIndex()))
        reduceSplits(row, firstHead, slots, used);
}
