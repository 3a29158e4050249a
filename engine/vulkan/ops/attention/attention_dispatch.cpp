#include "engine/vulkan/ops/attention/attention_dispatch.h"

#include "engine/vulkan/ops/attention/attention_few.h"
#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/pass/constant_tables.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "shaders/ops/attention/attention.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace fireside::vulkan {
namespace {

// Of a group of the kernel for few rows; where keys are few, more groups of fewer are done earlier.
constexpr std::int64_t kMaxSlots = 8, kFewKeysSlots = 4, kFewKeys = 4096;
constexpr std::int64_t kReducedKeys = 2048; // up to here a second dispatch costs more than it saves
constexpr std::uint32_t kTileThreads = 128;
constexpr std::int64_t kMatrixHead = 256; // of attention_matrix.comp, bounded by registers
constexpr std::int64_t kMatrixKeys = 32;  // of its tiles
struct MatrixTile
{
    std::int64_t slots, buffers;
};
constexpr MatrixTile kMatrixTiles[] = {{128, 2}, {64, 2}, {64, 1}};

/// Slopes of ALiBi, arXiv 2108.12409: a geometric series for the largest power of two of heads, and
/// for the rest every other member of the series of twice as many.
std::vector<float> slopesOf(const AttentionShape &shape)
{
    const std::int64_t heads = shape.heads;
    const double maxBias = shape.alibiMaxBias, scale = shape.alibiScale;
    const auto whole = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    std::vector<float> slopes;
    for (std::int64_t h = 0; h < heads; ++h) {
        const double exponent =
            h < whole ? static_cast<double>(h + 1) : static_cast<double>(2 * (h - whole) + 1) / 2;
        slopes.push_back(static_cast<float>(
            scale * std::exp2(-maxBias * exponent / static_cast<double>(whole))));
    }
    return slopes;
}

/// The dispatches of one op.
class Dispatcher
{
public:
    Dispatcher(Recorder &r, const Tensor &q, const AttentionSource &source,
               const AttentionShape &shape, const Tensor &out, std::size_t firstItem)
        : m_r(r)
        , m_firstItem(firstItem)
        , m_firstRow(r.items()[firstItem].firstRow)
        , m_q(q)
        , m_out(out)
        , m_source(source)
        , m_shape(shape)
        , m_group(shape.heads / shape.kvHeads)
        , m_fewRows(kFewSlots / m_group)
    {
        m_reads = source.reads;
        m_reads.push_back(accessOf(ownRows(q)));
        m_push.q = r.address(q);
        m_push.k = source.k;
        m_push.v = source.v;
        if (source.heads)
            m_push.v = r.table(std::as_bytes(std::span(&*source.heads, 1)));
        m_push.items = r.itemTable();
        m_push.rowItems = r.rowItems();
        m_push.out_ = r.address(out);
        m_push.sinks = vectorAddress(shape.sinks);
        m_push.qStride = checked32(q.stride);
        m_push.kStride = source.kStride;
        m_push.vStride = source.vStride;
        m_push.q8Out = source.q8Out;
        m_push.outStride = checked32(out.stride);
        m_push.scale = shape.scale;
        m_push.softcap = shape.softcap;
        m_push.window = checked32(windowOf(shape));
        m_push.rows = checked32(r.rows());

        m_push.slopes = source.distances != 0 ? source.distances : slopeTable(r, shape);
        if ((source.flags & kExpanded) != 0) {
            m_push.slopes = source.expanded.caches;
            m_push.counters = static_cast<VkDeviceAddress>(source.expanded.itemKeys) << 32 |
                              checked32(source.expanded.rank);
        }
        m_flags = source.flags | attentionFlags(q, shape, out);
    }

    void run()
    {
        fewRows();
        manyRows();
    }

private:
    /// Of the pass's, those of the items that this is for.
    Tensor ownRows(const Tensor &x) const { return x.rowRange(m_firstRow, x.rows - m_firstRow); }

    bool isFew(const BatchItem &item) const
    {
        return item.rows > 0 && item.rows <= m_fewRows && (m_source.flags & kExpanded) == 0;
    }

