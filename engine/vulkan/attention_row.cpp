#include "engine/vulkan/attention_row.h"

#include "engine/vulkan/head_checks.h"
#include "engine/vulkan/row_launch.h"
#include "shaders/ops/attention_row.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace fireside::vulkan {
namespace {

constexpr std::int64_t kMostShared = 32768;

// By the keys of a cache; the first that fits is taken.
struct Form
{
    std::int64_t mostKeys, mostItems;
    std::int64_t block;      // keys of a group at a time
    std::int64_t groupsEach; // of a processor, at most; 0: keys are not split
    std::int64_t fewestSplits;
};
constexpr std::int64_t kAnyItems = std::int64_t{1} << 40;
constexpr Form kForms[] = {
    {64, kAnyItems, 64, 0, 0},    // what is not there costs time all the same
    {256, kAnyItems, 128, 0, 0},  // to join parts takes as long as 250 keys
    {2048, kAnyItems, 128, 1, 0}, //
    {8192, 1, 128, 2, 4},         // beyond, reading a key for each of its heads takes longer
};

} // namespace

std::optional<RowForm> rowForm(const Recorder &r, const RowHeads &heads,
                               const AttentionSource &source, const AttentionShape &shape,
                               const Tensor &out)
{
    const Capabilities &can = r.capabilities();
    const std::int64_t D = shape.headDim, Dv = shape.values();
    const std::span<const BatchItem> items = r.items();
    const auto count = static_cast<std::int64_t>(items.size());
    // The row of an item is known before its tables are read.
    const bool oneEach = std::all_of(items.begin(), items.end(),
                                     [](const BatchItem &item) { return item.rows == 1; });
    if (!can.subgroupShuffle || !oneEach || D % 8 != 0 || Dv % 8 != 0 ||
        !rowsFitFours(r, {&heads.q, &heads.k, &heads.v, &out}))
        return std::nullopt;
    std::int64_t keys = source.mostKeys;
    if (shape.window > 0)
        keys = std::min(keys, shape.window);
    const auto *const found =
        std::find_if(std::begin(kForms), std::end(kForms), [&](const Form &f) {
            return keys <= f.mostKeys && count <= f.mostItems &&
                   f.groupsEach * can.processors / (shape.heads * count) >= f.fewestSplits;
        });
    if (found == std::end(kForms))
        return std::nullopt;
    RowForm form{};
    const std::int64_t chunks = ceilDiv(std::max(D, Dv), 8);
    form.lanes = std::min<std::int64_t>(std::bit_floor(can.minSubgroup),
                                        std::bit_ceil(static_cast<std::uint64_t>(chunks)));
    // For four keys each, if that takes no more than 256.
    form.threads = std::clamp<std::int64_t>(form.lanes * found->block / 4, 128,
                                            std::min<std::int64_t>(256, can.maxGroupSize));
    form.threads = std::max<std::int64_t>(form.threads, can.maxSubgroup);
    const std::int64_t chunksEach = ceilDiv(chunks, form.lanes);
    // Of powers of two, bounded by registers.
    form.keysEach = std::max<std::int64_t>(
        1, std::min({found->block / (form.threads / form.lanes),
                     (source.keyType == 0 ? 4 : 8) / chunksEach, form.lanes}));
    if (chunksEach > 4 || form.threads > std::int64_t{can.maxGroupSize})
        return std::nullopt;
    form.splits = 1;
    if (found->groupsEach > 0 && count * shape.heads <= kMostCounters)
        form.splits =
            std::clamp<std::int64_t>(found->groupsEach * can.processors / (shape.heads * count), 1,
                                     ceilDiv(keys, found->block));
    form.shared = form.keysEach >= 8 || found->groupsEach > 0;
    // The newest key is no part of a range.
    form.once = keys - 1 <= form.threads / form.lanes * form.keysEach;
    const std::int64_t parts = form.threads / can.minSubgroup;
    const std::int64_t bytes = 4 * (2 * D + parts * (Dv + 2) + 1);
    if (bytes > std::min<std::int64_t>(can.sharedMemory, kMostShared))
        return std::nullopt;
    return form;
}

