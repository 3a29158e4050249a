#pragma once
#include "engine/vulkan/ops/matmul/gemm_dispatch.h"

namespace fireside::vulkan {

/// Whether so many pairs of tokens and experts are better multiplied one by one than sorted by
/// expert. With as many pairs as experts about two thirds of the experts are named: tiles would
/// read a third less, but take three more dispatches and rows that are not full.
bool arePairsFew(std::int64_t tokens, std::int64_t used, std::int64_t experts);

/// The usual number of pairs per expert, for the choice of a tile.
std::int64_t pairsPerExpert(std::int64_t tokens, std::int64_t used, std::int64_t experts);

/// Error(Unsupported) where there are more than can be sorted: 2048 experts.
void requireSortable(const char *op, std::int64_t tokens, std::int64_t used, std::int64_t experts);
/// Sorts the pairs on the device. Takes scratch.
ExpertTiles sortByExpert(Recorder &r, const Tensor &ids, std::int64_t experts,
                         std::int64_t pairsPerRow, const GemmTile &tile);

} // namespace fireside::vulkan