    std::vector<std::uint32_t> constants(std::uint32_t threads, std::uint32_t flags,
                                         std::span<const std::uint32_t> own) const
    {
        return inOrder(AttentionConstants{.kThreads = threads,
                                          .kFlags = m_flags | flags,
                                          .kHeads = checked32(m_shape.heads),
                                          .kKvHeads = checked32(m_shape.kvHeads),
                                          .kHeadDim = checked32(m_shape.headDim),
                                          .kValueDim = checked32(m_shape.values()),
                                          .kKeyType = m_source.keyType,
                                          .kValueType = m_source.valueType,
                                          .kKeyStep = m_source.keyStep,
                                          .kValueStep = m_source.valueStep},
                       own);
    }

    /// For rows [first, first + count).
    Work workOf(std::int64_t first, std::int64_t count) const
    {
        double pairs = 0, keys = 0;
        for (const BatchItem &item : m_r.items()) {
            const std::int64_t begin = std::max(first, item.firstRow);
            const std::int64_t rows = std::min(first + count, item.firstRow + item.rows) - begin;
            if (rows <= 0)
                continue;
            std::int64_t seen = item.rows;
            if ((m_flags & kSequence) == 0)
                seen = item.past + begin - item.firstRow + rows;
            if (windowOf(m_shape) > 0)
                seen = std::min(seen, windowOf(m_shape) + rows);
            pairs += static_cast<double>(rows) * static_cast<double>(seen);
            keys += static_cast<double>(seen);
        }
        const double D = static_cast<double>(m_shape.headDim + m_shape.values());
        return {pairs * static_cast<double>(m_shape.heads) * D,
                keys * static_cast<double>(m_shape.kvHeads) * D * 2};
    }

    /// Over how many groups to spread the keys of one tile, so that the device is busy; depends on
    /// nothing that a replay changes.
    std::int64_t splitsFor(std::int64_t groups, std::int64_t wanted, std::int64_t fewestKeys,
                           std::int64_t maxRows) const
    {
        if ((m_flags & kSequence) != 0)
            return 1;
        std::int64_t keys = m_source.maxKeys;
        if (windowOf(m_shape) > 0)
            keys = std::min(keys, windowOf(m_shape) + maxRows);
        const std::int64_t partial = m_r.rows() * m_shape.heads * (m_shape.values() + 2) * 4;
        return std::max<std::int64_t>(
            1, std::min({ceilDiv(wanted, groups), ceilDiv(keys, fewestKeys),
                         kPartialBytes / partial, std::int64_t{kMaxSplits}}));
    }

    /// Prepares the memory of partial results; none for one split.
    Tensor partials(std::int64_t splits)
    {
        m_push.splits = checked32(splits);
        m_push.partials = 0;
        if (splits == 1)
            return ownRows(m_out);
        const Tensor memory =
            m_r.scratch(m_r.rows() * m_shape.heads * splits, m_shape.values() + 2);
        m_push.partials = m_r.address(memory);
        return memory;
    }

    static std::uint32_t partFlags(std::int64_t splits) { return splits > 1 ? kSplit : 0; }

    void dispatch(const char *shader, const std::vector<std::uint32_t> &constants,
                  const Workgroups &groups, std::span<const Access> reads, const Tensor &writes,
                  const Work &work)
    {
        std::vector<Access> written{accessOf(writes), accessOf(ownRows(m_out))};
        written.insert(written.end(), m_source.writes.begin(), m_source.writes.end());
        m_r.append(shader, constants, &m_push, sizeof m_push, groups, reads, written, work);
    }

    void reduceSplits(const Tensor &partial, std::int64_t firstRow, std::int64_t rows,
                      std::uint32_t flags)
    {
        constexpr std::uint32_t kThreads = 128;
        const auto fours = static_cast<std::uint64_t>(ceilDiv(m_shape.values(), 4));
        const AttentionReduceConstants own{
            .kTeams = std::max(1u, kThreads /
                                       checked32(static_cast<std::int64_t>(std::bit_ceil(fours))))};
        const Access reads = accessOf(partial);
        const double bytes = static_cast<double>(rows * m_shape.heads * m_push.splits) *
                             static_cast<double>(m_shape.values()) * 4;
        const Work work{bytes / 4, bytes};
        forRows(m_r, 1, rows, work, [&](std::int64_t first, std::int64_t count) {
            m_push.first = checked32(firstRow + first);
            dispatch("attention_reduce", constants(kThreads, kSplit | flags, own),
                     {m_shape.heads, count, 1}, {&reads, 1}, ownRows(m_out),
                     work.part(count, rows));
        });
    }

