#pragma once
#include "engine/backend/ops/op_check.h"

#include <cstddef>
#include <optional>

namespace fireside {

/// How a pass chooses the ids of the next one: what engine/generate's sampler does with the best
/// candidates, in the device's arithmetic.
struct NextIds
{
    float temperature = 0; // ≤ 0: the first candidate
    float minP = 0;        // keeps p ≥ minP · p_max
    float topP = 1;        // the fewest best candidates that hold this much; 1: all
    /// In [0, 1), used when the temperature is not 0: row r of the i-th pass takes draws[i · T +
    /// r].
    std::span<const float> draws{};
};

constexpr std::size_t kMaxAheadRows = 64, kMaxAheadCandidates = 8000; // of all rows
constexpr std::int64_t kMaxAheadK = 256;

} // namespace fireside

namespace fireside::op {

/// The last op of a pass with PassOptions::next, whose items have one row each: draws row t's next
/// id from candidates in falling order. The batch's own ids become those, its positions and lengths
/// grow by one: it is the next pass's. After sync() the op's three tensors can be read, and no
/// others while passes run ahead.
struct Advance
{
    static constexpr const char *kName = "advance";
    std::optional<Tensor> logits; // [T, k] F32; none for k = 1
    Tensor ids;                   // [T, k] I32
    Tensor chosen;                // [T, 1] I32, for the host
};

inline void check(const Advance &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const std::int64_t rows = pass.rows, k = op.ids.cols;
    check.ids("ids", rows, k, op.ids);
    check.ids("chosen", rows, 1, op.chosen);
    if (op.logits)
        check.floats("logits", rows, k, *op.logits);
    if (k < 1 || k > kMaxAheadK || rows > static_cast<std::int64_t>(kMaxAheadRows) ||
        rows * k > static_cast<std::int64_t>(kMaxAheadCandidates) || (k > 1 && !op.logits))
        check.fail(std::to_string(rows) + " rows with " + std::to_string(k) + " candidates" +
                   (op.logits ? "" : " without logits"));
    for (const BatchItem &item : pass.items)
        if (item.rows != 1)
            check.fail("an item of " + std::to_string(item.rows) + " rows");
}

} // namespace fireside::op
