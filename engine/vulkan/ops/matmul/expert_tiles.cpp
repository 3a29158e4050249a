#include "shaders/ops/matmul/expert_tiles.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/matmul/expert_tiles.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <algorithm>
#include <string>

namespace fireside::vulkan {

bool arePairsFew(std::int64_t tokens, std::int64_t used, std::int64_t experts)
{
    return tokens <= 1 || tokens * used <= experts;
}

std::int64_t pairsPerExpert(std::int64_t tokens, std::int64_t used, std::int64_t experts)
{
    return ceilDiv(tokens * used, experts);
}

void requireSortable(const char *op, std::int64_t tokens, std::int64_t used, std::int64_t experts)
{
    if (experts > kExpertTilesMost && !arePairsFew(tokens, used, experts))
        throwUnsupported(std::string(op) + " on Vulkan for " + std::to_string(experts) +
                         " experts (at most " + std::to_string(kExpertTilesMost) + ")");
}

ExpertTiles sortByExpert(Recorder &r, const Tensor &ids, std::int64_t experts,
                         std::int64_t pairsPerRow, const GemmTile &tile)
{
    ExpertTiles sorted;
    sorted.pairs = ids.rows * ids.cols;
    sorted.pairsPerRow = pairsPerRow;
    // Full tiles, and one that is not for each expert and for the pairs that name none.
    sorted.bound = sorted.pairs / tile.rows + std::min(sorted.pairs, experts + 1);
    // Tiles are read 16 bytes at a time.
    sorted.tiles = r.scratch(1, 4 * sorted.bound, DType::I32);
    sorted.order = r.scratch(1, sorted.pairs, DType::I32);

    const ExpertTilesConstants constants{.kThreads = threadsFor(r, sorted.pairs),
                                         .kExperts = count32(experts)};
    const ExpertTilesPush push{.ids = r.address(ids),
                               .order = r.address(sorted.order),
                               .tiles = r.address(sorted.tiles),
                               .tokens = count32(ids.rows),
                               .used = count32(ids.cols),
                               .idStride = count32(ids.stride),
                               .tileRows = tile.rows,
                               .bound = count32(sorted.bound)};
    r.dispatch("expert_tiles", constants, push, {}, {accessOf(ids)},
               {accessOf(sorted.order), accessOf(sorted.tiles)}, {0, bytesOf(ids)});
    return sorted;
}

} // namespace fireside::vulkan