    void fewRows()
    {
        const std::span<const BatchItem> items = m_r.items();
        std::int64_t first = -1, last = -1, number = 0, maxRows = 0;
        for (std::size_t i = m_firstItem; i < items.size(); ++i)
            if (isFew(items[i])) {
                first = first < 0 ? static_cast<std::int64_t>(i) : first;
                last = static_cast<std::int64_t>(i);
                maxRows = std::max(maxRows, items[i].rows);
                ++number;
            }
        if (number == 0)
            return;
        const RowKernel kernel = rowKernel(maxRows * m_group, number);
        const std::int64_t groups = m_shape.kvHeads * kernel.tiles * number;
        std::int64_t splits = splitsFor(groups, kernel.groupsEach * m_r.capabilities().computeUnits,
                                        kernel.fewestKeys, maxRows);
        if (m_source.maxKeys <= kReducedKeys)
            splits = std::min(splits, kernel.maxReduced);
        const std::size_t mark = m_r.mark();
        const Tensor partial = partials(splits);
        const std::int64_t counters =
            static_cast<std::int64_t>(items.size()) * m_shape.kvHeads * kernel.tiles;
        const bool reduceInLast =
            splits > 1 && splits <= kernel.maxReduced && counters <= kMaxCounters;
        if (reduceInLast)
            m_push.counters = attentionCounters(m_r);
        const std::int64_t firstRow = items[static_cast<std::size_t>(first)].firstRow;
        const BatchItem &lastItem = items[static_cast<std::size_t>(last)];
        const std::int64_t rows = lastItem.firstRow + lastItem.rows - firstRow;
        const Work work = workOf(firstRow, rows);
        const auto constant =
            constants(kernel.threads, partFlags(splits) | (reduceInLast ? kReduceInLast : 0),
                      kernel.constants);
        const std::int64_t all = last + 1 - first;
        forRows(m_r, 2, all, work, [&](std::int64_t begin, std::int64_t count) {
            m_push.first = checked32(first + begin);
            dispatch(kernel.shader, constant, {splits, m_shape.kvHeads * kernel.tiles, count},
                     m_reads, partial, work.part(count, all));
        });
        if (splits > 1 && !reduceInLast)
            reduceSplits(partial, firstRow, rows, 0);
        m_r.release(mark);
    }

    struct RowKernel
    {
        const char *shader;
        std::uint32_t threads;
        std::int64_t tiles;                   // of an item's slots
        std::int64_t maxReduced;              // splits that its last workgroup can reduce
        std::int64_t groupsEach;              // that a compute unit should have
        std::int64_t fewestKeys;              // of a group
        std::vector<std::uint32_t> constants; // its own
    };

