// What the kernels of attention with an AttentionPush share: constants, push block, which keys a query
// sees, and the partial results of split keys.
#ifndef FIRESIDE_ATTENTION_GLSL
#define FIRESIDE_ATTENTION_GLSL
#include "shaders/common/activations.glsl"
#include "shaders/common/cache.glsl"
#include "shaders/common/pass_tables.glsl"

#include "shaders/ops/attention/attention.h"

KERNEL(ATTENTION_CONSTANTS, AttentionPush)
#define SLOPES push.slopes
#define SINKS push.sinks
#include "shaders/common/attention_logits.glsl"

const float kHidden = -3e38; // the logit of a key that a query does not see

const uint kPlainChannels = (kFlags & kExpanded) != 0 ? kFlags >> kPlainShift : kHeadDim;

bool takesPart(uint itemRows)
{
    if (has(kExpanded))
        return true;
    return has(kManyRows) ? itemRows > kFewSlots / kGroup : itemRows <= kFewSlots / kGroup;
}

/// An item, seen by one kv head.
struct ItemView
{
    uint firstRow, rows;
    uint past, keys; // query i of the item stands at past + i
    uvec2 keyBase, valueBase;
    uint keyBytes, valueBytes; // from one key to the next
    uvec2 sharedBase;          // with kExpanded: what the keys of all heads have in common
    uint sharedBytes;
};

ItemView viewItem(uint item, uint kvHead)
{
    const PassItem passItem = PassItems(push.items).v[item];
    ItemView view;
    view.firstRow = passItem.firstRow;
    view.rows = passItem.rows;
    if (has(kSequence)) {
        view.past = 0;
        view.keys = passItem.rows;
        view.keyBytes = cacheRowBytes(kKeyType, push.kStride);
        view.valueBytes = cacheRowBytes(kValueType, push.vStride);
        view.keyBase = addBytes(addProduct(push.k, passItem.firstRow, view.keyBytes),
                                cacheRowBytes(kKeyType, kvHead * kHeadDim));
        view.valueBase = addBytes(addProduct(push.v, passItem.firstRow, view.valueBytes),
                                  cacheRowBytes(kValueType, kvHead * kValueDim));
    } else if (has(kExpanded)) {
        view.past = passItem.past;
        view.keys = passItem.past + passItem.rows;
        view.keyBytes = cacheRowBytes(kKeyType, push.kStride);
        view.valueBytes = cacheRowBytes(kValueType, push.vStride);
        const uint first = item * push.counters.y;
        view.keyBase = addBytes(addProduct(push.k, first, view.keyBytes),
                                cacheRowBytes(kKeyType, kvHead * kPlainChannels));
        view.valueBase = addBytes(addProduct(push.v, first, view.valueBytes),
                                  cacheRowBytes(kValueType, kvHead * kValueDim));
        const uint rank = push.counters.x;
        view.sharedBase = addBytes(PassCaches(push.slopes).v[item].keys,
                                   cacheRowBytes(kKeyType, rank));
        view.sharedBytes = cacheRowBytes(kKeyType, rank + kHeadDim - kPlainChannels);
    } else {
        const PassCache cache = PassCaches(push.k).v[item];
        view.past = passItem.past;
        view.keys = passItem.past + passItem.rows;
        view.keyBytes = cacheRowBytes(kKeyType, kHeadDim);
        view.valueBytes = has(kLatent) ? view.keyBytes : cacheRowBytes(kValueType, kValueDim);
        const uint firstRow = kvHead * passItem.capacity;
        view.keyBase = addProduct(cache.keys, firstRow, view.keyBytes);
        view.valueBase = addProduct(cache.values, firstRow, view.valueBytes);
    }
    return view;
}

