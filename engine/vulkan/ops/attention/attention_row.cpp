#include "engine/vulkan/ops/attention/attention_row.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "shaders/ops/attention/attention_row.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace fireside::vulkan {
namespace {

constexpr std::int64_t kMaxRowShared = 32768;
constexpr std::int64_t kAnyNumber = std::int64_t{1} << 40;

// By the keys of a cache; the first that fits is taken.
struct ScalarForm
{
    std::int64_t maxKeys, maxItems;
    std::int64_t block;      // keys of a group at a time
    std::int64_t groupsEach; // of a compute unit, at most; 0: keys are not split
    std::int64_t fewestSplits;
};
constexpr ScalarForm kScalarForms[] = {
    {64, kAnyNumber, 64, 0, 0},    // what is not there costs time all the same
    {256, kAnyNumber, 128, 0, 0},  // to reduce splits takes as long as 250 keys
    {2048, kAnyNumber, 128, 1, 0}, //
    {8192, 1, 128, 2, 4},          // beyond, reading a key for each of its heads takes longer
};

/// attention_row.comp: a head of a group, on scalars.
std::optional<RowForm> scalarForm(const Capabilities &can, const AttentionShape &shape,
                                  std::uint32_t keyType, std::int64_t keys, std::int64_t count)
{
    const std::int64_t D = shape.headDim, Dv = shape.values();
    const auto *const found =
        std::find_if(std::begin(kScalarForms), std::end(kScalarForms), [&](const ScalarForm &f) {
            return keys <= f.maxKeys && count <= f.maxItems &&
                   f.groupsEach * can.computeUnits / (shape.heads * count) >= f.fewestSplits;
        });
    if (found == std::end(kScalarForms))
        return std::nullopt;
    const std::int64_t chunks = ceilDiv(std::max(D, Dv), 8);
    const std::int64_t lanes = std::min<std::int64_t>(
        std::bit_floor(can.minSubgroup), std::bit_ceil(static_cast<std::uint64_t>(chunks)));
    // For four keys each, if that takes no more than 256.
    std::int64_t threads = std::clamp<std::int64_t>(
        lanes * found->block / 4, 128, std::min<std::int64_t>(256, can.maxWorkgroupSize));
    threads = std::max<std::int64_t>(threads, can.maxSubgroup);
    const std::int64_t chunksEach = ceilDiv(chunks, lanes);
    // Of powers of two, bounded by registers.
    const std::int64_t keysEach = std::max<std::int64_t>(
        1,
        std::min({found->block / (threads / lanes), (keyType == 0 ? 4 : 8) / chunksEach, lanes}));
    if (chunksEach > 4 || threads > std::int64_t{can.maxWorkgroupSize})
        return std::nullopt;
    std::int64_t splits = 1;
    if (found->groupsEach > 0 && count * shape.heads <= kMaxCounters)
        splits =
            std::clamp<std::int64_t>(found->groupsEach * can.computeUnits / (shape.heads * count),
                                     1, ceilDiv(keys, found->block));
    const bool shared = keysEach >= 8 || found->groupsEach > 0;
    // The newest key is no part of a range.
    const bool once = keys - 1 <= threads / lanes * keysEach;
    const std::int64_t parts = threads / can.minSubgroup;
    const std::int64_t bytes = 4 * (2 * D + parts * (Dv + 2) + 1);
    if (bytes > std::min<std::int64_t>(can.sharedMemory, kMaxRowShared))
        return std::nullopt;
    const std::int64_t subgroup = can.minSubgroup == can.maxSubgroup ? can.minSubgroup : 0;
    return RowForm{"attention_row", threads, shape.heads, splits,
                   inOrder(AttentionRowScalarConstants{.kKeysEach = checked32(keysEach),
                                                       .kLanes = checked32(lanes),
                                                       .kParts = checked32(parts),
                                                       .kSubgroup = checked32(subgroup),
                                                       .kShared = shared,
                                                       .kOnce = once})};
}

/// attention_row_matrix.comp: heads of a kv head together, on matrices.
std::optional<RowForm> matrixForm(const Recorder &r, const AttentionSource &source,
                                  const AttentionShape &shape, std::int64_t keys,
                                  std::int64_t count)
{
    constexpr std::int64_t kSubgroup = 32;
    constexpr std::uint32_t kF16 = 1;
    const Capabilities &can = r.capabilities();
    const std::int64_t D = shape.headDim, Dv = shape.values();
    const auto isWidth = [](std::int64_t n) { return n == 64 || n == 128; };
    if (!can.matrixOrder || source.keyType != kF16 || source.valueType != kF16 ||
        !(isWidth(D) || D == 32) || !isWidth(Dv) || !r.hasShader("attention_row_matrix"))
        return std::nullopt;
    // Eight heads make a group slower than they save, until reading takes most of the time.
    const std::int64_t group = shape.heads / shape.kvHeads;
    const std::int64_t tiles = ceilDiv(group, keys * count > 8192 ? 8 : 4);
    const std::int64_t slots = ceilDiv(group, tiles), sets = ceilDiv(slots, 4);
    const std::int64_t groups = shape.kvHeads * tiles * count;
    // All of this as measured on an H200 and an H100, with heads of 64 and 128, 4 and 8 of a kv
    // head. Below, a head of a group is faster: 6.6 µs against 7.6 after 300 tokens. With wide
    // heads of many chats it is not, since it reads a key for each head.
    const bool narrow = std::max(D, Dv) <= 64;
    const bool crowded = !narrow && 2 * groups > can.computeUnits;
    if ((keys <= 256 && !crowded) || (keys <= 512 && count < 4))
        return std::nullopt;
    // A second group of 256 on a compute unit has no registers left, except with narrow heads, one
    // of 128 has. To reduce splits takes as long as some 600 keys.
    const bool halved = !narrow && (keys <= 256 || groups > can.computeUnits);
    const std::int64_t threads = halved ? 128 : 256;
    if (threads > std::int64_t{can.maxWorkgroupSize})
        return std::nullopt;
    const std::int64_t each = narrow && count > 1 ? 2 : 1;
    const std::int64_t most = each * can.computeUnits / groups;
    std::int64_t splits = std::min(most, ceilDiv(keys, most <= 2 * each ? 1024 : 128));
    splits = std::clamp<std::int64_t>(splits, 1, kMaxSplits);
    if (count * shape.heads > kMaxCounters)
        splits = 1;
    const std::int64_t keyTiles = narrow && keys > 8192 ? 2 : 1;
    const std::int64_t subgroups = threads / kSubgroup;
    const std::int64_t bytes = 16 * subgroups * Dv + 32 * subgroups * sets + 4 * (slots + 1) * D +
                               16 * sets * D + 2 * Dv + 128 * slots * ceilDiv(splits, 32) + 128;
    if (bytes > std::int64_t{can.sharedMemory})
        return std::nullopt;
    return RowForm{"attention_row_matrix", threads, shape.kvHeads * tiles, splits,
                   inOrder(AttentionRowMatrixConstants{.kSlots = checked32(slots),
                                                       .kOrder = *can.matrixOrder,
                                                       .kSplits = checked32(splits),
                                                       .kTiles = checked32(keyTiles)})};
}

/// What does not hang on the form.
AttentionRowPush pushOf(Recorder &r, const RowHeads &heads, const AttentionSource &source,
                        const AttentionShape &shape, const Tensor &out)
{
    AttentionRowPush push{};
    push.q = r.address(heads.q);
    push.k = r.address(heads.k);
    push.v = r.address(heads.v);
    push.caches = source.k;
    push.items = r.itemTable();
    push.positions = r.positions();
    push.out_ = r.address(out);
    push.q8Out = source.q8Out;
    push.qStride = checked32(heads.q.stride);
    push.kStride = checked32(heads.k.stride);
    push.vStride = checked32(heads.v.stride);
    push.outStride = checked32(out.stride);
    push.scale = shape.scale;
    push.softcap = shape.softcap;
    push.window = checked32(windowOf(shape));
    return push;
}

Work workOf(std::span<const BatchItem> items, const AttentionShape &shape)
{
    double keys = 0;
    for (const BatchItem &item : items) {
        const auto seen = static_cast<double>(item.past + 1);
        keys += windowOf(shape) > 0 ? std::min(seen, static_cast<double>(windowOf(shape))) : seen;
    }
    const auto width = static_cast<double>(shape.headDim + shape.values());
    return {keys * static_cast<double>(shape.heads) * width,
            keys * static_cast<double>(shape.kvHeads) * width * 2};
}

} // namespace

