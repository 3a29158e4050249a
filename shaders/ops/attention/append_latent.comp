#version 460
// KV append of a latent cache, one workgroup for each row: the latent, and behind it the part with RoPE.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/references.glsl"
#include "shaders/ops/attention/append_latent.h"

KERNEL(APPEND_LATENT_CONSTANTS, AppendLatentPush)

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