    /// The kernel for `number` items with up to so many slots: subgroups of their own where a
    /// subgroup can hold a head.
    RowKernel rowKernel(std::int64_t slots, std::int64_t number) const
    {
        const Capabilities &can = m_r.capabilities();
        if (const auto few =
                fewKernel(can, m_shape, m_source.keyType, slots, number, m_source.maxKeys))
            return {can.software ? "attention_few_small" : "attention_few",
                    checked32(few->threads),
                    ceilDiv(slots, few->slots),
                    kMaxSplits,
                    few->groupsEach,
                    few->fewestKeys,
                    inOrder(AttentionFewConstants{.kSlots = checked32(few->slots),
                                                  .kKeysEach = checked32(few->keysEach),
                                                  .kLanes = checked32(few->lanes),
                                                  .kFours = movesInFours(),
                                                  .kScratch = checked32(few->room)})};

        const std::int64_t most = m_source.maxKeys <= kFewKeys ? kFewKeysSlots : kMaxSlots;
        const std::int64_t tiles = ceilDiv(slots, most), m = ceilDiv(slots, tiles);
        const std::int64_t chunks = ceilDiv(m_shape.headDim, 8);
        const std::int64_t valueChunks = ceilDiv(m_shape.values(), 8);
        const std::int64_t threads =
            std::max(chunks, valueChunks) <= 32 ? 128 : std::min(256u, can.maxWorkgroupSize);
        if (std::max(chunks, valueChunks) > threads)
            throwHeads(op::Attention::kName,
                       "heads of " + std::to_string(m_shape.headDim) + " channels");
        const std::int64_t teams = threads / chunks, valueTeams = threads / valueChunks;
        // What a thread loads ahead is bounded by registers, the products by shared memory; the
        // numbers here and for the splits are the best that were measured.
        std::int64_t keysEach = m > 4 || m_source.keyType == 0 || number > 1 ? 4 : 8, shared = 0;
        for (;; keysEach /= 2) {
            shared = std::max({m * chunks * (teams * keysEach + 2), valueTeams * valueChunks * 8,
                               2 * m * kMaxReduced});
            const std::int64_t bytes = 4 * (shared + teams * keysEach * m + 3 * m);
            if (bytes <= std::min<std::int64_t>(can.sharedMemory, 32768))
                break;
            if (keysEach == 1)
                throwHeads(op::Attention::kName, "too little shared memory for heads of " +
                                                     std::to_string(m_shape.headDim) + " channels");
        }
        const std::int64_t block = teams * keysEach, valuesEach = ceilDiv(block, valueTeams);
        return {can.software ? "attention_decode_small" : "attention_decode",
                checked32(threads),
                tiles,
                kMaxReduced,
                number > 1 ? 4 : 2,
                kSplitStep,
                inOrder(AttentionDecodeConstants{.kSlots = checked32(m),
                                                 .kKeysPerThread = checked32(keysEach),
                                                 .kValuesPerThread = checked32(valuesEach),
                                                 .kShared = checked32(shared)})};
    }

    bool movesInFours() const
    {
        return m_shape.headDim % 4 == 0 && m_shape.values() % 4 == 0 &&
               rowsFitFours(m_r, {&m_q, &m_out});
    }

    struct TileKernel
    {
        const char *shader;
        std::int64_t slots; // rows · heads of a group
        std::uint32_t threads;
        std::vector<std::uint32_t> constants; // its own
    };

    /// The kernel for items with up to so many slots: matrices where the device has them.
    TileKernel tileKernel(std::int64_t maxSlots) const
    {
        const Capabilities &can = m_r.capabilities();
        const std::int64_t D = m_shape.headDim, Dv = m_shape.values();
        if (multipliesMatrices(m_r, m_shape, m_source.keyType, maxSlots))
            for (const MatrixTile &tile : kMatrixTiles) {
                const std::uint32_t threads = checked32(tile.slots / 16) * can.subgroupSize;
                // As in the shader, in units of 16 bytes.
                const std::int64_t keyPitch = 2 * ceilDiv(D, 16) + 1;
                const std::int64_t valuePitch = 2 * ceilDiv(Dv, 16) + 1;
                const std::int64_t units =
                    std::max(tile.buffers * kMatrixKeys * (keyPitch + valuePitch),
                             tile.slots * keyPitch) +
                    64 + tile.slots * 5;
                if (threads <= can.maxWorkgroupSize &&
                    16 * units + 4 * tile.slots <= std::int64_t{can.sharedMemory})
                    return {"attention_matrix", tile.slots, threads,
                            inOrder(AttentionMatrixConstants{.kKeys = checked32(kMatrixKeys),
                                                             .kSlots = checked32(tile.slots),
                                                             .kBuffers = checked32(tile.buffers),
                                                             .kFours = movesInFours()})};
            }

        std::int64_t each = Dv <= 128 ? 4 : Dv <= 256 ? 2 : 1; // slots of a thread
        const auto sharedBytes = [](std::int64_t n) { return (32 * n + 32) * 9 * 16 + 512 * n; };
        while (each > 1 && (sharedBytes(each) > can.sharedMemory || 16 * (each / 2) >= maxSlots))
            each /= 2;
        return {can.software ? "attention_tile_small" : "attention_tile", 16 * each, kTileThreads,
                inOrder(AttentionTileConstants{.kRows = checked32(each)})};
    }

