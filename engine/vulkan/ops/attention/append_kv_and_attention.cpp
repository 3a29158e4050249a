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

/// Items of one row each before the first of another number: chats, beside prompts' parts.
std::int64_t leadingChats(std::span<const BatchItem> items)
{
    const auto other = std::find_if(items.begin(), items.end(),
                                    [](const BatchItem &item) { return item.rows != 1; });
    return other - items.begin();
}

RowHeads headsOf(const op::AppendKv &op)
{
    return {op.q, op.qTransform, op.k, op.kTransform, op.v};
}

/// Chats go as if there were no prompts, which have dispatches of their own. Those come first:
/// theirs wait for what is appended for them, the chats' for none of it.
void runMixed(Recorder &r, const op::AppendKv &append, const op::Attention &attention)
{
    const std::span<const BatchItem> items = r.items();
    const std::int64_t chats = leadingChats(items);
    const AttentionShape &shape = append.shape;
    const RowHeads heads = headsOf(append);
    AttentionSource source = cacheSource(r, append.layer, shape);
    const std::int64_t firstRow = items[static_cast<std::size_t>(chats)].firstRow;
    appendRows(r, append, firstRow);
    AttentionSource own = source; // no other item's cache is touched
    own.flags |= kNewHeads;
    own.reads.clear();
    // goTogether() has seen that there is one.
    const RowForm form = rowForm(r, heads, own, shape, attention.out, chats).value();
    dispatchAttention(r, attention.q, source, shape, attention.out,
                      static_cast<std::size_t>(chats));
    dispatchAttentionRow(r, form, heads, own, shape, attention.out, chats);
}

} // namespace

bool goTogether(const Recorder &r, const op::AppendKv &append, const op::Attention &attention)
{
    constexpr std::int64_t kFewestChats = 2; // else what the other kernels do is as good
    const AttentionShape &shape = append.shape;
    if (append.layer != attention.layer || !isSame(append.q, attention.q) ||
        append.shape != attention.shape)
        return false;
    const std::span<const BatchItem> items = r.items();
    if (r.rows() == 0 || shape.kvHeads < 1 || shape.heads % shape.kvHeads != 0)
        return false;
    const KvLayer &cache = r.cache(append.layer);
    const std::int64_t group = shape.heads / shape.kvHeads;
    // Blocks of Q8_0 are made by append_kv.comp alone; a latent cache has an op of its own.
    if (cache.values == nullptr || (cache.dtype != DType::F32 && cache.dtype != DType::F16) ||
        shape.headDim % 8 != 0 || shape.values() % 8 != 0 || group > kFewSlots)
        return false;
    if (std::any_of(items.begin(), items.end(),
                    [](const BatchItem &item) { return item.rows > 1; })) {
        const std::int64_t chats = leadingChats(items);
        return chats >= kFewestChats &&
               rowForm(r, headsOf(append), cacheSource(r, append.layer, shape), shape,
                       attention.out, chats)
                   .has_value();
    }
    return fewKernel(r.capabilities(), shape, cacheType(append.kName, cache.dtype, shape.headDim),
                     group, static_cast<std::int64_t>(items.size()), r.maxKeys())
        .has_value();
}

void run(Recorder &r, const op::AppendKv &append, const op::Attention &attention)
{
    const std::span<const BatchItem> items = r.items();
    if (std::any_of(items.begin(), items.end(),
                    [](const BatchItem &item) { return item.rows > 1; }))
        return runMixed(r, append, attention);
    const Tensor &q = append.q, &k = append.k, &v = append.v, &out = attention.out;
    const AttentionShape &shape = append.shape;
    AttentionSource source = cacheSource(r, append.layer, shape);
    source.flags |= kNewHeads;
    source.reads.push_back(accessOf(k));
    source.reads.push_back(accessOf(v));
    source.writes = {r.cacheAccess(append.layer)};
    // What reads the result next may have it as q8 activations, too.
    std::optional<Q8Activations::Hint> next;
    const std::int64_t tiles = static_cast<std::int64_t>(items.size()) * shape.heads;
    if (tiles <= kMaxCounters && shape.values() % kQ8Block == 0)
        next = r.q8Activations().takeHint(out);
    Tensor rows;
    if (next && next->norm == nullptr) {
        rows = r.q8Activations().reserve(out);
        source.flags |= kQ8Out;
        source.q8Out = r.address(rows);
        source.writes.push_back(accessOf(rows));
    }
    const RowHeads heads = headsOf(append);
    const auto count = static_cast<std::int64_t>(items.size());
    if (const auto form = rowForm(r, heads, source, shape, out, count)) {
        const std::optional<OrderedRows> ordered = orderedRowsOf(r, out);
        dispatchAttentionRow(r, *form, heads, source, shape, out, count, ordered);
        if (ordered)
            r.q8Activations().provide(out, nullptr, ordered->rows, ordered->form);
    } else {
        source.heads = attentionHeads(r, heads);
        dispatchAttention(r, q, source, shape, out);
    }
    if (next && next->norm == nullptr)
        r.q8Activations().provide(out, nullptr, rows);
}

} // namespace fireside::vulkan
