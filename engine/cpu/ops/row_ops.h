#pragma once
#include "engine/backend/ops/activation.h"
#include "engine/backend/ops/pool.h"
#include "engine/backend/ops/route.h"
#include "engine/cpu/linear/linear.h"
#include "engine/cpu/simd/rows.h"

#include <span>

// Ops that work on each row by itself, as engine/backend/ops describes them. Matrices fit each
// other: the caller has checked. Vectors are [cols] floats, null where they may be absent.
namespace fireside::cpu {

// Norms take each of a row's `groups` equal parts by itself.
void rmsNorm(ThreadPool &pool, const InRows &x, const float *weight, float eps,
             const FloatRows &out, std::size_t groups = 1);
void addRmsNorm(ThreadPool &pool, const FloatRows &residual, const InRows &x, const float *weight,
                float eps, const FloatRows &out, std::size_t groups = 1);
void layerNorm(ThreadPool &pool, const InRows &x, const float *weight, const float *bias, float eps,
               const FloatRows &out, std::size_t groups = 1);
void addLayerNorm(ThreadPool &pool, const FloatRows &residual, const InRows &x, const float *weight,
                  const float *bias, float eps, const FloatRows &out, std::size_t groups = 1);
void l2Normalize(ThreadPool &pool, const InRows &x, const FloatRows &out, float eps = 0,
                 std::size_t groups = 1);
void gaussianSparsify(ThreadPool &pool, const InRows &x, float k, const FloatRows &out);

/// b: a's shape, one row, one number, or one number for each row.
void add(ThreadPool &pool, const InRows &a, const InRows &b, const FloatRows &out);
void multiply(ThreadPool &pool, const InRows &a, const InRows &b, const FloatRows &out);
void addScaled(ThreadPool &pool, const InRows &x, float scale, const FloatRows &out);
/// residual.data may be null.
void addBias(ThreadPool &pool, const InRows &x, const float *bias, const InRows &residual,
             const FloatRows &out);
void copy(ThreadPool &pool, const InRows &x, const FloatRows &out);
void activate(ThreadPool &pool, const InRows &x, Activation act, const float *bias,
              const FloatRows &out);
void activate(ThreadPool &pool, const InRows &x, const XIelu &numbers, const float *bias,
              const FloatRows &out);
void gate(ThreadPool &pool, const InRows &gateInput, const InRows &up, Activation act,
          const FloatRows &out);
void softcap(ThreadPool &pool, const InRows &x, float cap, const FloatRows &out);
/// visible [T] or null.
void softmax(ThreadPool &pool, const InRows &x, float scale, const IdRows *visible,
             const FloatRows &out);

/// out = act(gate) ⊙ up on n floats, the epilogue of gatedLinear; out may be an input.
GateFunction gateFunction(Activation act);
/// out = act(x) on n floats; out may be x.
void applyFunction(GateFunction act, const float *x, float *out, std::size_t n);

/// ids [rows]: the first maximum; kNotFinite for a row with NaN or an infinity (not_finite.h).
void argmax(ThreadPool &pool, const InRows &x, const IdRows &ids);
/// values, ids [rows, k]
void topK(ThreadPool &pool, const InRows &x, const FloatRows &values, const IdRows &ids);
/// ids, weights [T, k]; bias and scale of [experts] or null.
void route(ThreadPool &pool, const InRows &logits, const Routing &routing, const float *bias,
           const IdRows &ids, const FloatRows &weights, const float *scale = nullptr);

/// Rows [first, first + rows) of a flat batch.
struct RowSpan
{
    std::size_t first = 0, rows = 0;
};
/// out [items·longest, n]
void pad(ThreadPool &pool, const InRows &x, std::span<const RowSpan> items, const FloatRows &out);
void unpad(ThreadPool &pool, const InRows &x, std::span<const RowSpan> items, const FloatRows &out);
/// out [items, n]
void pool(ThreadPool &threads, const InRows &x, std::span<const RowSpan> items, Pooling pooling,
          const FloatRows &out);

} // namespace fireside::cpu
