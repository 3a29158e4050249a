#version 460
// KV append of a latent cache: the latent, normalised, and behind it the part with RoPE. Beside it what of
// each query turns is turned. Grid: rows, the row of the cache and then the heads of the queries.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/references.glsl"
#include "shaders/ops/attention/append_latent.h"

KERNEL(APPEND_LATENT_CONSTANTS, AppendLatentPush)

shared float staged[kStaged];
shared uint magnitudes[kStaged];
#include "shaders/common/cache_store.glsl"
#include "shaders/common/head_transform.glsl"
#include "shaders/common/pass_tables.glsl"

bool has(uint flag)
{
    return (kFlags & flag) != 0;
}

/// Pairs that turn, and channels that do not, of all heads.
void turnQueries(uint row)
{
    const uint threads = gl_WorkGroupSize.x;
    const bool interleaved = has(kRopeInterleaved);
    const uint still = kRopeDim - 2 * kPairs, each = kPairs + still;
    const uint from = row * push.queryStride, to = row * push.turnedStride;
    for (uint i = gl_LocalInvocationID.x; i < push.heads * each; i += threads) {
        const uint head = i / each, p = i % each;
        const uint x = from + head * push.queryStep, y = to + head * push.turnedStep;
        if (p >= kPairs) {
            const uint c = p - kPairs < kFirst ? p - kPairs : p + kPairs;
            storeActivation(push.turned, has(kTurnedHalf), y + c,
                            loadActivation(push.queries, has(kTurnsHalf), x + c));
            continue;
        }
        const uint a = kFirst + (interleaved ? 2 * p : p);
        const uint b = interleaved ? a + 1 : a + kPairs;
        const vec2 value = vec2(loadActivation(push.queries, has(kTurnsHalf), x + a),
                                loadActivation(push.queries, has(kTurnsHalf), x + b));
        const vec2 turn =
            cosSin(Uints(push.positions).v[row], Uints2(push.turns).v[p]) * push.factor;
        storeActivation(push.turned, has(kTurnedHalf), y + a, value.x * turn.x - value.y * turn.y);
        storeActivation(push.turned, has(kTurnedHalf), y + b, value.y * turn.x + value.x * turn.y);
    }
}

void main()
{
    const uint row = push.firstRow + gl_WorkGroupID.x;
    if (gl_WorkGroupID.y > 0) {
        turnQueries(row);
        return;
    }
    const Rotation none = Rotation(false, 0, 0, 1, uvec2(0));
    stageHead(push.latent, has(kLatentHalf), row * push.latentStride, kRank, 0, has(kLatentNormed),
              push.norm, push.eps, none, 0);
    stageHead(push.ropePart, has(kRopePartHalf), row * push.ropeStride, kRopeDim, kRank, false,
              push.latent, 0,
              Rotation(has(kRopeInterleaved), kPairs, kFirst, push.factor, push.turns),
              Uints(push.positions).v[row]);
    barrier();
    const uint item = Uints(push.rowItems).v[row];
    const PassItem passItem = PassItems(push.items).v[item];
    const uint key = passItem.past + (row - passItem.firstRow);
    storeCacheRow(addProduct(PassCaches(push.caches).v[item].keys, key,
                             cacheRowBytes(kCacheType, kStaged)),
                  kCacheType, kStaged);
}
