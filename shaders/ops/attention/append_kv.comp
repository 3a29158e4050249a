#version 460
// RoPE + KV append, one workgroup for each row and head: norm and RoPE of a query head in place, of a key
// head into the cache; a value head is copied to the cache.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/references.glsl"
#include "shaders/ops/attention/append_kv.h"

KERNEL(APPEND_KV_CONSTANTS, AppendKvPush)

shared float staged[kStaged];
shared uint magnitudes[kStaged];
#include "shaders/common/cache_store.glsl"
#include "shaders/common/head_transform.glsl"
#include "shaders/common/pass_tables.glsl"

void main()
{
    const uint row = push.firstRow + gl_WorkGroupID.y;
    const uint head = gl_WorkGroupID.x;
    const uint position = Uints(push.positions).v[row];
    if (head < kHeads) {
        const uint from = row * push.qStride + head * kHeadDim;
        const bool isHalf = (kFlags & kQueriesHalf) != 0;
        stageHead(push.q, isHalf, from, kHeadDim, 0, (kFlags & kQueriesNormed) != 0, push.qNorm,
                  push.qEps,
                  Rotation((kFlags & kQueriesInterleaved) != 0, kQueryPairs, kQueryFirst,
                           push.qFactor, push.qTurns),
                  position);
        barrier();
        for (uint c = gl_LocalInvocationID.x; c < kHeadDim; c += gl_WorkGroupSize.x)
            storeActivation(push.q, isHalf, from + c, staged[c]);
        return;
    }
    const uint item = Uints(push.rowItems).v[row];
    const PassItem passItem = PassItems(push.items).v[item];
    const PassCache cache = PassCaches(push.caches).v[item];
    const uint key = passItem.past + (row - passItem.firstRow);
    const bool isKey = head < kHeads + kKvHeads;
    const uint kvHead = head - kHeads - (isKey ? 0 : kKvHeads);
    const uint cacheRow = kvHead * passItem.capacity + key;
    if (isKey) {
        stageHead(push.k, (kFlags & kKeysHalf) != 0, row * push.kStride + kvHead * kHeadDim,
                  kHeadDim, 0, (kFlags & kKeysNormed) != 0, push.kNorm, push.kEps,
                  Rotation((kFlags & kKeysInterleaved) != 0, kKeyPairs, kKeyFirst, push.kFactor,
                           push.kTurns),
                  position);
        barrier();
        storeCacheRow(addProduct(cache.keys, cacheRow, cacheRowBytes(kCacheType, kHeadDim)),
                      kCacheType, kHeadDim);
    } else {
        for (uint c = gl_LocalInvocationID.x; c < kValueDim; c += gl_WorkGroupSize.x)
            staged[c] = loadActivation(push.v, (kFlags & kValuesHalf) != 0,
                                       row * push.vStride + kvHead * kValueDim + c);
        barrier();
        storeCacheRow(addProduct(cache.values, cacheRow, cacheRowBytes(kCacheType, kValueDim)),
                      kCacheType, kValueDim);
    }
}
