#version 460
// Attention of many queries on cooperative matrices: products of F16, sums and softmax in F32. A
// group takes 64 slots (a query row and one of the heads that share a kv head), each of its four
// subgroups 16 of them, over the keys they see, kKeys at a time. The next keys and values are
// fetched to registers while the present ones are multiplied from shared memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifndef EMULATE_MATRIX
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#include "shaders/common/attention.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 10) const uint kThreads = 128; // as constant 0: four subgroups
layout(constant_id = 11) const uint kKeys = 32;     // of a tile, a multiple of 16 and of kPer · 4

const uint MATRIX_M = 16, MATRIX_N = 16, MATRIX_K = 16;
const uint kSlots = 64;
const uint kTileHeads = kGroup < kSlots ? kGroup : kSlots;
const uint kTileQueries = kSlots / kTileHeads;
const uint kHeadTiles = (kGroup + kTileHeads - 1) / kTileHeads;
const uint kPer = kThreads / kSlots; // threads of a slot
const uint kOwn = kKeys / kPer / 4;  // fours of keys of a thread

// Shared memory in units of uvec4: eight F16 or four F32. Rows are a unit longer than they need be,
// so that reads of a matrix spread over the banks.
const uint kMatrices = (kHeadDim + 15) / 16, kValueMatrices = (kValueDim + 15) / 16;
const uint kKeyPitch = 2 * kMatrices + 1, kValuePitch = 2 * kValueMatrices + 1;
const uint kValuesAt = kKeys * kKeyPitch;
const uint kTileUnits = kValuesAt + kKeys * kValuePitch;
const uint kQueryUnits = kSlots * kKeyPitch;
#ifdef EMULATE_MATRIX
const uint kQueriesAt = kTileUnits; // they are read where they lie
const uint kScoresAt = kTileUnits + kQueryUnits;
#else
const uint kQueriesAt = 0; // on their way to registers
const uint kScoresAt = kTileUnits > kQueryUnits ? kTileUnits : kQueryUnits;
#endif
// A slot's row: scores (F32); then weights (F16) and behind them 16 times the factor of its sums.
const uint kScorePitch = kKeys / 4 + 1;
const uint kFactorsAt = kKeys / 8;
shared uvec4 tiles[kScoresAt + kSlots * kScorePitch];
shared float partials[kThreads];

#include "shaders/common/matrix_rows.glsl"

const uint kKeyChunks = kKeys * 2 * kMatrices, kValuesChunks = kKeys * 2 * kValueMatrices;
const uint kKeyLoads = (kKeyChunks + kThreads - 1) / kThreads;
const uint kValueLoads = (kValuesChunks + kThreads - 1) / kThreads;
CacheChunk fetchedKeys[kKeyLoads], fetchedValues[kValueLoads];

uvec4 packed(CacheChunk chunk, uint type)
{
    if (type == kCacheF16)
        return chunk.a;
    const vec4 low = lowChannels(chunk, type), high = highChannels(chunk, type);
    return uvec4(packHalf2x16(low.xy), packHalf2x16(low.zw), packHalf2x16(high.xy),
                 packHalf2x16(high.zw));
}

void fetchTile(ItemView view, uint base, uint end)
{
    UNROLL for (uint j = 0; j < kKeyLoads; ++j) {
        const uint i = gl_LocalInvocationID.x + j * kThreads;
        const uint key = base + i / (2 * kMatrices), channel = i % (2 * kMatrices) * 8;
        fetchedKeys[j] = kNoChunk;
        if (i < kKeyChunks && key < end && channel < kHeadDim)
            fetchedKeys[j] = fetchKeys(view, key, channel);
    }
    UNROLL for (uint j = 0; j < kValueLoads; ++j) {
        const uint i = gl_LocalInvocationID.x + j * kThreads;
        const uint key = base + i / (2 * kValueMatrices), channel = i % (2 * kValueMatrices) * 8;
        fetchedValues[j] = kNoChunk;
        if (i < kValuesChunks && key < end && channel < kValueDim)
            fetchedValues[j] = fetchValues(view, key, channel);
    }
}