CacheChunk fetchKeys(ItemView view, uint key, uint first)
{
    if (has(kExpanded) && first >= kPlainChannels)
        return fetchChunk(addProduct(view.sharedBase, key, view.sharedBytes), kKeyType, kKeyStep,
                          kHeadDim - kPlainChannels, first - kPlainChannels);
    return fetchChunk(addProduct(view.keyBase, key, view.keyBytes), kKeyType, kKeyStep, kHeadDim,
                      first);
}
/// With a latent cache what lies behind the values are keys; nothing is stored from there.
CacheChunk fetchValues(ItemView view, uint key, uint first)
{
    return fetchChunk(addProduct(view.valueBase, key, view.valueBytes), kValueType, kValueStep,
                      has(kLatent) ? kHeadDim : kValueDim, first);
}

/// Keys [x, y) that query i of the item sees.
uvec2 seenKeys(ItemView view, uint i)
{
    const uint at = view.past + i;
    if (has(kChunked))
        return uvec2(at - at % push.window, at + 1);
    if (has(kCausal))
        return uvec2(push.window > 0 && at + 1 > push.window ? at + 1 - push.window : 0, at + 1);
    const uint reach = push.window / 2;
    return push.window == 0 ? uvec2(0, view.keys)
                            : uvec2(at > reach ? at - reach : 0, min(view.keys, at + reach + 1));
}

/// The part of the item's keys that belongs to a split, and how many splits have any.
uvec2 splitKeys(ItemView view, uint split, out uint used)
{
    const uvec2 all = uvec2(seenKeys(view, 0).x, seenKeys(view, view.rows - 1).y);
    const uint total = all.y - all.x;
    const uint each = (total + push.splits - 1) / push.splits;
    const uint part = (each + kSplitStep - 1) / kSplitStep * kSplitStep;
    used = (total + part - 1) / part;
    const uint begin = min(all.x + split * part, all.y);
    return uvec2(begin, min(begin + part, all.y));
}

// Partial results are written and read by different workgroups, of one dispatch with kReduceInLast.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer PartialFloats
{
    float v[];
};
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer PartialFours
{
    vec4 v[];
};

uint partialIndex(uint row, uint head, uint split)
{
    return (row * kHeads + head) * push.splits + split;
}
void storePartial(uint index, uint channel, float value)
{
    PartialFloats(push.partials).v[index * kValueDim + channel] = value;
}
void storePartialFour(uint index, uint four, vec4 value)
{
    const uint to = index * kValueDim + 4 * four;
    if (kValueDim % 4 == 0)
        PartialFours(addBytes(push.partials, 4 * to)).v[0] = value;
    else
        for (uint i = 0; i < 4; ++i)
            if (4 * four + i < kValueDim)
                PartialFloats(push.partials).v[to + i] = value[i];
}
/// Channels 4·four … of a partial result, zeros behind the last.
vec4 loadPartial(uint index, uint four)
{
    const uint from = index * kValueDim + 4 * four;
    if (kValueDim % 4 == 0)
        return PartialFours(addBytes(push.partials, 4 * from)).v[0];
    vec4 value = vec4(0);
    for (uint i = 0; i < 4; ++i)
        if (4 * four + i < kValueDim)
            value[i] = PartialFloats(push.partials).v[from + i];
    return value;
}
void storePartialStats(uint index, float largest, float sum)
{
    const uint stats = push.rows * kHeads * push.splits * kValueDim;
    PartialFloats(push.partials).v[stats + 2 * index] = largest;
    PartialFloats(push.partials).v[stats + 2 * index + 1] = sum;
}
vec2 loadPartialStats(uint index)
{
    const uint stats = push.rows * kHeads * push.splits * kValueDim;
    return vec2(PartialFloats(push.partials).v[stats + 2 * index],
                PartialFloats(push.partials).v[stats + 2 * index + 1]);
}
void storeFour(uint row, uint head, uint four, vec4 value)
{
    for (uint i = 0; i < 4; ++i)
        if (4 * four + i < kValueDim)
            storeActivation(push.out_, has(kOutHalf),
                            row * push.outStride + head * kValueDim + 4 * four + i, value[i]);
}

#endif
