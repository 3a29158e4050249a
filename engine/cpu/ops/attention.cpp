#include "engine/core/error.h"
#include "engine/core/work_shares.h"
#include "engine/cpu/ops/attention_unit.h"
#include "engine/cpu/ops/op_call.h"

#include <algorithm>
#include <new>
#include <vector>

// Splits attention into independent units (query tile × kv head × range of keys), runs them on the
// pool, and joins the ranges of a query that was split over several units.
namespace fireside::cpu {
namespace {

constexpr std::size_t kTargetRows = 96; // rows (queries × heads of a group) that share a key tile
constexpr std::size_t kMinSplit = 256;  // keys; a shorter range costs more to join than it saves

/// A query tile whose keys are spread over `splits` units has its parts at `partial`.
struct SplitTile
{
    AttentionTile tile;
    std::size_t splits = 0;
    std::size_t partial = 0; // floats into the partial results
};

/// Reused from call to call, so that steady decoding allocates nothing.
struct Workspace
{
    std::vector<AttentionTile> tiles;
    std::vector<AttentionUnit> units;
    std::vector<SplitTile> splitTiles;
    std::vector<float> scratch;
    std::vector<float> partials;
};

void listTiles(std::span<const AttentionItem> items, std::size_t group,
               std::vector<AttentionTile> &tiles)
{
    tiles.clear();
    const std::size_t queries = std::max<std::size_t>(1, kTargetRows / group);
    for (const AttentionItem &item : items)
        for (std::size_t end = item.rows; end > 0; end -= std::min(queries, end)) {
            // The last queries see the most keys: starting with them evens out the finish.
            const std::size_t begin = end - std::min(queries, end);
            for (std::size_t head = 0; head < item.cache.kvHeads; ++head)
                tiles.push_back({&item, head, begin, end});
        }
}

} // namespace

void attention(ThreadPool &pool, std::span<const AttentionItem> items, const InRows &q,
               const AttentionShape &shape, const float *sinks, const FloatRows &out,
               const DistanceBias &distances)
{
    const AttentionInput input{q, shape, sinks, out, distances};
    thread_local Workspace work;
    const std::vector<AttentionTile> &tiles = work.tiles;
    listTiles(items, input.group(), work.tiles);
    work.units.clear();
    work.splitTiles.clear();

    const std::size_t threads = static_cast<std::size_t>(pool.size());
    const std::size_t wanted = threads == 1 ? 1 : 4 * threads;
    const std::size_t splitWish =
        tiles.empty() ? 1 : std::max<std::size_t>(1, (wanted + tiles.size() - 1) / tiles.size());
    std::size_t partialFloats = 0;
    std::size_t scratchFloats = 0;
    for (const AttentionTile &tile : tiles) {
        scratchFloats = std::max(scratchFloats, attentionScratch(input, tile));
        const KeyRange keys = visibleKeys(input, tile);
        const std::size_t splits =
            std::max<std::size_t>(1, std::min(splitWish, keys.size() / kMinSplit));
        if (splits == 1) {
            work.units.push_back({tile, keys, kNoPartial});
            continue;
        }
        work.splitTiles.push_back({tile, splits, partialFloats});
        for (std::size_t s = 0; s < splits; ++s) {
            const KeyRange part{keys.begin + keys.size() * s / splits,
                                keys.begin + keys.size() * (s + 1) / splits};
            work.units.push_back({tile, part, partialFloats});
            partialFloats += partialSize(input, tile);
        }
    }
    // Allocated here, where a failure can still be thrown, not inside the region.
    try {
        if (work.partials.size() < partialFloats)
            work.partials.resize(partialFloats);
        if (work.scratch.size() < scratchFloats * threads)
            work.scratch.resize(scratchFloats * threads);
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Memory,
                    "not enough memory for attention: needs " +
                        formatBytes((partialFloats + scratchFloats * threads) * sizeof(float)));
    }

    distribute(pool, work.units.size(), [&, &work = work](int thread, std::size_t i) {
        float *scratch = work.scratch.data() + static_cast<std::size_t>(thread) * scratchFloats;
        runAttentionUnit(input, work.units[i], scratch, work.partials.data());
    });
    for (const SplitTile &split : work.splitTiles)
        joinPartials(input, split.tile, work.partials.data() + split.partial, split.splits);
}

void run(OpCall &call, const op::Attention &op)
{
    CpuPass &pass = call.pass();
    const float *sinks = call.vector(op.shape.sinks);
    pass.findCaches(op.layer, op.shape);
    const InRows q = call.input(op.q, "q");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { attention(pass.pool, pass.attention, q, op.shape, sinks, out); });
}

} // namespace fireside::cpu