void storeTile()
{
    UNROLL for (uint j = 0; j < kKeyLoads; ++j) {
        const uint i = gl_LocalInvocationID.x + j * kThreads;
        if (i < kKeyChunks)
            tiles[i / (2 * kMatrices) * kKeyPitch + i % (2 * kMatrices)] =
                packed(fetchedKeys[j], kKeyType);
    }
    UNROLL for (uint j = 0; j < kValueLoads; ++j) {
        const uint i = gl_LocalInvocationID.x + j * kThreads;
        if (i < kValuesChunks)
            tiles[kValuesAt + i / (2 * kValueMatrices) * kValuePitch + i % (2 * kValueMatrices)] =
                packed(fetchedValues[j], kValueType);
    }
}

struct Slot
{
    bool used;
    uint row, head; // row of the item
};

/// Slot `index` of the tile for rows [begin, end) of the item.
Slot slotAt(uint index, uint begin, uint end, uint kvHead, uint headTile)
{
    const uint query = index / kTileHeads;
    const uint head = headTile * kTileHeads + index - query * kTileHeads;
    return Slot(query < end - begin && head < kGroup, begin + query, kvHead * kGroup + head);
}

void stageQueries(ItemView view, uint begin, uint end, uint kvHead, uint headTile)
{
    for (uint i = gl_LocalInvocationID.x; i < kSlots * 2 * kMatrices; i += kThreads) {
        const uint index = i / (2 * kMatrices), unit = i % (2 * kMatrices);
        const Slot slot = slotAt(index, begin, end, kvHead, headTile);
        uvec4 value = uvec4(0);
        if (slot.used) {
            const uint from = (view.firstRow + slot.row) * push.qStride + slot.head * kHeadDim;
            UNROLL for (uint j = 0; j < 4; ++j) {
                const uint c = unit * 8 + 2 * j;
                vec2 pair = vec2(0);
                if (c < kHeadDim)
                    pair.x = loadActivation(push.q, has(kQueryHalf), from + c);
                if (c + 1 < kHeadDim)
                    pair.y = loadActivation(push.q, has(kQueryHalf), from + c + 1);
                value[j] = packHalf2x16(pair);
            }
        }
        tiles[kQueriesAt + index * kKeyPitch + unit] = value;
    }
}

