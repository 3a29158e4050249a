#include "engine/vulkan/ops/attention/attention_dispatch.h"
#include "engine/vulkan/ops/attention/attention_few.h"
#include "engine/vulkan/ops/attention/attention_row.h"
#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/q8_activations.h"
#include "shaders/common/q8_activations.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

/// For attention_few.comp.
AttentionHeads attentionHeads(Recorder &r, const RowHeads &of)
{
    AttentionHeads heads{};
    fillHeads(r, of.qTransform, of.k, of.kTransform, of.v, heads);
    heads.flags = headFlags(of.q, of.qTransform, of.k, of.kTransform, of.v);
    heads.qPairs = checked32(pairsOf(of.qTransform.rope));
    heads.qFirst = firstTurning(of.qTransform.rope);
    heads.kPairs = checked32(pairsOf(of.kTransform.rope));
    heads.kFirst = firstTurning(of.kTransform.rope);
    return heads;
}

} // namespace

bool goTogether(const Recorder &r, const op::AppendKv &append, const op::Attention &attention)
{
    const AttentionShape &shape = append.shape;
    if (append.layer != attention.layer || !isSame(append.q, attention.q) ||
        append.shape != attention.shape)
        return false;
    const std::span<const BatchItem> items = r.items();
    if (r.rows() == 0 || shape.kvHeads < 1 || shape.heads % shape.kvHeads != 0 ||
        std::any_of(items.begin(), items.end(),
                    [](const BatchItem &item) { return item.rows > 1; }))
        return false;
    const KvLayer &cache = r.cache(append.layer);
    const std::int64_t group = shape.heads / shape.kvHeads;
    // Blocks of Q8_0 are made by append_kv.comp alone; a latent cache has an op of its own.
    return cache.values != nullptr && (cache.dtype == DType::F32 || cache.dtype == DType::F16) &&
           shape.headDim % 8 == 0 && shape.values() % 8 == 0 && group <= kFewSlots &&
           fewKernel(r.capabilities(), shape, cacheType(append.kName, cache.dtype, shape.headDim),
                     group, static_cast<std::int64_t>(items.size()), r.maxKeys())
               .has_value();
}

void run(Recorder &r, const op::AppendKv &append, const op::Attention &attention)
{
    const Tensor &q = append.q, &k = append.k, &v = append.v, &out = attention.out;
    const AttentionShape &shape = append.shape;
    AttentionSource source = cacheSource(r, append.layer, shape);
    source.flags |= kNewHeads;
    source.reads.push_back(accessOf(k));
    source.reads.push_back(accessOf(v));
    source.writes = {r.cacheAccess(append.layer)};
    // What reads the result next may have it as q8 activations, too.
    std::optional<Q8Activations::Hint> next;
    const std::int64_t tiles = static_cast<std::int64_t>(r.items().size()) * shape.heads;
    if (tiles <= kMaxCounters && shape.values() % kQ8Block == 0)
        next = r.q8Activations().takeHint(out);
    Tensor rows;
    if (next && next->norm == nullptr) {
        rows = r.q8Activations().reserve(out);
        source.flags |= kQ8Out;
        source.q8Out = r.address(rows);
        source.writes.push_back(accessOf(rows));
    }
    const RowHeads heads{q, append.qTransform, k, append.kTransform, v};
    if (const auto form = rowForm(r, heads, source, shape, out)) {
        dispatchAttentionRow(r, *form, heads, source, shape, out);
    } else {
        source.heads = attentionHeads(r, heads);
        dispatchAttention(r, q, source, shape, out);
    }
    if (next && next->norm == nullptr)
        r.q8Activations().provide(out, nullptr, rows);
}

} // namespace fireside::vulkan
