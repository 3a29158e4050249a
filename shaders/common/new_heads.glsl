// Norm and RoPE of the heads of new rows, for attention_few.comp: a subgroup for each head, to floats of
// `scratch`; KV append of the newest key and value.
#include "shaders/common/rope.glsl"
#include "shaders/ops/attention/append_kv.h"

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer NewHeads
{
    AttentionHeads v[];
};

AttentionHeads newHeads;
uint newPosition;

struct HeadToRotate
{
    uvec2 x;
    bool isHalf;
    uint from;
    bool normed;
    uvec2 norm;
    float eps;
    uint pairs, first; // channels [first, first + 2·pairs) are rotated
    bool interleaved;
    uvec2 turns;
    float factor;
};
/// Channels of one head, normalised and rotated by a subgroup, to floats of `scratch` from `to` on.
void rotateHead(HeadToRotate head, uint position, uint to)
{
    const uint pairs = head.pairs;
    float scale = 1;
    if (head.normed) {
        float sum = 0;
        for (uint c = gl_SubgroupInvocationID; c < kHeadDim; c += gl_SubgroupSize) {
            const float value = loadActivation(head.x, head.isHalf, head.from + c);
            sum += value * value;
        }
        scale = 1 / sqrt(subgroupAdd(sum) / float(kHeadDim) + head.eps);
    }
    for (uint i = gl_SubgroupInvocationID; i < kHeadDim - pairs; i += gl_SubgroupSize) {
        uint a, b;
        if (i < pairs) {
            a = head.first + (head.interleaved ? 2 * i : i);
            b = head.interleaved ? a + 1 : a + pairs;
        } else { // stays as it is
            a = i - pairs < head.first ? i - pairs : i + pairs;
            b = a;
        }
        vec2 value = vec2(loadActivation(head.x, head.isHalf, head.from + a),
                          loadActivation(head.x, head.isHalf, head.from + b));
        if (head.normed)
            value *= scale * vec2(Floats(head.norm).v[a], Floats(head.norm).v[b]);
        if (i < pairs) {
            const vec2 rotation = cosSin(position, Uints2(head.turns).v[i]) * head.factor;
            value = vec2(value.x * rotation.x - value.y * rotation.y, value.y * rotation.x + value.x * rotation.y);
        }
        scratch[(to + a) / 2][a % 2] = value.x;
        if (i < pairs)
            scratch[(to + b) / 2][b % 2] = value.y;
    }
}

vec4 asStored(vec4 x, uint type)
{
    return type == kCacheF16 ? vec4(unpackHalf2x16(packHalf2x16(x.xy)),
                                    unpackHalf2x16(packHalf2x16(x.zw)))
                             : x;
}

/// `channels` floats of `scratch` become a row of the cache.
void storeRow(uvec2 row, uint type, uint channels, uint from)
{
    for (uint i = threadIndex(); i < channels; i += kThreads)
        if (type == kCacheF16)
            Halves(row).v[i] = float16_t(scratchFloat(from + i));
        else
            Floats(row).v[i] = scratchFloat(from + i);
}

// Where the new key and value lie, in floats of `scratch`, behind the queries.
const uint kKeyAt = kSlots * kHeadDim, kValueAt = kKeyAt + kHeadDim;

/// The workgroup's queries, and the newest key and its value where it has them, into `scratch`.
void rotateHeads(uint slots, bool newest)
{
    const ItemView view = tile.view;
    const uint kvHead = tile.kvHead;
    const AttentionHeads heads = newHeads;
    const uint position = newPosition;
    for (uint h = gl_SubgroupID; h < kSlots + (newest ? 2 : 0); h += gl_NumSubgroups) {
        if (h == kSlots + 1) {
            const uint from = view.firstRow * heads.vStride + kvHead * kValueDim;
            for (uint c = gl_SubgroupInvocationID; c < kValueDim; c += gl_SubgroupSize)
                scratch[(kValueAt + c) / 2][c % 2] =
                    loadActivation(heads.v, (heads.flags & kValuesHalf) != 0, from + c);
        } else if (h == kSlots) {
            rotateHead(HeadToRotate(heads.k, (heads.flags & kKeysHalf) != 0,
                                view.firstRow * heads.kStride + kvHead * kHeadDim,
                                (heads.flags & kKeysNormed) != 0, heads.kNorm, heads.kEps,
                                heads.kPairs, heads.kFirst,
                                (heads.flags & kKeysInterleaved) != 0, heads.kTurns, heads.kFactor),
                     position, kKeyAt);
        } else if (h < slots) {
            const uint head = kvHead * kGroup + tile.firstSlot + h;
            rotateHead(HeadToRotate(push.q, has(kQueryHalf),
                                view.firstRow * push.qStride + head * kHeadDim,
                                (heads.flags & kQueriesNormed) != 0, heads.qNorm, heads.qEps,
                                heads.qPairs, heads.qFirst,
                                (heads.flags & kQueriesInterleaved) != 0, heads.qTurns,
                                heads.qFactor),
                     position, h * kHeadDim);
        }
    }
}

void storeNewest(ItemView view)
{
    const uint cacheRow = view.past;
    storeRow(addProduct(view.keyBase, cacheRow, view.keyBytes), kKeyType, kHeadDim, kKeyAt);
    storeRow(addProduct(view.valueBase, cacheRow, view.valueBytes), kValueType, kValueDim,
             kValueAt);
}
