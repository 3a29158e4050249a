#include "shaders/ops/attention/append_latent.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

#include <vector>

namespace fireside::vulkan {
namespace {

std::uint32_t flagsOf(const op::AppendLatent &op)
{
    std::uint32_t flags = 0;
    const auto set = [&](bool on, std::uint32_t flag) { flags |= on ? flag : 0; };
    set(isHalf(op.latent) != 0, kLatentHalf);
    set(isHalf(op.ropePart) != 0, kRopePartHalf);
    set(op.rope.pairing == RopePairing::Interleaved, kRopeInterleaved);
    set(op.norm != nullptr, kLatentNormed);
    set(op.heads > 0 && isHalf(op.queries) != 0, kTurnsHalf);
    set(op.heads > 0 && isHalf(op.turned) != 0, kTurnedHalf);
    return flags;
}

/// What turns of the queries. Of one row each head is named by itself: what lies between them may
/// be written at the same time.
void addQueries(Recorder &r, const op::AppendLatent &op, AppendLatentPush &push,
                std::vector<Access> &reads, std::vector<Access> &writes)
{
    push.queries = r.address(op.queries);
    push.turned = r.address(op.turned);
    push.queryStride = checked32(op.queries.stride);
    push.turnedStride = checked32(op.turned.stride);
    push.queryStep = checked32(op.queryStep);
    push.turnedStep = checked32(op.turnedStep);
    push.heads = checked32(op.heads);
    addHeads(op.queries, {op.heads, op.queryStep, op.ropePart.cols}, reads);
    addHeads(op.turned, {op.heads, op.turnedStep, op.ropePart.cols}, writes);
}

} // namespace

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
    push.norm = vectorAddress(op.norm);
    push.factor = rope.attentionFactor;
    push.eps = op.eps;
    std::vector<Access> reads{accessOf(latent), accessOf(ropePart)};
    std::vector<Access> writes{r.cacheAccess(op.layer)};
    if (op.heads > 0)
        addQueries(r, op, push, reads, writes);

    const AppendLatentConstants constants{.kThreads = threadsForHead(r, D),
                                          .kFlags = flagsOf(op),
                                          .kCacheType = cacheType(op.kName, cache.dtype, D),
                                          .kRank = checked32(latent.cols),
                                          .kRopeDim = checked32(ropePart.cols),
                                          .kPairs = checked32(pairsOf(rope)),
                                          .kFirst = firstTurning(rope),
                                          .kStaged = checked32(D)};
    const auto workOf = [&](std::int64_t rows) {
        const double numbers = static_cast<double>(rows * (D + op.heads * ropePart.cols));
        return Work{4 * numbers, 8 * numbers};
    };
    forRows(r, 0, T, workOf(T), [&](std::int64_t first, std::int64_t count) {
        push.firstRow = checked32(first);
        r.append("append_latent", constants, &push, sizeof push, {count, op.heads > 0 ? 2 : 1, 1},
                 reads, writes, workOf(count));
    });
}

} // namespace fireside::vulkan
