#pragma once
#include "engine/backend/memory.h"

#include <cstdint>
#include <span>

namespace fireside {

/// One session's part of a pass: rows [firstRow, firstRow + rows) continue a cache that holds
/// `past` tokens. A prompt chunk is one item of many rows, batched decode many items of one row, an
/// encoder's batch one item per sequence without cache.
struct BatchItem
{
    std::span<const KvLayer> cache; // indexed by layer; may be empty when no op uses it
    std::int64_t firstRow = 0, rows = 0, past = 0;
};
struct Batch
{
    std::span<const std::int32_t> ids;          // [T]
    std::span<const std::int32_t> positions;    // [T]
    std::span<const BatchItem> items;           // cover all T rows in order
    std::span<const std::int32_t> outputRows{}; // rows whose results are wanted
    /// So many items at the end, of a row each, are nobody's: they make passes alike.
    std::int64_t padding = 0;
};

} // namespace fireside
