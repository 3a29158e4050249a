#include "shaders/ops/heads_to_cache.h"

#include "engine/vulkan/head_checks.h"
#include "engine/vulkan/ops.h"

namespace fireside::vulkan {
namespace {

constexpr const char *kOp = "headsToCache";

std::int64_t pairsOf(const HeadTransform &transform)
{
    return transform.rope == nullptr
               ? 0
               : static_cast<std::int64_t>(transform.rope->inverseFrequencies.size());
}

std::uint32_t flag(bool set, std::uint32_t bit)
{
    return set ? bit : 0;
}

bool interleaved(const HeadTransform &transform)
{
    return transform.rope != nullptr && transform.rope->pairing == RopePairing::Interleaved;
}

} // namespace

void headsToCache(Recorder &r, const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                  const HeadTransform &kTransform, const Tensor &v, std::int64_t layer,
                  const AttentionShape &shape)
{
    const std::int64_t T = r.rows(), D = shape.headDim, Dv = shape.values();
    expectShape(kOp, "q", T, shape.heads * D, q);
    expectShape(kOp, "k", T, shape.kvHeads * D, k);
    expectShape(kOp, "v", T, shape.kvHeads * Dv, v);
    expectActivation(kOp, "q", q);
    expectActivation(kOp, "k", k);
    expectActivation(kOp, "v", v);
    expectRope(kOp, qTransform.rope, D);
    expectRope(kOp, kTransform.rope, D);
    if (T == 0)
        return;
    const KvLayer &cache = r.cache(layer);
    if (cache.kvHeads != shape.kvHeads || cache.headDim != D || cache.valueDim != Dv ||
        cache.values == nullptr)
        throwHeads(kOp, "heads [" + std::to_string(shape.kvHeads) + ", " + std::to_string(D) +
                            " and " + std::to_string(Dv) + "] for a cache of [" +
                            std::to_string(cache.kvHeads) + ", " + std::to_string(cache.headDim) +
                            " and " + std::to_string(cache.valueDim) + "]");
    const std::uint32_t type = cacheType(kOp, cache.dtype, D);
    cacheType(kOp, cache.dtype, Dv);

    HeadsToCachePush push{};
    push.q = r.address(q);
    push.k = r.address(k);
    push.v = r.address(v);
    push.qNorm = vectorAddress(kOp, qTransform.norm, D);
    push.kNorm = vectorAddress(kOp, kTransform.norm, D);
    push.qTurns = turnTable(r, qTransform.rope);
    push.kTurns = turnTable(r, kTransform.rope);
    push.positions = r.positions();
    push.rowItems = r.rowItems();
    push.items = r.itemTable();
    push.caches = r.caches(layer);
    push.qStride = checked32(q.stride);
    push.kStride = checked32(k.stride);
    push.vStride = checked32(v.stride);
    push.qEps = qTransform.eps;
    push.kEps = kTransform.eps;
    push.qFactor = qTransform.rope != nullptr ? qTransform.rope->attentionFactor : 1.0f;
    push.kFactor = kTransform.rope != nullptr ? kTransform.rope->attentionFactor : 1.0f;

    const bool moveQueries = qTransform.norm != nullptr || pairsOf(qTransform) > 0;
    const std::int64_t heads = moveQueries ? shape.heads : 0;
    const std::uint32_t flags =
        flag(isHalf(q) != 0, kQueriesHalf) | flag(isHalf(k) != 0, kKeysHalf) |
        flag(isHalf(v) != 0, kValuesHalf) | flag(qTransform.norm != nullptr, kQueriesNormed) |
        flag(kTransform.norm != nullptr, kKeysNormed) |
        flag(interleaved(qTransform), kQueriesInterleaved) |
        flag(interleaved(kTransform), kKeysInterleaved);
    const std::array<std::uint32_t, 12> constants{
        threadsForHead(r, std::max(D, Dv)),
        flags,
        type,
        checked32(heads),
        checked32(shape.kvHeads),
        checked32(D),
        checked32(Dv),
        checked32(pairsOf(qTransform)),
        qTransform.rope != nullptr ? checked32(qTransform.rope->firstChannel) : 0,
        checked32(pairsOf(kTransform)),
        kTransform.rope != nullptr ? checked32(kTransform.rope->firstChannel) : 0,
        checked32(std::max(D, Dv))};
    const double channels = static_cast<double>((2 * heads + shape.kvHeads) * D);
    const auto workOf = [&](std::int64_t rows) {
        return Work{4 * channels * static_cast<double>(rows),
                    8 * channels * static_cast<double>(rows)};
    };
    forRows(r, 1, T, workOf(T), [&](std::int64_t first, std::int64_t count) {
        push.firstRow = checked32(first);
        const Groups groups{heads + 2 * shape.kvHeads, count, 1};
        if (moveQueries)
            r.dispatch("heads_to_cache", constants, push, groups,
                       {accessOf(q), accessOf(k), accessOf(v)}, {accessOf(q), r.cacheAccess(layer)},
                       workOf(count));
        else
            r.dispatch("heads_to_cache", constants, push, groups, {accessOf(k), accessOf(v)},
                       {r.cacheAccess(layer)}, workOf(count));
    });
}

} // namespace fireside::vulkan
