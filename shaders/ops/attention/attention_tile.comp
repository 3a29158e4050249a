#version 460
// Attention of many queries in F32, for every device. A workgroup takes a tile of slots (a query row and
// one of the heads that share a kv head) over the keys they see, 32 keys at a time. 16 × 8 threads: a
// thread has kRows slots, and of each tile 4 keys, or 4 of every 32 channels.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/attention.glsl"

ATTENTION_TILE_CONSTANTS(SPECIALISATION)

const uint kSlots = 16 * kRows;
const uint kChunks = (kHeadDim + 31) / 32, kValueChunks = (kValueDim + 31) / 32;
const uint kPitch = 9; // vec4 between rows of 32 channels, so that reads spread over the banks

shared vec4 queries[kSlots * kPitch];
shared vec4 keys[kTileKeys * kPitch]; // or values
shared vec4 weights[kSlots * kPitch];
shared float rowMaxima[kSlots * 8];

#include "shaders/common/attention_part.glsl"

// Of the thread's slots ty + 16 · i.
uvec2 seen[kRows];
float largest[kRows], sums[kRows], slopes[kRows];
vec4 result[kValueChunks * kRows];
float scores[kRows * 4]; // of keys 4 · tx … of a tile

void beginSlots(ItemView view, Part part)
{
    const uint ty = gl_LocalInvocationID.x / 8;
    UNROLL for (uint i = 0; i < kRows; ++i) {
        const Slot slot = slotAt(ty + 16 * i, part);
        seen[i] = slot.used ? seenKeys(view, slot.row) : uvec2(0);
        slopes[i] = slot.used ? slopeOf(slot.head) : 0;
        largest[i] = kHidden;
        sums[i] = 0;
        UNROLL for (uint c = 0; c < kValueChunks; ++c)
            result[c * kRows + i] = vec4(0);
    }
}

/// 32 channels of the queries, to shared memory.
void stageQueries(ItemView view, Part part, uint chunk)
{
    const uint thread = gl_LocalInvocationID.x;
    for (uint i = thread; i < kSlots * 8; i += 128) {
        const Slot slot = slotAt(i / 8, part);
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
}

/// 32 channels of keys from `base` on. Key k goes to row (k % 4)·8 + k / 4, so that the keys 4·tx + j of
/// eight threads are neighbours.
void stageKeys(ItemView view, uint base, uint end, uint chunk)
{
    const uint thread = gl_LocalInvocationID.x, bring = thread / 4, bringChunk = thread % 4;
    const uint channel = chunk * 32 + bringChunk * 8;
    CacheChunk raw = kNoChunk;
    if (base + bring < end && channel < kHeadDim)
        raw = fetchKeys(view, base + bring, channel);
    const uint to = (bring % 4 * 8 + bring / 4) * kPitch + bringChunk * 2;
    keys[to] = lowChannels(raw, kKeyType);
    keys[to + 1] = highChannels(raw, kKeyType);
}
void stageValues(ItemView view, uint base, uint end, uint chunk)
{
    const uint thread = gl_LocalInvocationID.x, bring = thread / 4, bringChunk = thread % 4;
    const uint channel = chunk * 32 + bringChunk * 8;
    CacheChunk raw = kNoChunk;
    if (base + bring < end && channel < kValueDim)
        raw = fetchValues(view, base + bring, channel);
    keys[bring * kPitch + bringChunk * 2] = lowChannels(raw, kValueType);
    keys[bring * kPitch + bringChunk * 2 + 1] = highChannels(raw, kValueType);
}

/// scores += queries · keys of 32 channels
void multiplyKeys()
{
    const uint tx = gl_LocalInvocationID.x % 8, ty = gl_LocalInvocationID.x / 8;
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

/// Scores become logits; the largest of each thread go to shared memory.
void finishScores(ItemView view, Part part, uint base, uint end)
{
    const uint tx = gl_LocalInvocationID.x % 8, ty = gl_LocalInvocationID.x / 8;
    UNROLL for (uint i = 0; i < kRows; ++i) {
        const uint at = view.past + part.begin + (ty + 16 * i) / kTileHeads;
        float top = kHidden;
        UNROLL for (uint j = 0; j < 4; ++j) {
            const uint key = base + 4 * tx + j;
            scores[i * 4 + j] = key >= seen[i].x && key < min(seen[i].y, end)
                                    ? logitOf(scores[i * 4 + j], slopes[i], at, key)
                                    : kHidden;
            top = max(top, scores[i * 4 + j]);
        }
        rowMaxima[(ty + 16 * i) * 8 + tx] = top;
    }
}

/// Logits become weights relative to the largest logit of the row so far.
void makeWeights()
{
    const uint tx = gl_LocalInvocationID.x % 8, ty = gl_LocalInvocationID.x / 8;
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
}

/// Weights times 32 channels of the values.
void addValues(uint chunk)
{
    const uint tx = gl_LocalInvocationID.x % 8, ty = gl_LocalInvocationID.x / 8;
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

/// To the output, or to the partial results of a split; the threads' sums are in `rowMaxima`.
void storeRows(ItemView view, Part part)
{
    const uint tx = gl_LocalInvocationID.x % 8, ty = gl_LocalInvocationID.x / 8;
    UNROLL for (uint i = 0; i < kRows; ++i) {
        const Slot slot = slotAt(ty + 16 * i, part);
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
}

void processRows(uint item, Part part)
{
    const uint tx = gl_LocalInvocationID.x % 8, ty = gl_LocalInvocationID.x / 8;
    const ItemView view = viewItem(item, part.kvHead);
    uint used;
    uvec2 range = splitKeys(view, gl_WorkGroupID.z, used);
    if (gl_WorkGroupID.z >= used)
        return;
    range.x = max(range.x, seenKeys(view, part.begin).x);
    range.y = min(range.y, seenKeys(view, part.end - 1).y);
    beginSlots(view, part);
    for (uint base = range.x; base < range.y; base += kTileKeys) {
        UNROLL for (uint i = 0; i < kRows * 4; ++i)
            scores[i] = 0;
        for (uint chunk = 0; chunk < kChunks; ++chunk) {
            barrier();
            stageQueries(view, part, chunk);
            stageKeys(view, base, range.y, chunk);
            barrier();
            multiplyKeys();
        }
        finishScores(view, part, base, range.y);
        barrier();
        makeWeights();
        UNROLL for (uint chunk = 0; chunk < kValueChunks; ++chunk) {
            barrier();
            stageValues(view, base, range.y, chunk);
            barrier();
            addValues(chunk);
        }
    }

    barrier();
    UNROLL for (uint i = 0; i < kRows; ++i)
        rowMaxima[(ty + 16 * i) * 8 + tx] = sums[i];
    barrier();
    storeRows(view, part);
    barrier();
}

#include "shaders/common/attention_part_main.glsl"
