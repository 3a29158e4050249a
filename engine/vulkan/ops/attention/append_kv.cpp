#include "shaders/ops/attention/append_kv.h"

#include "engine/vulkan/ops/attention/attention_dispatch.h"
#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {
namespace {

constexpr std::int64_t kRowsToFillDevice = 32; // fewer fill the device better head by head

/// What all dispatches of the op have in common.
struct Appending
{
    AppendKvPush push{};
    std::uint32_t cacheType = 0, flags = 0;
    std::int64_t queryHeads = 0; // that are written; none where they stay as they are
    Work workOf(const AttentionShape &shape, std::int64_t rows) const
    {
        const double channels =
            static_cast<double>((2 * queryHeads + shape.kvHeads) * shape.headDim * rows);
        return {4 * channels, 8 * channels};
    }
};

/// Whether whole rows with all their heads can go to a workgroup each.
bool rowsGoWhole(const op::AppendKv &op, const Appending &all, std::int64_t rows,
                 std::int64_t threads)
{
    const std::int64_t D = op.shape.headDim;
    return rows >= kRowsToFillDevice && all.queryHeads > 0 && D == op.shape.values() &&
           D % 2 == 0 && D / 2 <= threads && all.cacheType != 2 && op.qTransform.norm == nullptr &&
           op.kTransform.norm == nullptr && op.qTransform.rope == op.kTransform.rope;
}

/// Of rows from `begin` on.
void appendByRow(Recorder &r, const op::AppendKv &op, Appending &all, std::int64_t threads,
                 std::int64_t begin)
{
    const std::int64_t D = op.shape.headDim, lanes = 2 * threads / D;
    const std::int64_t heads = all.queryHeads + 2 * op.shape.kvHeads;
    const AppendKvRowsConstants constants{
        .kThreads = checked32(lanes * D / 2),
        .kFlags = all.flags,
        .kCacheType = all.cacheType,
        .kHeads = checked32(all.queryHeads),
        .kKvHeads = checked32(op.shape.kvHeads),
        .kHeadDim = checked32(D),
        .kPairs = checked32(pairsOf(op.qTransform.rope)),
        .kFirst = firstTurning(op.qTransform.rope),
        .kLanes = checked32(lanes),
        .kBatch = checked32(std::min<std::int64_t>(ceilDiv(heads, lanes), 12))};
    const std::int64_t rows = r.rows() - begin;
    const Tensor q = op.q.rowRange(begin, rows);
    forRows(r, 0, rows, all.workOf(op.shape, rows), [&](std::int64_t first, std::int64_t count) {
        all.push.firstRow = checked32(begin + first);
        r.dispatch("append_kv_rows", constants, all.push, {count, 1, 1},
                   {accessOf(q), accessOf(op.k), accessOf(op.v)},
                   {accessOf(q), r.cacheAccess(op.layer)}, all.workOf(op.shape, count));
    });
}

void appendByHead(Recorder &r, const op::AppendKv &op, Appending &all, std::int64_t begin)
{
    const std::int64_t D = op.shape.headDim, Dv = op.shape.values();
    const AppendKvConstants constants{.kThreads = threadsForHead(r, std::max(D, Dv)),
                                      .kFlags = all.flags,
                                      .kCacheType = all.cacheType,
                                      .kHeads = checked32(all.queryHeads),
                                      .kKvHeads = checked32(op.shape.kvHeads),
                                      .kHeadDim = checked32(D),
                                      .kValueDim = checked32(Dv),
                                      .kQueryPairs = checked32(pairsOf(op.qTransform.rope)),
                                      .kQueryFirst = firstTurning(op.qTransform.rope),
                                      .kKeyPairs = checked32(pairsOf(op.kTransform.rope)),
                                      .kKeyFirst = firstTurning(op.kTransform.rope),
                                      .kStaged = checked32(std::max(D, Dv))};
    const std::int64_t rows = r.rows() - begin;
    const Tensor q = op.q.rowRange(begin, rows);
    forRows(r, 1, rows, all.workOf(op.shape, rows), [&](std::int64_t first, std::int64_t count) {
        all.push.firstRow = checked32(begin + first);
        const Workgroups groups{all.queryHeads + 2 * op.shape.kvHeads, count, 1};
        const Work work = all.workOf(op.shape, count);
        if (all.queryHeads > 0)
            r.dispatch("append_kv", constants, all.push, groups,
                       {accessOf(q), accessOf(op.k), accessOf(op.v)},
                       {accessOf(q), r.cacheAccess(op.layer)}, work);
        else
            r.dispatch("append_kv", constants, all.push, groups, {accessOf(op.k), accessOf(op.v)},
                       {r.cacheAccess(op.layer)}, work);
    });
}

} // namespace

void requireSupported(const Recorder &r, const op::AppendKv &op)
{
    appendedType(r, op);
}

void run(Recorder &r, const op::AppendKv &op)
{
    appendRows(r, op, 0);
}

void appendRows(Recorder &r, const op::AppendKv &op, std::int64_t begin)
{
    const std::int64_t rows = r.rows() - begin;
    if (rows == 0)
        return;
    Appending all;
    fillHeads(r, op.qTransform, op.k, op.kTransform, op.v, all.push);
    all.push.q = r.address(op.q);
    all.push.rowItems = r.rowItems();
    all.push.items = r.itemTable();
    all.push.caches = r.caches(op.layer);
    all.push.qStride = checked32(op.q.stride);
    all.cacheType = appendedType(r, op);
    all.flags = headFlags(op.q, op.qTransform, op.k, op.kTransform, op.v);
    const bool moveQueries = op.qTransform.norm != nullptr || pairsOf(op.qTransform.rope) > 0;
    all.queryHeads = moveQueries ? op.shape.heads : 0;
    const std::int64_t threads = std::min(r.capabilities().maxWorkgroupSize, 256u);
    if (rowsGoWhole(op, all, rows, threads))
        appendByRow(r, op, all, threads, begin);
    else
        appendByHead(r, op, all, begin);
}

} // namespace fireside::vulkan
