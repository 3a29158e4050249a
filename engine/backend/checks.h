#pragma once
#include "engine/backend/commands.h"

#include <cstdint>

// What every device checks of what it is given, so that all say the same.
namespace fireside {

/// Error(BadInput) naming the tensor when its shape is empty, cuts a block or overflows, or when
/// the bytes (or the parts) are not as many as it asks for.
void checkSource(const WeightSource &source);

/// Error(Internal), with the numbers, unless the items cover all rows in order and no more rows or
/// output rows come than planned.
void checkBatch(const Batch &batch, std::int64_t maxRows);

} // namespace fireside
