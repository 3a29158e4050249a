#pragma once
#include "engine/backend/op.h"

#include <cstdint>
#include <span>
#include <vector>

// Plain double-precision versions of what happens to heads, written from the formulas.
namespace fireside::reference {

/// Norm and rotation of [T, heads, headDim] at positions [T]. norm: empty or [headDim].
std::vector<double> transformHeads(std::span<const float> x,
                                   std::span<const std::int32_t> positions, std::int64_t headDim,
                                   std::span<const float> norm, double eps, const Rope *rope);

/// One sequence whose last `rows` tokens ask. q [rows, H, D]; keys [keys, Hkv, D] and values
/// [keys, Hkv, Dv] of all tokens; sinks [H] or empty; distances [H, 2·R + 1] or empty,
/// added for key − query cut to −R … R; result [rows, H, Dv].
std::vector<double> attend(const AttentionShape &shape, std::int64_t rows, std::span<const float> q,
                           std::span<const double> keys, std::span<const double> values,
                           std::span<const double> sinks, std::span<const double> distances = {});

/// arXiv 2108.12409, for any number of heads.
double alibiSlope(std::int64_t head, std::int64_t heads, double maxBias);

} // namespace fireside::reference
