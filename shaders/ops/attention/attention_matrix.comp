#version 460
// Attention of many queries on cooperative matrices: products of F16, sums and softmax in F32. A
// workgroup takes kSlots slots (a query row and one of the heads that share a kv head), each of its
// subgroups 16 of them, over the keys they see, kKeys at a time. The next keys and values are
// fetched to registers while the present ones are multiplied from shared memory. Scores become
// weights in registers; they are taken relative to a level of their row, which is raised only when a
// score lies far above it, so that rows seldom need their largest score.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifndef EMULATE_MATRIX
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#include "shaders/common/attention.glsl"
#include "shaders/common/rows.glsl"

ATTENTION_MATRIX_CONSTANTS(SPECIALISATION)

const uint kMatrixM = 16, kMatrixN = 16, kMatrixK = 16;

// Shared memory in units of uvec4: eight F16 or four F32. Rows are a unit longer than they need be,
// so that reads of a matrix spread over the banks.
const uint kMatrices = (kHeadDim + 15) / 16, kValueMatrices = (kValueDim + 15) / 16;
const uint kKeyPitch = 2 * kMatrices + 1, kValuePitch = 2 * kValueMatrices + 1;
const uint kValuesAt = kKeys * kKeyPitch;
const uint kTileUnits = kValuesAt + kKeys * kValuePitch;
const uint kQueryUnits = kSlots * kKeyPitch;
#ifdef EMULATE_MATRIX
const uint kQueriesAt = kBuffers * kTileUnits; // they are read where they lie
const uint kPlacesAt = kQueriesAt + kQueryUnits;
#else
const uint kQueriesAt = 0; // until they are in registers
const uint kPlacesAt = kBuffers * kTileUnits > kQueryUnits ? kBuffers * kTileUnits : kQueryUnits;
#endif
// A matrix whose elements are 16 · row + column: loaded as sums it tells which element lies where.
const uint kPlacePitch = 4;
// Each subgroup's own rows: weights (F16), or 16 columns of sums to be stored.
const uint kStripPitch = (kKeys > 32 ? kKeys / 8 : 4) + 1;
const uint kStripsAt = kPlacesAt + 16 * kPlacePitch;
shared uvec4 tiles[kStripsAt + kSlots * kStripPitch];
shared uint tops[kSlots]; // of a row: largest score, as an ordered integer; at the end the factor of its result

#include "shaders/common/matrix_rows.glsl"
#include "shaders/common/order_keys.glsl"

// In units of log2: how far above the level of its row a score may lie. Weights are F16, so up to 15
// would do.
const float kHeadroom = 8;

const uint kKeyChunks = kKeys * 2 * kMatrices, kValuesChunks = kKeys * 2 * kValueMatrices;
const uint kKeyLoads = (kKeyChunks + kThreads - 1) / kThreads;
const uint kValueLoads = (kValuesChunks + kThreads - 1) / kThreads;
CacheChunk fetchedKeys[kKeyLoads], fetchedValues[kValueLoads];

/// 2ˣ; for very small x only software devices, where matrices are emulated, get it wrong.
float weightOf(float x)
{
#ifdef EMULATE_MATRIX
    return x < -126 ? 0 : exp2(x);
#else
    return exp2(x);
#endif
}

uvec4 packedHalves(vec4 low, vec4 high)
{
    return uvec4(packHalf2x16(low.xy), packHalf2x16(low.zw), packHalf2x16(high.xy),
                 packHalf2x16(high.zw));
}
uvec4 packed(CacheChunk chunk, uint type)
{
    return type == kCacheF16 ? chunk.a
                             : packedHalves(lowChannels(chunk, type), highChannels(chunk, type));
}

