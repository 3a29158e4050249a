#version 460
// Attention of many queries: one group takes a tile of slots (a query row and one of the heads that
// share a kv head) over the keys they see, 32 keys at a time, in F32. 16 × 8 threads: a thread has
// kRows slots, and of each tile 4 keys or 4 channels out of every 32.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/attention.glsl"

ATTENTION_TILE_CONSTANTS(SPECIALISATION)

const uint kSlots = 16 * kRows;
const uint kTileHeads = kGroup < kSlots ? kGroup : kSlots;      // heads of a tile
const uint kTileQueries = kSlots / kTileHeads;                  // query rows of a tile
const uint kHeadTiles = (kGroup + kTileHeads - 1) / kTileHeads; // tiles of a kv head's heads
const uint kChunks = (kHeadDim + 31) / 32, kValueChunks = (kValueDim + 31) / 32;
const uint kPitch = 9; // vec4 between rows of 32 channels, so that reads spread over the banks

shared vec4 queries[kSlots * kPitch];
shared vec4 keys[kTileKeys * kPitch]; // or values
shared vec4 weights[kSlots * kPitch];
shared float rowMaxima[kSlots * 8];

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

void processRows(uint item, uint begin, uint end, uint kvHead, uint headTile)
{
    const uint thread = gl_LocalInvocationID.x;
    const uint tx = thread % 8, ty = thread / 8;
    const ItemView view = viewItem(item, kvHead);
    uint used;
    uvec2 range = splitKeys(view, gl_WorkGroupID.z, used);
    if (gl_WorkGroupID.z >= used)
        return;
    range.x = max(range.x, seenKeys(view, begin).x);
    range.y = min(range.y, seenKeys(view, end - 1).y);

    uvec2 seen[kRows];
    float largest[kRows], sums[kRows], slopes[kRows];
    vec4 result[kValueChunks * kRows];
    UNROLL for (uint i = 0; i < kRows; ++i) {
        const Slot slot = slotAt(ty + 16 * i, begin, end, kvHead, headTile);
        seen[i] = slot.used ? seenKeys(view, slot.row) : uvec2(0);
        slopes[i] = slot.used ? slopeOf(slot.head) : 0;
        largest[i] = kHidden;
        sums[i] = 0;
        UNROLL for (uint c = 0; c < kValueChunks; ++c)
            result[c * kRows + i] = vec4(0);
    }

    for (uint base = range.x; base < range.y; base += kTileKeys) {
        float scores[kRows * 4];
        UNROLL for (uint i = 0; i < kRows * 4; ++i)
            scores[i] = 0;
        // Which key a thread brings in: key k lies in row (k % 4)·8 + k / 4, so that the keys 4·tx + j
        // of eight threads are neighbours.
        const uint bring = thread / 4, bringChunk = thread % 4;
        for (uint chunk = 0; chunk < kChunks; ++chunk) {
            barrier();
            for (uint i = thread; i < kSlots * 8; i += 128) {
                const Slot slot = slotAt(i / 8, begin, end, kvHead, headTile);
                vec4 value = vec4(0);
                if (slot.used) {
                    const uint c = chunk * 32 + i % 8 * 4;
                    const uint from =
                        (view.firstRow + slot.row) * push.qStride + slot.head * kHeadDim + c;
                    UNROLL for (uint j = 0; j < 4; ++j)
                        if (c + j < kHeadDim)
                            value[j] = loadActivation(push.q, has(kQueryHalf), from + j);
                }
                queries[i / 8 * kPitch + i % 8] = value * push.scale;
            }
            {
                const uint channel = chunk * 32 + bringChunk * 8;
                CacheChunk raw = kNoChunk;
                if (base + bring < range.y && channel < kHeadDim)
                    raw = fetchKeys(view, base + bring, channel);
                const uint to = (bring % 4 * 8 + bring / 4) * kPitch + bringChunk * 2;
                keys[to] = lowChannels(raw, kKeyType);
                keys[to + 1] = highChannels(raw, kKeyType);
            }
            barrier();
            for (uint d = 0; d < 8; ++d) {
                vec4 k[4];
                UNROLL for (uint j = 0; j < 4; ++j)
                    k[j] = keys[(j * 8 + tx) * kPitch + d];
                UNROLL for (uint i = 0; i < kRows; ++i) {
                    const vec4 q = queries[(ty + 16 * i) * kPitch + d];
                    UNROLL for (uint j = 0; j < 4; ++j)
                        scores[i * 4 + j] += dot(q, k[j]);
                }
            }
        }
        UNROLL for (uint i = 0; i < kRows; ++i) {
            const uint at = view.past + begin + (ty + 16 * i) / kTileHeads;
            float top = kHidden;
            UNROLL for (uint j = 0; j < 4; ++j) {
                const uint key = base + 4 * tx + j;
                scores[i * 4 + j] = key >= seen[i].x && key < min(seen[i].y, range.y)
                                        ? logitOf(scores[i * 4 + j], slopes[i], at, key)
                                        : kHidden;
                top = max(top, scores[i * 4 + j]);
            }
            rowMaxima[(ty + 16 * i) * 8 + tx] = top;
        }
        barrier();
        UNROLL for (uint i = 0; i < kRows; ++i) {
            float top = largest[i];
            UNROLL for (uint j = 0; j < 8; ++j)
                top = max(top, rowMaxima[(ty + 16 * i) * 8 + j]);
            const float shrink = decay(largest[i] - top);
            largest[i] = top;
            vec4 weight;
            UNROLL for (uint j = 0; j < 4; ++j) {
                const float logit = scores[i * 4 + j];
                weight[j] = logit == kHidden ? 0 : decay(logit - top);
            }
            weights[(ty + 16 * i) * kPitch + tx] = weight;
            sums[i] = sums[i] * shrink + (weight.x + weight.y + weight.z + weight.w);
            UNROLL for (uint c = 0; c < kValueChunks; ++c)
                result[c * kRows + i] *= shrink;
        }
        UNROLL for (uint chunk = 0; chunk < kValueChunks; ++chunk) {
            barrier();
            const uint channel = chunk * 32 + bringChunk * 8;
            CacheChunk raw = kNoChunk;
            if (base + bring < range.y && channel < kValueDim)
                raw = fetchValues(view, base + bring, channel);
            keys[bring * kPitch + bringChunk * 2] = lowChannels(raw, kValueType);
            keys[bring * kPitch + bringChunk * 2 + 1] = highChannels(raw, kValueType);
            barrier();
            for (uint k = 0; k < 8; ++k) {
                vec4 v[4];
                UNROLL for (uint j = 0; j < 4; ++j)
                    v[j] = keys[(k * 4 + j) * kPitch + tx];
                UNROLL for (uint i = 0; i < kRows; ++i) {
                    const vec4 w = weights[(ty + 16 * i) * kPitch + k];
                    result[chunk * kRows + i] += w.x * v[0] + w.y * v[1] + w.z * v[2] + w.w * v[3];
                }
            }
        }
    }

    barrier();
    UNROLL for (uint i = 0; i < kRows; ++i)
        rowMaxima[(ty + 16 * i) * 8 + tx] = sums[i];
    barrier();
    UNROLL for (uint i = 0; i < kRows; ++i) {
        const Slot slot = slotAt(ty + 16 * i, begin, end, kvHead, headTile);
        float sum = 0;
        UNROLL for (uint j = 0; j < 8; ++j)
            sum += rowMaxima[(ty + 16 * i) * 8 + j];
        if (!slot.used)
            continue;
        const uint row = view.firstRow + slot.row;
        const uint partial = partialIndex(row, slot.head, gl_WorkGroupID.z);
        const float scale = has(kSplit) ? 1 : finalScale(slot.head, largest[i], sum);
        UNROLL for (uint chunk = 0; chunk < kValueChunks; ++chunk)
            UNROLL for (uint j = 0; j < 4; ++j) {
                const uint c = chunk * 32 + tx * 4 + j;
                if (c >= kValueDim)
                    continue;
                const float value = result[chunk * kRows + i][j];
                if (has(kSplit))
                    storePartial(partial, c, value);
                else
                    storeActivation(push.out_, has(kOutHalf),
                                    row * push.outStride + slot.head * kValueDim + c,
                                    value * scale);
            }
        if (has(kSplit) && tx == 0)
            storePartialStats(partial, largest[i], sum);
    }
    barrier();
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
