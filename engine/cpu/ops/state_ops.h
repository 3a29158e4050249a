#pragma once
#include "engine/cpu/ops/row_ops.h"

#include <span>

// Recurrent blocks, as engine/backend/ops describes them; their states are changed in place.
namespace fireside::cpu {

/// weights [K, C] (transposed), bias [C] or null; state [items·(K−1), C]; next [K−1, C] is
/// working memory. out may be x.
void shortConvolution(ThreadPool &pool, const InRows &x, const InRows &weights, const float *bias,
                      std::span<const RowSpan> items, const FloatRows &state, const FloatRows &next,
                      const FloatRows &out);

/// q, k [T, H·Dk], v, out [T, H·Dv], g, beta [T, H]; state [items·H·Dk, Dv]; change [threads, Dv]
/// is working memory.
void gatedDeltaRule(ThreadPool &pool, const InRows &q, const InRows &k, const InRows &v,
                    const InRows &g, const InRows &beta, std::span<const RowSpan> items,
                    const FloatRows &state, const FloatRows &change, const FloatRows &out);

} // namespace fireside::cpu
