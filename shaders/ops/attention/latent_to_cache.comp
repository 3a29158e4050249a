#version 460
// One group per row: the latent, and behind it the rotated part, become one row of the cache.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/references.glsl"
#include "shaders/ops/attention/latent_to_cache.h"

KERNEL(LATENT_TO_CACHE_CONSTANTS, LatentToCachePush)

shared float staged[kStaged];
shared uint magnitudes[kStaged];
#include "shaders/common/cache_store.glsl"
#include "shaders/common/head_transform.glsl"
#include "shaders/common/pass_tables.glsl"

void main()
{
    const uint row = push.firstRow + gl_WorkGroupID.x;
    for (uint c = gl_LocalInvocationID.x; c < kRank; c += gl_WorkGroupSize.x)
        staged[c] = loadActivation(push.latent, (kFlags & kLatentHalf) != 0,
                                   row * push.latentStride + c);
    stageHead(push.ropePart, (kFlags & kRopePartHalf) != 0, row * push.ropeStride, kRopeDim, kRank,
              false, push.latent, 0,
              Rotation((kFlags & kRopeInterleaved) != 0, kPairs, kFirst, push.factor, push.turns),
              Uints(push.positions).v[row]);
    barrier();
    const uint item = Uints(push.rowItems).v[row];
    const PassItem passItem = PassItems(push.items).v[item];
    const uint key = passItem.past + (row - passItem.firstRow);
    storeCacheRow(addProduct(PassCaches(push.caches).v[item].keys, key,
                             cacheRowBytes(kCacheType, kStaged)),
                  kCacheType, kStaged);
}
