#version 460
// append_kv.comp for many rows of heads without norms, with the same RoPE for queries and keys: one
// workgroup for each row. A thread has the same pair of channels of several heads, so that it computes
// the angle once.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activations.glsl"
#include "shaders/common/cache.glsl"
#include "shaders/common/pass_tables.glsl"
#include "shaders/common/rope.glsl"
#include "shaders/ops/attention/append_kv.h"

KERNEL(APPEND_KV_ROWS_CONSTANTS, AppendKvPush)

const uint kUnits = kHeadDim / 2, kAll = kHeads + 2 * kKvHeads;

bool has(uint flag)
{
    return (kFlags & flag) != 0;
}
uint stillChannel(uint i)
{
    return i < kFirst ? i : i + 2 * kPairs;
}

/// Heads count queries first, then keys, then values.
vec2 loadHead(uint head, uint row, uint a, uint b)
{
    if (head < kHeads) {
        const uint from = row * push.qStride + head * kHeadDim;
        return vec2(loadActivation(push.q, has(kQueriesHalf), from + a),
                    loadActivation(push.q, has(kQueriesHalf), from + b));
    }
    if (head < kHeads + kKvHeads) {
        const uint from = row * push.kStride + (head - kHeads) * kHeadDim;
        return vec2(loadActivation(push.k, has(kKeysHalf), from + a),
                    loadActivation(push.k, has(kKeysHalf), from + b));
    }
    const uint from = row * push.vStride + (head - kHeads - kKvHeads) * kHeadDim;
    return vec2(loadActivation(push.v, has(kValuesHalf), from + a),
                loadActivation(push.v, has(kValuesHalf), from + b));
}

void storeInCache(uvec2 row, uint channel, float value)
{
    if (kCacheType == kCacheF16)
        Halves(row).v[channel] = float16_t(value);
    else
        Floats(row).v[channel] = value;
}

void main()
{
    const uint row = push.firstRow + gl_WorkGroupID.x;
    const uint unit = gl_LocalInvocationID.x % kUnits, lane = gl_LocalInvocationID.x / kUnits;
    const uint position = Uints(push.positions).v[row];
    const uint item = Uints(push.rowItems).v[row];
    const PassItem passItem = PassItems(push.items).v[item];
    const PassCache cache = PassCaches(push.caches).v[item];
    const uint key = passItem.past + (row - passItem.firstRow);
    const uint rowBytes = cacheRowBytes(kCacheType, kHeadDim);

    uint a = stillChannel(2 * (unit - kPairs)), b = stillChannel(2 * (unit - kPairs) + 1);
    vec2 rotation = vec2(1, 0);
    if (unit < kPairs) {
        a = kFirst + (has(kQueriesInterleaved) ? 2 * unit : unit);
        b = has(kQueriesInterleaved) ? a + 1 : a + kPairs;
        rotation = cosSin(position, Uints2(push.qTurns).v[unit]) * push.qFactor;
    }
    for (uint begin = lane; begin < kAll; begin += kBatch * kLanes) {
        vec2 value[kBatch];
        [[unroll]] for (uint j = 0; j < kBatch; ++j) {
            const uint head = begin + j * kLanes;
            if (head < kAll)
                value[j] = loadHead(head, row, a, b);
        }
        [[unroll]] for (uint j = 0; j < kBatch; ++j) {
            const uint head = begin + j * kLanes;
            if (head >= kAll)
                break;
            const bool isValue = head >= kHeads + kKvHeads;
            vec2 x = value[j];
            if (!isValue)
                x = vec2(x.x * rotation.x - x.y * rotation.y, x.y * rotation.x + x.x * rotation.y);
            if (head < kHeads) {
                const uint to = row * push.qStride + head * kHeadDim;
                storeActivation(push.q, has(kQueriesHalf), to + a, x.x);
                storeActivation(push.q, has(kQueriesHalf), to + b, x.y);
                continue;
            }
            const uint kvHead = head - kHeads - (isValue ? kKvHeads : 0);
            const uvec2 to = addProduct(isValue ? cache.values : cache.keys,
                                        kvHead * passItem.capacity + key, rowBytes);
            storeInCache(to, a, x.x);
            storeInCache(to, b, x.y);
        }
    }
}
