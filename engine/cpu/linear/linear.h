#pragma once
#include "engine/core/thread_pool.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

// Matrix products of the CPU backend: out[T, rows] (+)= x[T, cols] · W[rows, cols]ᵀ for every
// weight type, straight from the file's bytes. Few rows of x: memory-bound integer-dot matvec.
// Many: weights are unpacked once per block of rows into int8 panels (quantised types) or float
// panels (our own kernels or OpenBLAS) and used for all T.
namespace fireside::cpu {

struct WeightMatrix
{
    const std::byte *data = nullptr; // rows · rowBytes(dtype, cols), any alignment
    DType dtype = DType::F32;
    std::size_t rows = 0, cols = 0; // cols is a multiple of the block size (checked at load)
};

struct LinearJob
{
    WeightMatrix weight;
    float *out = nullptr;        // [T, outStride]
    std::size_t outStride = 0;   // floats
    const float *bias = nullptr; // [rows] or none
    bool accumulate = false;     // out += instead of out =
};

struct LinearKernels; // linear_kernels.h

/// Who multiplies float weights with many tokens: whichever was measured to be faster, or always
/// one of them. Blas means our own where the library is missing.
enum class FloatProducts { Measured, Own, Blas };

/// Working memory that grows to the largest product seen and is reused; one per Commands.
class LinearScratch
{
public:
    LinearScratch(); // with linearKernels(), the selected instruction set, and FIRESIDE_BLAS
    explicit LinearScratch(const LinearKernels &kernels,
                           FloatProducts floats = FloatProducts::Measured);
    ~LinearScratch();
    struct Impl;
    Impl &impl() { return *m_impl; }
    std::size_t bytes() const; // taken so far

private:
    std::unique_ptr<Impl> m_impl;
};

bool linearSupports(DType type);

/// All jobs read the same x [T, xStride]; activations are quantised once for all of them.
/// Throws Error(BadInput) with both shapes when a weight's columns are not `cols`,
/// Error(Unsupported) for a type linearSupports() denies, Error(Memory) when the working memory
/// cannot grow.
void linear(ThreadPool &pool, LinearScratch &scratch, const float *x, std::size_t xStride,
            std::size_t T, std::size_t cols, std::span<const LinearJob> jobs);

/// out[T, rows] = silu(x·gateᵀ) ⊙ (x·upᵀ) (or another gate), fused so that the two products never
/// travel through memory for T = 1. Biases [rows] are added to the products first.
using GateFunction = void (*)(float *out, const float *gate, const float *up, std::size_t n);
struct GateBiases
{
    const float *gate = nullptr, *up = nullptr;
};
void gatedLinear(ThreadPool &pool, LinearScratch &scratch, const float *x, std::size_t xStride,
                 std::size_t T, const WeightMatrix &gate, const WeightMatrix &up, GateFunction act,
                 float *out, std::size_t outStride, const GateBiases &biases = {});
/// x += bias for T rows of n; null does nothing.
void addToRows(float *x, std::size_t stride, std::size_t T, const float *bias, std::size_t n);

} // namespace fireside::cpu
