#pragma once
#include "engine/vulkan/ops/matmul/gemm.h"
#include "engine/vulkan/ops/matmul/small_gemm.h"
#include "engine/vulkan/ops/ops.h"
#include "tests/support/reference_ops.h"
#include "tests/vulkan/product_case.h"

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace fireside::test {

/// The types that cooperative matrices multiply: all but F32.
inline constexpr std::span kMatrixTypes = std::span(kWeightTypes).subspan<1>();
static_assert(kWeightTypes[0] == DType::F32);

/// A product with all that a kernel may be asked for.
struct MatrixProduct
{
    DType weight = DType::Q8_0, x = DType::F32, out = DType::F32;
    std::int64_t rows = 1, cols = 32, outs = 1;
    std::int64_t gap = 0;          // elements between rows of x and of out
    std::optional<Activation> act; // gated
    bool bias = false, upBias = false, add = false, norm = false;

    bool exact() const { return weight == DType::F16 || weight == DType::BF16; }
    /// Weights that are not quantised keep x in two parts; others round it to F16. Gates multiply
    /// two sums, one of them squared by ReLU².
    double bound() const
    {
        if (out != DType::F16 && exact())
            return 3e-6;
        return act ? 1e-3 : 8e-4;
    }
    std::string text() const;
};

/// Runs it, by `run`, and compares with the reference.
using RunLinear = std::function<void(const LinearInput &, const LinearTarget &, Accumulate)>;
using RunGated =
    std::function<void(const LinearInput &, const GatedWeights &, Activation, const Tensor &)>;
double errorOf(RecorderDevice &device, const MatrixProduct &product, const RunLinear &linear,
               const RunGated &gated);

double activated(Activation act, double gate, double up);
/// What makes products of such rows with such weights about this large.
float scaleFor(double size, std::span<const double> weights, std::int64_t cols);

} // namespace fireside::test
