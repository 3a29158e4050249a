#pragma once
#include "engine/backend/op.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Plain double-precision versions of the row-wise and small ops of Commands, written from the
// formulas. Matrices are compact: rows of `cols` values one after another. An absent vector is an
// empty span. rmsNorm is in reference_ops.h.
namespace fireside::reference {

std::vector<double> gatherRows(std::span<const float> x, std::size_t cols,
                               std::span<const std::int32_t> rows);
/// As the values are after a copy to F32, or rounded to F16.
std::vector<double> copy(std::span<const float> x, DType to);

/// residual + x, and its norm.
struct AddedNorm
{
    std::vector<double> residual, out;
};
AddedNorm addRmsNorm(std::span<const float> residual, std::span<const float> x,
                     std::span<const float> weight, double eps);
std::vector<double> layerNorm(std::span<const float> x, std::span<const float> weight,
                              std::span<const float> bias, double eps);
AddedNorm addLayerNorm(std::span<const float> residual, std::span<const float> x,
                       std::span<const float> weight, std::span<const float> bias, double eps);
std::vector<double> l2Normalize(std::span<const float> x, std::size_t cols);

/// b: as many values as a, one row of `cols`, or one value.
std::vector<double> add(std::span<const float> a, std::span<const float> b);
std::vector<double> multiply(std::span<const float> a, std::span<const float> b);
/// out + scale · x
std::vector<double> addScaled(std::span<const float> x, double scale, std::span<const float> out);
std::vector<double> addBias(std::span<const float> x, std::span<const float> bias,
                            std::span<const float> residual);
double activation(Activation act, double x);
double xIelu(const XIelu &numbers, double x);
std::vector<double> activate(std::span<const float> x, Activation act, std::span<const float> bias);
std::vector<double> gate(std::span<const float> gateInput, std::span<const float> up,
                         Activation act);
std::vector<double> softcap(std::span<const float> x, double cap);

/// Routing::bias is passed as values here. ids and weights: [T, used].
struct Routed
{
    std::vector<std::int32_t> ids;
    std::vector<double> weights;
};
Routed route(std::span<const float> logits, std::size_t experts, const Routing &routing,
             std::span<const float> bias);

/// x [T, C], weight [C, K], itemRows: the rows of each item; state [items·(K−1), C] is updated.
std::vector<double> shortConvolution(std::span<const float> x, std::span<const float> weight,
                                     std::span<const float> bias, std::size_t channels,
                                     std::span<const std::int64_t> itemRows,
                                     std::vector<double> &state);
/// q, k [T, H·Dk], v [T, H·Dv], g, beta [T, H]; state [items·H·Dk, Dv] is updated.
std::vector<double> gatedDeltaRule(std::span<const float> q, std::span<const float> k,
                                   std::span<const float> v, std::span<const float> g,
                                   std::span<const float> beta, std::size_t heads,
                                   std::span<const std::int64_t> itemRows,
                                   std::vector<double> &state);

/// A row that holds anything but finite numbers has no largest: kNotFinite in place of its ids.
std::vector<std::int32_t> argmax(std::span<const float> x, std::size_t cols);
struct Largest
{
    std::vector<double> values; // [rows, k]
    std::vector<std::int32_t> ids;
};
Largest topK(std::span<const float> x, std::size_t cols, std::size_t k);

std::vector<double> pad(std::span<const float> x, std::size_t cols,
                        std::span<const std::int64_t> itemRows, std::size_t longest);
std::vector<double> unpad(std::span<const float> x, std::size_t cols,
                          std::span<const std::int64_t> itemRows, std::size_t longest);
std::vector<double> pool(std::span<const float> x, std::size_t cols,
                         std::span<const std::int64_t> itemRows, Pooling pooling);

} // namespace fireside::reference
