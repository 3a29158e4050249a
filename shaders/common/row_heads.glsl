// Heads of a new row as attention_row.comp takes them straight from their products: turned to shared
// memory channel by channel, with the norm's factor left for those who read them.
#include "shaders/common/rope.glsl"
#include "shaders/ops/heads_to_cache.h"

layout(constant_id = 12) const uint kHeadFlags = 0; // of heads_to_cache.h
layout(constant_id = 13) const uint kQueryPairs = 32; // channels [first, first + 2 · pairs) turn
layout(constant_id = 14) const uint kQueryFirst = 0;
layout(constant_id = 15) const uint kKeyPairs = 32;
layout(constant_id = 16) const uint kKeyFirst = 0;

bool headsHave(uint flag)
{
    return (kHeadFlags & flag) != 0;
}
const bool kSameTurns = kQueryPairs == kKeyPairs && kQueryFirst == kKeyFirst &&
                        ((kHeadFlags & kQueriesHalf) != 0) == ((kHeadFlags & kKeysHalf) != 0) &&
                        ((kHeadFlags & kQueriesNormed) != 0) == ((kHeadFlags & kKeysNormed) != 0) &&
                        ((kHeadFlags & kQueriesInterleaved) != 0) ==
                            ((kHeadFlags & kKeysInterleaved) != 0);

shared vec4 turned[(kSlots + 1) * kHeadFours]; // queries, then the newest key

struct HeadToTurn
{
    uvec2 x;
    bool isHalf;
    uint from;
    bool normed;
    uvec2 norm;
    uint pairs, first;
    bool interleaved;
    uvec2 turns;
    float factor;
};
/// A channel of a head times the norm's weight, turned; the norm's factor is left for later.
float turnedChannel(HeadToTurn head, uint channel, uint position)
{
    const uint at = channel - head.first; // large below the first
    const bool turns = at < 2 * head.pairs;
    const bool second = head.interleaved ? (at & 1) != 0 : at >= head.pairs;
    const uint pair = head.interleaved ? at / 2 : second ? at - head.pairs : at;
    uint other = head.interleaved ? (second ? channel - 1 : channel + 1)
                                  : second ? channel - head.pairs : channel + head.pairs;
    other = turns ? other : channel;
    vec2 x = vec2(loadActivation(head.x, head.isHalf, head.from + channel),
                  loadActivation(head.x, head.isHalf, head.from + other));
    if (head.normed)
        x *= vec2(Floats(head.norm).v[channel], Floats(head.norm).v[other]);
    if (!turns)
        return x.x;
    const vec2 turn = cosSin(position, Uints2(head.turns).v[pair]) * head.factor;
    return x.x * turn.x + (second ? x.y : -x.y) * turn.y;
}

/// Queries of heads from `head` on and the newest key to `turned`.
void turnHeads(AttentionRowHeads heads, uint row, uint head, uint position)
{
    const uint keyFrom = row * push.kStride + head / kGroup * kHeadDim;
    [[dont_unroll]] for (uint i = threadIndex(); i < (kSlots + 1) * kHeadDim; i += kThreads) {
        const bool isKey = i >= kSlots * kHeadDim;
        const uint channel = i % kHeadDim;
        const uint queryFrom = row * push.qStride + head * kHeadDim + (i - channel);
        HeadToTurn it = HeadToTurn(push.q, headsHave(kQueriesHalf), queryFrom,
                                   headsHave(kQueriesNormed), heads.qNorm, kQueryPairs, kQueryFirst,
                                   headsHave(kQueriesInterleaved), heads.qTurns, heads.qFactor);
        float x;
        if (kSameTurns) { // one copy of the code
            it.x = isKey ? push.k : it.x;
            it.from = isKey ? keyFrom : it.from;
            it.norm = isKey ? heads.kNorm : it.norm;
            it.turns = isKey ? heads.kTurns : it.turns;
            it.factor = isKey ? heads.kFactor : it.factor;
            x = turnedChannel(it, channel, position);
        } else if (isKey) {
            x = turnedChannel(HeadToTurn(push.k, headsHave(kKeysHalf), keyFrom,
                                         headsHave(kKeysNormed), heads.kNorm, kKeyPairs, kKeyFirst,
                                         headsHave(kKeysInterleaved), heads.kTurns, heads.kFactor),
                              channel, position);
        } else {
            x = turnedChannel(it, channel, position);
        }
        turned[i / 4][i % 4] = x;
    }
}

vec4 loadFour(uvec2 x, bool isHalf, uint from) // a multiple of four
{
    return loadUnit(x, isHalf, true, from / 4);
}
/// 1 / √(mean of squares + eps) of a head, by each team for itself.
float normFactor(uvec2 x, bool isHalf, uint from, float eps)
{
    float square = 0;
    UNROLL for (uint i = 0; i < kChunks; ++i) {
        const uint channel = 8 * (i * kLanes + laneIndex());
        if (kHeadDim % (8 * kLanes) == 0 || channel < kHeadDim) {
            const vec4 low = loadFour(x, isHalf, from + channel);
            const vec4 high = loadFour(x, isHalf, from + channel + 4);
            square += dot(low, low) + dot(high, high);
        }
    }
    return 1 / sqrt(overTeam(square) / float(kHeadDim) + eps);
}
