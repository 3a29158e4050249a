#include "shaders/ops/attention/append_latent.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {

void requireSupported(const Recorder &r, const op::AppendLatent &op)
{
    if (r.rows() == 0)
        return;
    const std::int64_t D = op.latent.cols + op.ropePart.cols;
    const KvLayer &cache = r.cache(op.layer);
    if (cache.kvHeads != 1 || cache.headDim != D)
        throwHeads(op.kName, "a row of " + std::to_string(D) + " channels for a cache of [" +
                                 std::to_string(cache.kvHeads) + ", " +
                                 std::to_string(cache.headDim) + "]");
}

void run(Recorder &r, const op::AppendLatent &op)
{
    const Tensor &latent = op.latent, &ropePart = op.ropePart;
    const Rope &rope = op.rope;
    const std::int64_t T = r.rows(), D = latent.cols + ropePart.cols;
    if (T == 0)
        return;
    const KvLayer &cache = r.cache(op.layer);
    AppendLatentPush push{};
    push.latent = r.address(latent);
    push.ropePart = r.address(ropePart);
    push.turns = turnTable(r, rope);
    push.positions = r.positions();
    push.rowItems = r.rowItems();
    push.items = r.itemTable();
    push.caches = r.caches(op.layer);
    push.latentStride = checked32(latent.stride);
    push.ropeStride = checked32(ropePart.stride);
    push.factor = rope.attentionFactor;

    std::uint32_t flags = 0;
    flags |= isHalf(latent) != 0 ? kLatentHalf : 0;
    flags |= isHalf(ropePart) != 0 ? kRopePartHalf : 0;
    flags |= rope.pairing == RopePairing::Interleaved ? kRopeInterleaved : 0;
    const AppendLatentConstants constants{.kThreads = threadsForHead(r, D),
                                          .kFlags = flags,
                                          .kCacheType = cacheType(op.kName, cache.dtype, D),
                                          .kRank = checked32(latent.cols),
                                          .kRopeDim = checked32(ropePart.cols),
                                          .kPairs = checked32(pairsOf(rope)),
                                          .kFirst = firstTurning(rope),
                                          .kStaged = checked32(D)};
    const auto workOf = [&](std::int64_t rows) {
        const double numbers = static_cast<double>(rows * D);
        return Work{4 * numbers, 8 * numbers};
    };
    forRows(r, 0, T, workOf(T), [&](std::int64_t first, std::int64_t count) {
        push.firstRow = checked32(first);
        r.dispatch("append_latent", constants, push, {count, 1, 1},
                   {accessOf(latent), accessOf(ropePart)}, {r.cacheAccess(op.layer)},
                   workOf(count));
    });
}

} // namespace fireside::vulkan