void launchAttentionRow(Recorder &r, const char *op, const RowForm &form, const RowHeads &heads,
                        const AttentionSource &source, const AttentionShape &shape,
                        const Tensor &out)
{
    const Capabilities &can = r.capabilities();
    const std::int64_t D = shape.headDim, Dv = shape.values();
    const auto count = static_cast<std::int64_t>(r.items().size());
    const HeadTransform &q = heads.qTransform, &k = heads.kTransform;
    AttentionRowHeads table{};
    table.qNorm = vectorAddress(op, q.norm, D);
    table.kNorm = vectorAddress(op, k.norm, D);
    table.qTurns = turnTable(r, q.rope);
    table.kTurns = turnTable(r, k.rope);
    table.sinks = vectorAddress(op, shape.sinks, shape.heads);
    table.slopes = slopeTable(r, shape);
    table.qEps = q.eps;
    table.kEps = k.eps;
    table.qFactor = turnFactor(q.rope);
    table.kFactor = turnFactor(k.rope);

    std::uint32_t flags = source.flags | attentionFlags(heads.q, shape, out);
    const std::size_t mark = r.mark();
    AttentionRowPush push{};
    std::vector<Access> written{accessOf(out)};
    written.insert(written.end(), source.writes.begin(), source.writes.end());
    if (form.splits > 1) {
        flags |= kSplit;
        const Tensor partials = r.scratch(count * shape.heads * form.splits, Dv + 4);
        push.partials = r.address(partials);
        push.counters = counterTable(r);
        written.push_back(accessOf(partials));
    }
    push.q = r.address(heads.q);
    push.k = r.address(heads.k);
    push.v = r.address(heads.v);
    push.caches = source.k;
    push.items = r.itemTable();
    push.positions = r.positions();
    push.out_ = r.address(out);
    push.integerRows = source.integerRows;
    push.heads = r.table(std::as_bytes(std::span(&table, 1)));
    push.qStride = checked32(heads.q.stride);
    push.kStride = checked32(heads.k.stride);
    push.vStride = checked32(heads.v.stride);
    push.outStride = checked32(out.stride);
    push.scale = shape.scale;
    push.softcap = shape.softcap;
    push.window = checked32(shape.window);
    push.splits = checked32(form.splits);

    const std::vector<std::uint32_t> constants{
        checked32(form.threads),
        flags,
        checked32(shape.heads),
        checked32(shape.kvHeads),
        checked32(D),
        checked32(Dv),
        source.keyType,
        source.valueType,
        checked32(form.threads),
        checked32(form.keysEach),
        checked32(form.lanes),
        headFlags(heads.q, q, heads.k, k, heads.v),
        checked32(pairsOf(q.rope)),
        firstTurning(q.rope),
        checked32(pairsOf(k.rope)),
        firstTurning(k.rope),
        checked32(form.threads / can.minSubgroup),
        can.minSubgroup == can.maxSubgroup ? can.minSubgroup : 0,
        form.shared ? 1u : 0u,
        form.once ? 1u : 0u,
    };
    std::vector<Access> reads = source.reads;
    reads.insert(reads.end(), {accessOf(heads.q), accessOf(heads.k), accessOf(heads.v)});
    double keys = 0;
    for (const BatchItem &item : r.items()) {
        const auto seen = static_cast<double>(item.past + 1);
        keys += shape.window > 0 ? std::min(seen, static_cast<double>(shape.window)) : seen;
    }
    const auto width = static_cast<double>(D + Dv);
    const Work work{keys * static_cast<double>(shape.heads) * width,
                    keys * static_cast<double>(shape.kvHeads) * width * 2};
    forRows(r, 2, count, work, [&](std::int64_t first, std::int64_t items) {
        push.first = checked32(first);
        r.append("attention_row", constants, &push, sizeof push, {form.splits, shape.heads, items},
                 reads, written, work.part(items, count));
    });
    r.release(mark);
}

} // namespace fireside::vulkan
