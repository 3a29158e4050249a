#include "shaders/ops/attention/append_kv.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {
namespace {

constexpr std::int64_t kRowsToFillDevice = 32; // fewer fill the device better head by head

} // namespace

void requireSupported(const Recorder &r, const op::AppendKv &op)
{
    appendedType(r, op);
}

void run(Recorder &r, const op::AppendKv &op)
{
    const Tensor &q = op.q, &k = op.k, &v = op.v;
    const HeadTransform &qTransform = op.qTransform, &kTransform = op.kTransform;
    const AttentionShape &shape = op.shape;
    const std::int64_t T = r.rows(), D = shape.headDim, Dv = shape.values();
    const std::uint32_t type = appendedType(r, op);
    if (T == 0)
        return;

    AppendKvPush push{};
    fillHeads(r, qTransform, k, kTransform, v, push);
    push.q = r.address(q);
    push.rowItems = r.rowItems();
    push.items = r.itemTable();
    push.caches = r.caches(op.layer);
    push.qStride = checked32(q.stride);

    const bool moveQueries = qTransform.norm != nullptr || pairsOf(qTransform.rope) > 0;
    const std::int64_t heads = moveQueries ? shape.heads : 0;
    const double channels = static_cast<double>((2 * heads + shape.kvHeads) * D);
    const auto workOf = [&](std::int64_t rows) {
        return Work{4 * channels * static_cast<double>(rows),
                    8 * channels * static_cast<double>(rows)};
    };
    const std::int64_t threads = std::min(r.capabilities().maxWorkgroupSize, 256u);
    if (T >= kRowsToFillDevice && moveQueries && D == Dv && D % 2 == 0 && D / 2 <= threads &&
        type != 2 && qTransform.norm == nullptr && kTransform.norm == nullptr &&
        qTransform.rope == kTransform.rope) {
        const std::int64_t lanes = 2 * threads / D, all = heads + 2 * shape.kvHeads;
        const AppendKvRowsConstants constants{
            .kThreads = checked32(lanes * D / 2),
            .kFlags = headFlags(q, qTransform, k, kTransform, v),
            .kCacheType = type,
            .kHeads = checked32(heads),
            .kKvHeads = checked32(shape.kvHeads),
            .kHeadDim = checked32(D),
            .kPairs = checked32(pairsOf(qTransform.rope)),
            .kFirst = firstTurning(qTransform.rope),
            .kLanes = checked32(lanes),
            .kBatch = checked32(std::min<std::int64_t>(ceilDiv(all, lanes), 12))};
        forRows(r, 0, T, workOf(T), [&](std::int64_t first, std::int64_t count) {
            push.firstRow = checked32(first);
            r.dispatch("append_kv_rows", constants, push, {count, 1, 1},
                       {accessOf(q), accessOf(k), accessOf(v)},
                       {accessOf(q), r.cacheAccess(op.layer)}, workOf(count));
        });
        return;
    }

    const AppendKvConstants constants{.kThreads = threadsForHead(r, std::max(D, Dv)),
                                      .kFlags = headFlags(q, qTransform, k, kTransform, v),
                                      .kCacheType = type,
                                      .kHeads = checked32(heads),
                                      .kKvHeads = checked32(shape.kvHeads),
                                      .kHeadDim = checked32(D),
                                      .kValueDim = checked32(Dv),
                                      .kQueryPairs = checked32(pairsOf(qTransform.rope)),
                                      .kQueryFirst = firstTurning(qTransform.rope),
                                      .kKeyPairs = checked32(pairsOf(kTransform.rope)),
                                      .kKeyFirst = firstTurning(kTransform.rope),
                                      .kStaged = checked32(std::max(D, Dv))};
    forRows(r, 1, T, workOf(T), [&](std::int64_t first, std::int64_t count) {
        push.firstRow = checked32(first);
        const Workgroups groups{heads + 2 * shape.kvHeads, count, 1};
        if (moveQueries)
            r.dispatch("append_kv", constants, push, groups,
                       {accessOf(q), accessOf(k), accessOf(v)},
                       {accessOf(q), r.cacheAccess(op.layer)}, workOf(count));
        else
            r.dispatch("append_kv", constants, push, groups, {accessOf(k), accessOf(v)},
                       {r.cacheAccess(op.layer)}, workOf(count));
    });
}

} // namespace fireside::vulkan
