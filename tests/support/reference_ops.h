#pragma once
#include <cstdint>
#include <span>
#include <vector>

// Plain double-precision versions of every op, written from the formulas and sharing no code with
// the engine. Slow and obvious on purpose.
namespace fireside::reference {

/// x / √(mean(x²) + eps) · weight for each row of [rows, weight.size()].
std::vector<double> rmsNorm(std::span<const float> x, std::span<const float> weight, double eps);

/// Rotates [T, heads, headDim]; pairs (i, i + r) or (2i, 2i + 1) for i < r = frequencies.size().
std::vector<double> rope(std::span<const float> x, std::span<const std::int32_t> positions,
                         std::size_t heads, std::size_t headDim, std::span<const float> frequencies,
                         bool interleaved, double attentionFactor);

/// One sequence. q [rows, H, D]; keys and values [Hkv, past + rows, D]; result [rows, H, D].
struct AttentionArguments
{
    std::size_t heads = 1, kvHeads = 1, headDim = 1, rows = 1, past = 0;
    double scale = 1;
    std::size_t window = 0; // 0: unlimited
    double softcap = 0;     // 0: none
};
std::vector<double> attention(const AttentionArguments &args, std::span<const float> q,
                              std::span<const double> keys, std::span<const double> values);

/// [T, rows] = x [T, cols] · weight [rows, cols]ᵀ + bias (empty: none).
std::vector<double> linear(std::span<const float> x, std::span<const double> weight,
                           std::span<const float> bias, std::size_t rows, std::size_t cols);

double silu(double x);
double geluErf(double x);
double geluTanh(double x);

/// Values as the cache types keep them: rounded to binary16, or to 8 bits per 32 values.
double roundToHalf(double x);
std::vector<double> roundToQ8_0(std::span<const float> x);

/// ‖actual − expected‖ / ‖expected‖; NaN when anything is.
double relativeError(std::span<const float> actual, std::span<const double> expected);

} // namespace fireside::reference