std::optional<RowForm> rowForm(const Recorder &r, const RowHeads &heads,
                               const AttentionSource &source, const AttentionShape &shape,
                               const Tensor &out, std::int64_t count)
{
    const Capabilities &can = r.capabilities();
    const std::span<const BatchItem> items = r.items().first(static_cast<std::size_t>(count));
    // The row of an item is known before its tables are read.
    const bool oneEach = std::all_of(items.begin(), items.end(),
                                     [](const BatchItem &item) { return item.rows == 1; });
    if (!can.subgroupShuffle || !oneEach || shape.headDim % 8 != 0 || shape.values() % 8 != 0 ||
        !rowsFitFours(r, {&heads.q, &heads.k, &heads.v, &out}))
        return std::nullopt;
    std::int64_t keys = source.maxKeys;
    if (windowOf(shape) > 0)
        keys = std::min(keys, windowOf(shape));
    if (const auto form = matrixForm(r, source, shape, keys, count))
        return form;
    return scalarForm(can, shape, source.keyType, keys, count);
}

void dispatchAttentionRow(Recorder &r, const RowForm &form, const RowHeads &heads,
                          const AttentionSource &source, const AttentionShape &shape,
                          const Tensor &out, std::int64_t count,
                          const std::optional<OrderedRows> &ordered)
{
    const std::int64_t D = shape.headDim, Dv = shape.values();
    const HeadTransform &q = heads.qTransform, &k = heads.kTransform;
    AttentionRowHeads table{};
    fillTransforms(r, q, k, table);
    table.sinks = vectorAddress(shape.sinks);
    table.slopes = slopeTable(r, shape);

    std::uint32_t flags = source.flags | attentionFlags(heads.q, shape, out);
    const std::size_t mark = r.mark();
    AttentionRowPush push = pushOf(r, heads, source, shape, out);
    std::vector<Access> written{accessOf(out.rowRange(0, count))};
    written.insert(written.end(), source.writes.begin(), source.writes.end());
    RowOrder next;
    if (ordered) {
        next = ordered->form;
        push.q8Out = r.address(ordered->rows);
        written.push_back(accessOf(ordered->rows));
    }
    if (form.splits > 1) {
        flags |= kSplit;
        const Tensor partials = r.scratch(count * shape.heads * form.splits, Dv + 4);
        push.partials = r.address(partials);
        push.counters = attentionCounters(r);
        written.push_back(accessOf(partials));
    }
    push.heads = r.table(std::as_bytes(std::span(&table, 1)));
    push.splits = checked32(form.splits);

    const std::vector<std::uint32_t> constants =
        inOrder(AttentionRowConstants{.kThreads = checked32(form.threads),
                                      .kFlags = flags,
                                      .kHeads = checked32(shape.heads),
                                      .kKvHeads = checked32(shape.kvHeads),
                                      .kHeadDim = checked32(D),
                                      .kValueDim = checked32(Dv),
                                      .kKeyType = source.keyType,
                                      .kValueType = source.valueType,
                                      .kHeadFlags = headFlags(heads.q, q, heads.k, k, heads.v),
                                      .kQueryPairs = checked32(pairsOf(q.rope)),
                                      .kQueryFirst = firstTurning(q.rope),
                                      .kKeyPairs = checked32(pairsOf(k.rope)),
                                      .kKeyFirst = firstTurning(k.rope),
                                      .kNextUnit = next.unit,
                                      .kNextTogether = std::max(next.together, 1u),
                                      .kNextAcross = ordered ? smallGemmAcross(count) : 1},
                form.constants);
    std::vector<Access> reads = source.reads;
    reads.insert(reads.end(),
                 {accessOf(heads.q.rowRange(0, count)), accessOf(heads.k), accessOf(heads.v)});
    const Work work = workOf(r.items().first(static_cast<std::size_t>(count)), shape);
    forRows(r, 2, count, work, [&](std::int64_t first, std::int64_t items) {
        push.first = checked32(first);
        r.append(form.shader, constants, &push, sizeof push, {form.splits, form.groups, items},
                 reads, written, work.part(items, count));
    });
    r.release(mark);
}

} // namespace fireside::vulkan