/// Indices are clamped: beyond the last key it is the last again, masked for every row.
void fetchTileKeys(ItemView view, uint base, uint end)
{
    const uint last = max(end, 1) - 1, first = min(base, last);
    const uvec2 block = addProduct(view.keyBase, first, view.keyBytes);
    UNROLL for (uint j = 0; j < kKeyLoads; ++j) {
        const uint i = gl_LocalInvocationID.x + j * kThreads;
        const uint channel = i % (2 * kMatrices) * 8;
        const uint row = min(i / (2 * kMatrices), last - first);
        fetchedKeys[j] = kNoChunk;
        if (has(kExpanded) && channel >= kPlainChannels) {
            if (channel < kHeadDim)
                fetchedKeys[j] = fetchKeys(view, first + row, channel);
        } else if (kHeadDim % 16 == 0 || channel < kHeadDim) {
            fetchedKeys[j] = fetchChunk(addBytes(block, row * view.keyBytes), kKeyType, kKeyStep,
                                        kHeadDim, channel);
        }
    }
}
void fetchTileValues(ItemView view, uint base, uint end)
{
    const uint last = max(end, 1) - 1, first = min(base, last);
    const uvec2 block = addProduct(view.valueBase, first, view.valueBytes);
    UNROLL for (uint j = 0; j < kValueLoads; ++j) {
        const uint i = gl_LocalInvocationID.x + j * kThreads;
        const uint channel = i % (2 * kValueMatrices) * 8;
        fetchedValues[j] = kNoChunk;
        if (kValueDim % 16 == 0 || channel < kValueDim)
            fetchedValues[j] = fetchChunk(
                addBytes(block, min(i / (2 * kValueMatrices), last - first) * view.valueBytes),
                kValueType, kValueStep, has(kLatent) ? kHeadDim : kValueDim, channel);
    }
}

void storeTileKeys(uint tile)
{
    UNROLL for (uint j = 0; j < kKeyLoads; ++j) {
        const uint i = gl_LocalInvocationID.x + j * kThreads;
        if (i < kKeyChunks)
            tiles[tile + i / (2 * kMatrices) * kKeyPitch + i % (2 * kMatrices)] =
                packed(fetchedKeys[j], kKeyType);
    }
}
void storeTileValues(uint tile)
{
    UNROLL for (uint j = 0; j < kValueLoads; ++j) {
        const uint i = gl_LocalInvocationID.x + j * kThreads;
        if (i < kValuesChunks)
            tiles[tile + kValuesAt + i / (2 * kValueMatrices) * kValuePitch +
                  i % (2 * kValueMatrices)] = packed(fetchedValues[j], kValueType);
    }
}

#include "shaders/common/attention_part.glsl"

void stageQueries(ItemView view, Part part)
{
    for (uint i = gl_LocalInvocationID.x; i < kSlots * 2 * kMatrices; i += kThreads) {
        const uint index = i / (2 * kMatrices), unit = i % (2 * kMatrices);
        const Slot slot = slotAt(index, part);
        uvec4 value = uvec4(0);
        if (slot.used) {
            const uint bytes = has(kQueryHalf) ? 2 : 4;
            const uvec2 from =
                addBytes(rowAddress(push.q, view.firstRow + slot.row, push.qStride * bytes),
                         slot.head * kHeadDim * bytes);
            vec4 low = vec4(0), high = vec4(0);
            if (kFours) {
                if (unit * 8 < kHeadDim)
                    low = loadUnit(from, has(kQueryHalf), true, unit * 2);
                if (unit * 8 + 4 < kHeadDim)
                    high = loadUnit(from, has(kQueryHalf), true, unit * 2 + 1);
            } else {
                UNROLL for (uint j = 0; j < 4; ++j) {
                    const uint c = unit * 8 + j;
                    if (c < kHeadDim)
                        low[j] = loadActivation(from, has(kQueryHalf), c);
                    if (c + 4 < kHeadDim)
                        high[j] = loadActivation(from, has(kQueryHalf), c + 4);
                }
            }
            value = packedHalves(low, high);
        }
        tiles[kQueriesAt + index * kKeyPitch + unit] = value;
    }
}

MatrixSum placesOfElements()
{
    MatrixSum places;
    matrixLoadSum(places, kPlacesAt, kPlacePitch);
    return places;
}

