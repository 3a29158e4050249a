// Heads of a new row as attention_row.comp takes them straight from their products: turned to shared
// memory channel by channel, with the norm's factor left for those who read them. What they are made
// of is asked for in two steps, before and after the addresses of `heads` are known.
#include "shaders/common/rope.glsl"
#include "shaders/ops/heads_to_cache.h"

layout(constant_id = 11) const uint kHeadFlags = 0; // of heads_to_cache.h
layout(constant_id = 12) const uint kQueryPairs = 32; // channels [first, first + 2 · pairs) turn
layout(constant_id = 13) const uint kQueryFirst = 0;
layout(constant_id = 14) const uint kKeyPairs = 32;
layout(constant_id = 15) const uint kKeyFirst = 0;

bool headsHave(uint flag)
{
    return (kHeadFlags & flag) != 0;
}

// Of the query, then of the newest key.
const uint kTurned = 2 * kHeadDim, kTurnedEach = (kTurned + kThreads - 1) / kThreads;
shared vec4 turned[kTurned / 4];

/// Where element i of `turned` comes from.
struct HeadChannel
{
    bool isKey, turns, second; // of a pair
    uint channel, other, pair;
};
HeadChannel headChannel(uint i)
{
    HeadChannel it;
    it.isKey = i >= kHeadDim;
    it.channel = it.isKey ? i - kHeadDim : i;
    const uint pairs = it.isKey ? kKeyPairs : kQueryPairs;
    const uint at = it.channel - (it.isKey ? kKeyFirst : kQueryFirst); // large below the first
    const bool interleaved =
        it.isKey ? headsHave(kKeysInterleaved) : headsHave(kQueriesInterleaved);
    it.turns = at < 2 * pairs;
    it.second = interleaved ? (at & 1) != 0 : at >= pairs;
    it.pair = interleaved ? at / 2 : it.second ? at - pairs : at;
    const uint apart = !it.turns ? 0 : interleaved ? 1 : pairs;
    it.other = it.second ? it.channel - apart : it.channel + apart;
    return it;
}

vec2 headPairs[kTurnedEach], headNorms[kTurnedEach];
uvec2 headTurns[kTurnedEach];
vec4 headChunks[4 * kChunks]; // with norms: channels of each team for itself
vec4 newValues[2 * kValueChunks];

/// The first step.
void fetchHeads(uint row, uint head)
{
    const uint queryFrom = row * push.qStride + head * kHeadDim;
    const uint keyFrom = row * push.kStride + head / kGroup * kHeadDim;
    UNROLL for (uint n = 0; n < kTurnedEach; ++n) {
        const uint i = n * kThreads + threadIndex();
        const HeadChannel it = headChannel(i);
        if (kTurned % kThreads != 0 && i >= kTurned)
            continue;
        const uint from = it.isKey ? keyFrom : queryFrom;
        const uvec2 x = it.isKey ? push.k : push.q;
        const bool isHalf = it.isKey ? headsHave(kKeysHalf) : headsHave(kQueriesHalf);
        headPairs[n] = vec2(loadActivation(x, isHalf, from + it.channel),
                            loadActivation(x, isHalf, from + it.other));
    }
    UNROLL for (uint m = 0; m < 2; ++m) {
        if (!headsHave(m == 0 ? kQueriesNormed : kKeysNormed))
            continue;
        const uint from = m == 0 ? queryFrom : keyFrom;
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

/// The second.
void fetchTurns(AttentionRowHeads heads)
{
    UNROLL for (uint n = 0; n < kTurnedEach; ++n) {
        const uint i = n * kThreads + threadIndex();
        const HeadChannel it = headChannel(i);
        if (kTurned % kThreads != 0 && i >= kTurned)
            continue;
        if (it.turns)
            headTurns[n] = Uints2(it.isKey ? heads.kTurns : heads.qTurns).v[it.pair];
        headNorms[n] = vec2(1);
        if (it.isKey ? headsHave(kKeysNormed) : headsHave(kQueriesNormed)) {
            const uvec2 norm = it.isKey ? heads.kNorm : heads.qNorm;
            headNorms[n] = vec2(Floats(norm).v[it.channel], Floats(norm).v[it.other]);
        }
    }
}

void turnHeads(AttentionRowHeads heads, uint position)
{
    UNROLL for (uint n = 0; n < kTurnedEach; ++n) {
        const uint i = n * kThreads + threadIndex();
        const HeadChannel it = headChannel(i);
        if (kTurned % kThreads != 0 && i >= kTurned)
            continue;
        const vec2 x = headPairs[n] * headNorms[n];
        float value = x.x;
        if (it.turns) {
            const vec2 turn =
                cosSin(position, headTurns[n]) * (it.isKey ? heads.kFactor : heads.qFactor);
            value = x.x * turn.x + (it.second ? x.y : -x.y) * turn.y;
        }
        turned[i / 4][i % 4] = value;
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