    void manyRows()
    {
        std::int64_t maxRows = 0;
        for (const BatchItem &item : m_r.items().subspan(m_firstItem))
            if (!isFew(item))
                maxRows = std::max(maxRows, item.rows);
        if (maxRows == 0)
            return;
        const std::int64_t rows = m_r.rows() - m_firstRow;
        const TileKernel kernel = tileKernel(maxRows * m_group);
        const std::int64_t heads = std::min(m_group, kernel.slots);
        const std::int64_t queries = kernel.slots / heads, headTiles = ceilDiv(m_group, heads);
        const std::int64_t groups = ceilDiv(rows, queries) * m_shape.kvHeads * headTiles;
        const std::int64_t computeUnits = m_r.capabilities().computeUnits;
        const std::int64_t splits = splitsFor(groups, groups < computeUnits ? 2 * computeUnits : 1,
                                              4 * kSplitStep, maxRows);
        const std::size_t mark = m_r.mark();
        const Tensor partial = partials(splits);
        const auto constant =
            constants(kernel.threads, partFlags(splits) | kManyRows, kernel.constants);
        const std::int64_t part =
            std::min(m_r.rowsPerDispatch(workOf(m_firstRow, rows), rows, queries),
                     queries * static_cast<std::int64_t>(m_r.capabilities().maxWorkgroups[0]));
        for (std::int64_t first = 0; first < rows; first += part) {
            const std::int64_t count = std::min(part, rows - first);
            m_push.first = checked32(m_firstRow + first);
            dispatch(kernel.shader, constant,
                     {ceilDiv(count, queries), m_shape.kvHeads * headTiles, splits}, m_reads,
                     partial, workOf(m_firstRow + first, count));
        }
        if (splits > 1)
            reduceSplits(partial, m_firstRow, rows, kManyRows);
        m_r.release(mark);
    }

    Recorder &m_r;
    const std::size_t m_firstItem;
    const std::int64_t m_firstRow;
    const Tensor &m_q;
    const Tensor &m_out;
    const AttentionSource &m_source;
    AttentionShape m_shape;
    std::int64_t m_group, m_fewRows;
    std::vector<Access> m_reads;
    AttentionPush m_push{};
    std::uint32_t m_flags = 0;
};

} // namespace

bool multipliesMatrices(const Recorder &r, const AttentionShape &shape, std::uint32_t keyType,
                        std::int64_t slots)
{
    const Capabilities &can = r.capabilities();
    const bool square = can.matrixM == 16 && can.matrixN == 16 && can.matrixK == 16;
    // The kernel counts on the number of subgroups in a group.
    const bool sizeKnown =
        can.minSubgroup == can.maxSubgroup && (can.subgroupSize == 32 || can.subgroupSize == 64);
    // F32 keys are asked for where exactness matters: F16 matrices would round them.
    const bool mayRound = keyType != 0;
    return can.cooperativeMatrix() && mayRound && square && sizeKnown && slots > 16 &&
           r.hasShader("attention_matrix") &&
           std::max(shape.headDim, shape.values()) <= kMatrixHead;
}

std::vector<std::uint32_t> inOrder(std::span<const std::uint32_t> first,
                                   std::span<const std::uint32_t> second)
{
    std::vector<std::uint32_t> all(first.begin(), first.end());
    all.insert(all.end(), second.begin(), second.end());
    return all;
}

std::uint32_t attentionFlags(const Tensor &q, const AttentionShape &shape, const Tensor &out)
{
    std::uint32_t flags = 0;
    flags |= isHalf(q) != 0 ? kQueryHalf : 0;
    flags |= isHalf(out) != 0 ? kOutHalf : 0;
    flags |= shape.causal ? kCausal : 0;
    flags |= shape.chunk > 0 ? kChunked : 0;
    flags |= shape.softcap > 0 ? kSoftcap : 0;
    flags |= shape.sinks != nullptr ? kSinks : 0;
    flags |= shape.alibiMaxBias > 0 ? kSlopes : 0;
    return flags;
}

VkDeviceAddress slopeTable(Recorder &r, const AttentionShape &shape)
{
    if (shape.alibiMaxBias <= 0)
        return 0;
    const std::vector<float> slopes = slopesOf(shape);
    return r.table(std::as_bytes(std::span(slopes)));
}

VkDeviceAddress attentionCounters(Recorder &r)
{
    return counterTable(r, "attention", kMaxCounters);
}

void dispatchAttention(Recorder &r, const Tensor &q, const AttentionSource &source,
                       const AttentionShape &shape, const Tensor &out, std::size_t firstItem)
{
    if (r.rows() > 0)
        Dispatcher(r, q, source, shape, out, firstItem).run();
}

} // namespace fireside::vulkan