MatrixA queries[kMatrices];
// Of the subgroup's rows. Each is declared alone: glslang 14.0 loses the use of a matrix behind an array.
MatrixSum result[kValueMatrices];
MatrixSum sums;
MatrixSum levels;
MatrixSum scores[kKeys / 16];                   // of a tile
MatrixSum nextScores[kKeys / 16];               // of one that may be computed ahead

/// nextScores = queries · keys of the tile
void score(uint tile)
{
    UNROLL for (uint k = 0; k < kKeys / 16; ++k)
        matrixFill(nextScores[k], 0.0);
    UNROLL for (uint d = 0; d < kMatrices; ++d)
        UNROLL for (uint k = 0; k < kKeys / 16; ++k) {
            MatrixB keys;
            matrixLoadB(keys, tile + k * 16 * kKeyPitch + 2 * d, kKeyPitch);
            matrixMultiplyAdd(queries[d], keys, nextScores[k]);
        }
}
void takeScores()
{
    UNROLL for (uint k = 0; k < kKeys / 16; ++k)
        scores[k] = nextScores[k];
}

/// Softcap, slopes and the mask, for tiles that need any of them: scores become logits in units of log2.
void finishScores(ItemView view, Part part, uint ownSlots, uint base, uint end)
{
    MatrixSum places = placesOfElements();
    UNROLL for (uint i = 0; i < matrixLength(places); ++i) {
        const uint place = uint(matrixElement(places, i));
        const Slot slot = slotAt(ownSlots + place / 16, part);
        const uvec2 seen = seenKeys(view, slot.row);
        const uint at = view.past + slot.row;
        const float slope = slot.used ? slopeOf(slot.head) : 0;
        UNROLL for (uint k = 0; k < kKeys / 16; ++k) {
            const uint key = base + 16 * k + place % 16;
            float logit = matrixElement(scores[k], i);
            if (!kPlain)
                logit = kLog2E * logitOf(logit * push.scale, slope, at, key);
            if (!slot.used || key < seen.x || key >= min(seen.y, end))
                logit = kUnseen;
            matrixElement(scores[k], i) = logit;
        }
    }
}

/// Brings the levels of the rows up to their largest scores so far.
void raiseLevels(uint ownSlots, float scale)
{
    if (matrixLane() < 16)
        tops[ownSlots + matrixLane()] = orderKey(kNoLevel);
    matrixSync();
    MatrixSum places = placesOfElements();
    UNROLL for (uint i = 0; i < matrixLength(places); ++i) {
        float top = kUnseen;
        UNROLL for (uint k = 0; k < kKeys / 16; ++k)
            top = max(top, matrixElement(scores[k], i) * scale);
        atomicMax(tops[ownSlots + uint(matrixElement(places, i)) / 16], orderKey(top));
    }
    matrixSync();
    UNROLL for (uint i = 0; i < matrixLength(places); ++i) {
        const float before = matrixElement(levels, i);
        const float level = max(
            before, valueOfKey(tops[ownSlots + uint(matrixElement(places, i)) / 16]));
        const float shrink = before - level < -126 ? 0 : exp2(before - level);
        matrixElement(levels, i) = level;
        matrixElement(sums, i) *= shrink;
        UNROLL for (uint d = 0; d < kValueMatrices; ++d)
            matrixElement(result[d], i) *= shrink;
    }
}

