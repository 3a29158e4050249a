#pragma once
#include "engine/files/safetensors.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace fireside {

/// Columns of a quantised weight that were taken in another order than they lie (GPTQ's act-order):
/// `order` [cols] I32 holds the group of each, and each group has `groupCols` of them. Gives the
/// numbers of the columns group by group, in each as they come; empty where they lie so already.
/// Error(BadInput) naming folder and tensor for a group that is not there, or has more or fewer.
std::vector<std::int32_t> columnsByGroup(const std::filesystem::path &folder,
                                         const SafetensorsTensor &order, std::uint64_t groups,
                                         std::uint64_t groupCols);

/// Nothing but −1, as compressed-tensors leaves it where columns lie in order.
bool isUnsetOrder(const SafetensorsTensor &order);

} // namespace fireside