void processRows(uint item, uint begin, uint end, uint kvHead, uint headTile)
{
    const uint thread = gl_LocalInvocationID.x;
    const ItemView view = viewItem(item, kvHead);
    uint used;
    uvec2 range = splitKeys(view, gl_WorkGroupID.z, used);
    if (gl_WorkGroupID.z >= used)
        return;
    range.x = max(range.x, seenKeys(view, begin).x);
    range.y = min(range.y, seenKeys(view, end - 1).y);

    fetchTile(view, range.x, range.y);
    stageQueries(view, begin, end, kvHead, headTile);
    barrier();
    const uint ownSlots = matrixSubgroup() * 16;
    MatrixA queries[kMatrices];
    MatrixSum result[kValueMatrices];
    UNROLL for (uint d = 0; d < kMatrices; ++d)
        matrixLoadA(queries[d], kQueriesAt + ownSlots * kKeyPitch + 2 * d, kKeyPitch);
    UNROLL for (uint d = 0; d < kValueMatrices; ++d)
        matrixClear(result[d]);

    const uint row = thread / kPer, part = thread % kPer;
    const Slot slot = slotAt(row, begin, end, kvHead, headTile);
    const uvec2 seen = slot.used ? seenKeys(view, slot.row) : uvec2(0);
    const uint at = view.past + slot.row;
    const float slope = slot.used ? slopeOf(slot.head) : 0;
    const uint ownScores = kScoresAt + ownSlots * kScorePitch;
    const uint rowScores = kScoresAt + row * kScorePitch;
    float largest = kHidden, sum = 0;

    for (uint base = range.x; base < range.y; base += kKeys) {
        barrier(); // the last tile, or the queries, are no longer needed
        storeTile();
        if (base + kKeys < range.y)
            fetchTile(view, base + kKeys, range.y);
        barrier();
        UNROLL for (uint k = 0; k < kKeys / 16; ++k) {
            MatrixSum scores;
            matrixClear(scores);
            UNROLL for (uint d = 0; d < kMatrices; ++d) {
                MatrixB keys;
                matrixLoadB(keys, k * 16 * kKeyPitch + 2 * d, kKeyPitch);
                matrixMultiplyAdd(queries[d], keys, scores);
            }
            matrixStore(scores, ownScores + 4 * k, kScorePitch);
        }
        barrier();
        vec4 logits[kOwn];
        float top = kHidden;
        UNROLL for (uint i = 0; i < kOwn; ++i) {
            const uint four = part * kOwn + i;
            const vec4 scores = uintBitsToFloat(tiles[rowScores + four]);
            UNROLL for (uint j = 0; j < 4; ++j) {
                const uint key = base + 4 * four + j;
                logits[i][j] = key >= seen.x && key < min(seen.y, range.y)
                                   ? logitOf(scores[j] * push.scale, slope, at, key)
                                   : kHidden;
                top = max(top, logits[i][j]);
            }
        }
        partials[thread] = top;
        barrier();
        top = largest;
        UNROLL for (uint i = 0; i < kPer; ++i)
            top = max(top, partials[row * kPer + i]);
        const float shrink = decay(largest - top);
        largest = top;
        sum *= shrink;
        UNROLL for (uint i = 0; i < kOwn; ++i) {
            vec4 weight;
            UNROLL for (uint j = 0; j < 4; ++j)
                weight[j] = logits[i][j] == kHidden ? 0 : decay(logits[i][j] - top);
            sum += weight.x + weight.y + weight.z + weight.w;
            const uint four = part * kOwn + i;
            const uvec2 halves = uvec2(packHalf2x16(weight.xy), packHalf2x16(weight.zw));
            if (four % 2 == 0)
                tiles[rowScores + four / 2].xy = halves;
            else
                tiles[rowScores + four / 2].zw = halves;
        }
        for (uint i = part; i < 4; i += kPer)
            tiles[rowScores + kFactorsAt + i] = uvec4(floatBitsToUint(shrink));
        barrier();
        MatrixA weights[kKeys / 16];
        UNROLL for (uint k = 0; k < kKeys / 16; ++k)
            matrixLoadA(weights[k], ownScores + 2 * k, kScorePitch);
        UNROLL for (uint d = 0; d < kValueMatrices; ++d) {
            matrixScale(result[d], ownScores + kFactorsAt, kScorePitch);
            UNROLL for (uint k = 0; k < kKeys / 16; ++k) {
                MatrixB values;
                matrixLoadBRows(values, kValuesAt + k * 16 * kValuePitch + 2 * d, kValuePitch);
                matrixMultiplyAdd(weights[k], values, result[d]);
            }
        }
    }

    barrier();
    partials[thread] = sum;
    barrier();
    sum = 0;
    UNROLL for (uint i = 0; i < kPer; ++i)
        sum += partials[row * kPer + i];
    float scale = 1;
    if (!has(kSplit) && slot.used)
        scale = finalScale(slot.head, largest, sum);
    const uint outRow = view.firstRow + slot.row;
    const uint partial = partialIndex(outRow, slot.head, gl_WorkGroupID.z);
    // A column of matrices at a time goes out through the room of the scores.
    UNROLL for (uint d = 0; d < kValueMatrices; ++d) {
        matrixStore(result[d], ownScores, kScorePitch);
        barrier();
        for (uint i = part; slot.used && i < 16; i += kPer) {
            const uint c = d * 16 + i;
            if (c >= kValueDim)
                break;
            const float value = uintBitsToFloat(tiles[rowScores + i / 4][i % 4]) * scale;
            if (has(kSplit))
                storePartial(partial, c, value);
            else
                storeActivation(push.out_, has(kOutHalf),
                                outRow * push.outStride + slot.head * kValueDim + c, value);
        }
        barrier();
    }
    if (has(kSplit) && slot.used && part == 0)
        storePartialStats(partial, largest, sum);
}

void main()
{
    const uint kvHead = gl_WorkGroupID.y / kHeadTiles;
    const uint headTile = gl_WorkGroupID.y - kvHead * kHeadTiles;
    // The last queries see the most keys: starting with them evens out the finish.
    uint row = push.first + (gl_NumWorkGroups.x - 1 - gl_WorkGroupID.x) * kTileQueries;
    const uint end = min(row + kTileQueries, push.end);
    while (row < end) { // once for every item that has rows in the tile
        const uint item = Uints(push.rowItems).v[row];
        const PassItem passItem = PassItems(push.items).v[item];
        const uint itemEnd = passItem.firstRow + passItem.rows;
        const uint next = min(end, itemEnd);
        if (takesPart(passItem.rows))
            processRows(item, row - passItem.firstRow, next - passItem.firstRow, kvHead, headTile);
        row = next;
    }
}
