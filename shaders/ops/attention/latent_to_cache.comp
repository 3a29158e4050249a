#version 460
// One group per row: the latent, and behind it the rotated part, become one row of the cache.
#extension GL_GOOGLE_include_directive : require
#include "shaders/ops/attention/latent_to_cache.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kFlags = 0;
layout(constant_id = 2) const uint kCacheType = 1;
layout(constant_id = 3) const uint kRank = 512;
layout(constant_id = 4) const uint kRopeDim = 64;
layout(constant_id = 5) const uint kPairs = 32;
layout(constant_id = 6) const uint kFirst = 0;
layout(constant_id = 7) const uint kStaged = 576; // rank + r

shared float staged[kStaged];
shared uint magnitudes[kStaged];
#include "shaders/common/cache_store.glsl"
#include "shaders/common/head_transform.glsl"
#include "shaders/common/pass_tables.glsl"

layout(push_constant, scalar) uniform Push { LatentToCachePush push; };

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
