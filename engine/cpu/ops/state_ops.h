#pragma once
#include "engine/cpu/ops/row_ops.h"

#include <span>

// Recurrent blocks, as engine/backend/ops describes them; each item's state is changed in place.
namespace fireside::cpu {

/// An item of a batch with its state, F32.
struct StateItem
{
    RowSpan rows;
    float *state = nullptr;
};

/// weights [K, C] (transposed), bias [C] or null; states [K−1, C]; next [K−1, C] is working memory.
/// out may be x.
void shortConvolution(ThreadPool &pool, const InRows &x, const InRows &weights, const float *bias,
                      std::span<const StateItem> items, const FloatRows &next,
                      const FloatRows &out);

/// q, k [T, Hk·Dk], v, out [T, H·Dv], g [T, H] or [T, H·Dk], beta [T, H]; states [H·Dk, Dv];
/// memory [threads, 3·Dk] is working memory.
void gatedDeltaRule(ThreadPool &pool, const InRows &q, const InRows &k, const InRows &v,
                    const InRows &g, const InRows &beta, std::size_t keyHeads,
                    std::span<const StateItem> items, const FloatRows &memory,
                    const FloatRows &out);

/// x, dt, out [T, C], a [C, N], b, c [T, N], dtBias [C] or null, d [C]; states [C, N].
void selectiveScan(ThreadPool &pool, const InRows &x, const InRows &dt, const float *dtBias,
                   const InRows &a, const InRows &b, const InRows &c, const float *d,
                   std::span<const StateItem> items, const FloatRows &out);

/// What the heads of a StateSpaceScan have besides their rows; dtBias and d may be null.
struct ScanHeads
{
    std::size_t count = 0, groups = 0;
    const float *dtBias = nullptr, *a = nullptr, *d = nullptr; // [H]
    float dtMin = 0, dtMax = 0;
};
/// x, out [T, H·P], dt [T, H], b, c [T, G·N]; states [H·P, N].
void stateSpaceScan(ThreadPool &pool, const InRows &x, const InRows &dt, const InRows &b,
                    const InRows &c, const ScanHeads &heads, std::span<const StateItem> items,
                    const FloatRows &out);

/// log(1 + eˣ)
float softplus(float x);

} // namespace fireside::cpu
