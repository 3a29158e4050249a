// Norm weights and RoPE of the heads of a new row, for attention_row*.comp: kRotatedQueries query heads of
// the includer and the key head, to shared memory, one channel per thread and round. The norm's factor
// 1 / √(mean(x²) + eps) is left to those who read them. Loads come in two steps, before and after the
// addresses in `heads` are known.
#include "shaders/common/rope.glsl"
#include "shaders/ops/attention/append_kv.h"

bool headsHave(uint flag)
{
    return (kHeadFlags & flag) != 0;
}

// Of the queries, then of the newest key.
const uint kRotated = (kRotatedQueries + 1) * kHeadDim;
const uint kRotatedEach = (kRotated + kThreads - 1) / kThreads;
shared vec4 rotated[kRotated / 4];

/// Where element i of `rotated` comes from.
struct HeadChannel
{
    bool isKey, turns, second; // of a pair
    uint head;                 // of the queries
    uint channel, other, pair;
};
HeadChannel headChannel(uint i)
{
    HeadChannel it;
    it.isKey = i >= kRotatedQueries * kHeadDim;
    it.head = i / kHeadDim;
    it.channel = i - it.head * kHeadDim;
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

vec2 headPairs[kRotatedEach], headNorms[kRotatedEach];
uvec2 headTurns[kRotatedEach];

/// The first step: of heads from `head` on, of a kv head; beyond `last` of them that one again.
void fetchPairs(uint row, uint head, uint last)
{
    const uint queryFrom = row * push.qStride + head * kHeadDim;
    const uint keyFrom = row * push.kStride + head / kGroup * kHeadDim;
    UNROLL for (uint n = 0; n < kRotatedEach; ++n) {
        const uint i = n * kThreads + threadIndex();
        const HeadChannel it = headChannel(i);
        if (kRotated % kThreads != 0 && i >= kRotated)
            continue;
        const uint from = it.isKey ? keyFrom : queryFrom + min(it.head, last) * kHeadDim;
        const uvec2 x = it.isKey ? push.k : push.q;
        const bool isHalf = it.isKey ? headsHave(kKeysHalf) : headsHave(kQueriesHalf);
        headPairs[n] = vec2(loadActivation(x, isHalf, from + it.channel),
                            loadActivation(x, isHalf, from + it.other));
    }
}

/// The second.
void fetchTurns(AttentionRowHeads heads)
{
    UNROLL for (uint n = 0; n < kRotatedEach; ++n) {
        const uint i = n * kThreads + threadIndex();
        const HeadChannel it = headChannel(i);
        if (kRotated % kThreads != 0 && i >= kRotated)
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

void rotateHeads(AttentionRowHeads heads, uint position)
{
    UNROLL for (uint n = 0; n < kRotatedEach; ++n) {
        const uint i = n * kThreads + threadIndex();
        const HeadChannel it = headChannel(i);
        if (kRotated % kThreads != 0 && i >= kRotated)
            continue;
        const vec2 x = headPairs[n] * headNorms[n];
        float value = x.x;
        if (it.turns) {
            const vec2 rotation =
                cosSin(position, headTurns[n]) * (it.isKey ? heads.kFactor : heads.qFactor);
            value = x.x * rotation.x + (it.second ? x.y : -x.y) * rotation.y;
        }
        rotated[i / 4][i % 4] = value;
    }
}