/// The tile's scores become weights of its values. With two buffers, the scores of the next tile
/// are computed meanwhile, so that the matrix units have something to do. sumsAreFactors: the
/// elements of a sum lie with the threads as those of a first factor.
void addTile(ItemView view, Part part, uint tile, uint next, uint base, uint end, uvec2 seenByAll,
             bool sumsAreFactors)
{
    const uint ownSlots = matrixSubgroup() * 16;
    const float scale = kPlain ? push.scale * kLog2E : 1;
    if (!kPlain || base < seenByAll.x || base + kKeys > seenByAll.y)
        finishScores(view, part, ownSlots, base, end);
    float above = kUnseen;
    UNROLL for (uint k = 0; k < kKeys / 16; ++k)
        UNROLL for (uint i = 0; i < matrixLength(levels); ++i)
            above = max(above, matrixElement(scores[k], i) * scale - matrixElement(levels, i));
    if (matrixAny(above > kHeadroom))
        raiseLevels(ownSlots, scale);
    if (kBuffers > 1)
        score(next);
    UNROLL for (uint k = 0; k < kKeys / 16; ++k)
        UNROLL for (uint i = 0; i < matrixLength(levels); ++i) {
            const float x = matrixElement(scores[k], i) * scale - matrixElement(levels, i);
            const float weight = weightOf(x);
            matrixElement(scores[k], i) = weight;
            matrixElement(sums, i) += weight;
        }
    MatrixA weights[kKeys / 16];
    if (sumsAreFactors) {
        UNROLL for (uint k = 0; k < kKeys / 16; ++k)
            matrixSumToA(weights[k], scores[k]);
    } else {
        const uint strip = kStripsAt + ownSlots * kStripPitch;
        matrixSync(); // the last weights are no longer needed
        UNROLL for (uint k = 0; k < kKeys / 16; ++k)
            matrixStoreHalf(scores[k], strip + 2 * k, kStripPitch);
        matrixSync();
        UNROLL for (uint k = 0; k < kKeys / 16; ++k)
            matrixLoadA(weights[k], strip + 2 * k, kStripPitch);
    }
    UNROLL for (uint k = 0; k < kKeys / 16; ++k)
        UNROLL for (uint d = 0; d < kValueMatrices; ++d) {
            MatrixB values;
            matrixLoadBRows(values, tile + kValuesAt + k * 16 * kValuePitch + 2 * d, kValuePitch);
            matrixMultiplyAdd(weights[k], values, result[d]);
        }
}

/// All of the workgroup's keys; the first tile is fetched.
void addTiles(ItemView view, Part part, uvec2 range, uvec2 seenByAll, bool sumsAreFactors)
{
    storeTileKeys(0);
    storeTileValues(0);
    if (kBuffers == 1) {
        for (uint base = range.x; base < range.y; base += kKeys) {
            fetchTileKeys(view, base + kKeys, range.y);
            fetchTileValues(view, base + kKeys, range.y);
            barrier(); // the tile is stored
            score(0);
            takeScores();
            addTile(view, part, 0, 0, base, range.y, seenByAll, sumsAreFactors);
            barrier(); // and no longer needed
            storeTileKeys(0);
            storeTileValues(0);
        }
        return;
    }
    // Keys are a tile ahead of values.
    fetchTileKeys(view, range.x + kKeys, range.y);
    storeTileKeys(kTileUnits);
    fetchTileKeys(view, range.x + 2 * kKeys, range.y);
    fetchTileValues(view, range.x + kKeys, range.y);
    barrier();
    score(0);
    takeScores();
    uint tile = 0;
    for (uint base = range.x; base < range.y; base += kKeys) {
        barrier(); // a tile's values are stored; the keys of this one are no longer needed
        const uint other = kTileUnits - tile;
        storeTileKeys(tile);
        storeTileValues(other);
        addTile(view, part, tile, other, base, range.y, seenByAll, sumsAreFactors);
        // Not earlier: reads of shared memory would wait for these loads.
        fetchTileKeys(view, base + 3 * kKeys, range.y);
        fetchTileValues(view, base + 2 * kKeys, range.y);
        takeScores();
        tile = other;
    }
}

