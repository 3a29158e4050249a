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

/// Routing::bias and expertScale are passed as values here. ids and weights: [T, used].
struct Routed
{
    std::vector<std::int32_t> ids;
    std::vector<double> weights;
};
Routed route(std::span<const float> logits, std::size_t experts, const Routing &routing,
             std::span<const float> bias, std::span<const float> expertScale = {});

/// x [T, C], weight [C, K], itemRows: the rows of each item; state [items·(K−1), C] is updated.
std::vector<double> shortConvolution(std::span<const float> x, std::span<const float> weight,
                                     std::span<const float> bias, std::size_t channels,
                                     std::span<const std::int64_t> itemRows,
                                     std::vector<double> &state);
/// q, k [T, Hk·Dk], v [T, H·Dv], g [T, H] or [T, H·Dk], beta [T, H]; state [items·H·Dk, Dv] is
/// updated.
std::vector<double> gatedDeltaRule(std::span<const float> q, std::span<const float> k,
                                   std::span<const float> v, std::span<const float> g,
                                   std::span<const float> beta, std::size_t keyHeads,
                                   std::size_t heads, std::span<const std::int64_t> itemRows,
                                   std::vector<double> &state);
/// x, dt [T, C], a [C, N], b, c [T, N], dtBias [C] or empty, d [C]; state [items·C, N] is updated.
std::vector<double> selectiveScan(std::span<const float> x, std::span<const float> dt,
                                  std::span<const double> dtBias, std::span<const double> a,
                                  std::span<const float> b, std::span<const float> c,
                                  std::span<const double> d, std::span<const std::int64_t> itemRows,
                                  std::vector<double> &state);
/// x [T, H·P], dt [T, H], b, c [T, G·N], a [H], dtBias, d [H] or empty; state [items·H·P, N] is
/// updated.
struct ScanHeads
{
    std::size_t count, groups;
    std::span<const double> dtBias, a, d;
    double dtMin, dtMax;
};
std::vector<double> stateSpaceScan(std::span<const float> x, std::span<const float> dt,
                                   std::span<const float> b, std::span<const float> c,
                                   const ScanHeads &heads, std::span<const std::int64_t> itemRows,
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