/// The results of the subgroup's rows, 16 columns at a time.
void storeRows(ItemView view, Part part)
{
    const uint ownSlots = matrixSubgroup() * 16, lane = matrixLane();
    const uint strip = kStripsAt + ownSlots * kStripPitch;
    const Slot own = slotAt(ownSlots + lane % 16, part);
    matrixSync();
    matrixStore(sums, strip, kStripPitch);
    matrixSync();
    float sum = 0;
    if (lane < 16)
        UNROLL for (uint j = 0; j < 4; ++j) {
            const vec4 four = uintBitsToFloat(tiles[strip + lane * kStripPitch + j]);
            sum += (four.x + four.y) + (four.z + four.w);
        }
    matrixSync();
    matrixStore(levels, strip, kStripPitch);
    matrixSync();
    if (lane < 16) {
        const float largest = uintBitsToFloat(tiles[strip + lane * kStripPitch].x) / kLog2E;
        float scale = 1;
        if (has(kSplit)) {
            if (own.used)
                storePartialStats(
                    partialIndex(view.firstRow + own.row, own.head, gl_WorkGroupID.z), largest,
                    sum);
        } else if (own.used) {
            scale = finalScale(own.head, largest, sum);
        }
        tops[ownSlots + lane] = floatBitsToUint(scale);
    }
    matrixSync();
    UNROLL for (uint d = 0; d < kValueMatrices; ++d) {
        matrixStore(result[d], strip, kStripPitch);
        matrixSync();
        for (uint i = lane; i < 64; i += kMatrixLanes) {
            const Slot slot = slotAt(ownSlots + i / 4, part);
            const uint c = d * 16 + i % 4 * 4, row = view.firstRow + slot.row;
            if (!slot.used || c >= kValueDim)
                continue;
            const vec4 value = uintBitsToFloat(tiles[strip + i / 4 * kStripPitch + i % 4]) *
                               uintBitsToFloat(tops[ownSlots + i / 4]);
            if (has(kSplit)) {
                const uint partial = partialIndex(row, slot.head, gl_WorkGroupID.z);
                UNROLL for (uint j = 0; j < 4; ++j)
                    if (c + j < kValueDim)
                        storePartial(partial, c + j, value[j]);
            } else if (kFours) {
                const uint bytes = has(kOutHalf) ? 2 : 4;
                const uvec2 to = addBytes(rowAddress(push.out_, row, push.outStride * bytes),
                                          slot.head * kValueDim * bytes);
                storeUnit(to, has(kOutHalf), true, c / 4, value);
            } else {
                storeFour(row, slot.head, c / 4, value);
            }
        }
        matrixSync();
    }
}

void processRows(uint item, Part part)
{
    const ItemView view = viewItem(item, part.kvHead);
    uint used;
    uvec2 range = splitKeys(view, gl_WorkGroupID.z, used);
    if (gl_WorkGroupID.z >= used)
        return;
    const uvec2 firstSees = seenKeys(view, part.begin), lastSees = seenKeys(view, part.end - 1);
    range.x = max(range.x, firstSees.x);
    range.y = min(range.y, lastSees.y);
    const uvec2 seenByAll = uvec2(lastSees.x, min(firstSees.y, range.y));

    fetchTileKeys(view, range.x, range.y);
    fetchTileValues(view, range.x, range.y);
    barrier(); // of rows before
    if (gl_LocalInvocationID.x < 64)
        tiles[kPlacesAt + gl_LocalInvocationID.x] =
            floatBitsToUint(vec4(0, 1, 2, 3) + 4 * float(gl_LocalInvocationID.x));
    stageQueries(view, part);
    barrier();
    MatrixSum places = placesOfElements();
    const bool sumsAreFactors =
        sumsLieAsFactors(places, kStripsAt + matrixSubgroup() * 16 * kStripPitch, kStripPitch);
    UNROLL for (uint d = 0; d < kMatrices; ++d)
        matrixLoadA(queries[d], kQueriesAt + matrixSubgroup() * 16 * kKeyPitch + 2 * d, kKeyPitch);
    UNROLL for (uint d = 0; d < kValueMatrices; ++d)
        matrixFill(result[d], 0.0);
    matrixFill(sums, 0.0);
    matrixFill(levels, kNoLevel);
    barrier(); // the queries are read
    // Two copies of the code, each with the flag known.
    if (sumsAreFactors)
        addTiles(view, part, range, seenByAll, true);
    else
        addTiles(view, part, range, seenByAll, false);
    storeRows(view, part);
}

#include "shaders/common/attention_part_main.glsl"
