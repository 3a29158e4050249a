#include "engine/cpu/kernels.h"
#include "engine/cpu/ops.h"

#include <algorithm>
#include <cmath>

// Root mean square layer normalisation, Zhang & Sennrich 2019.
namespace fireside::cpu {
namespace {

/// Below this many floats a parallel region costs more than it saves.
constexpr std::size_t kGrain = 16384;

std::ptrdiff_t rowsPerChunk(std::size_t floatsPerRow)
{
    return static_cast<std::ptrdiff_t>(
        std::max<std::size_t>(1, kGrain / std::max<std::size_t>(1, floatsPerRow)));
}

void normalise(const VectorKernels &vec, const float *x, const float *weight, float eps, float *out,
               std::size_t n)
{
    const float mean = vec.sumSquares(x, n) / static_cast<float>(n);
    vec.scaleMul(out, x, weight, 1.0f / std::sqrt(mean + eps), n);
}

} // namespace

void rmsNorm(ThreadPool &pool, const float *x, std::size_t xStride, const float *weight, float eps,
             float *out, std::size_t outStride, std::size_t T, std::size_t n)
{
    const VectorKernels &vec = vectorKernels();
    pool.parallelFor(static_cast<std::ptrdiff_t>(T), rowsPerChunk(n),
                     [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                         for (std::ptrdiff_t t = begin; t < end; ++t)
                             normalise(vec, x + t * xStride, weight, eps, out + t * outStride, n);
                     });
}

void headRmsNorm(ThreadPool &pool, float *x, std::size_t xStride, const float *weight, float eps,
                 std::size_t T, std::size_t heads, std::size_t headDim)
{
    const VectorKernels &vec = vectorKernels();
    pool.parallelFor(static_cast<std::ptrdiff_t>(T), rowsPerChunk(heads * headDim),
                     [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                         for (std::ptrdiff_t t = begin; t < end; ++t)
                             for (std::size_t h = 0; h < heads; ++h) {
                                 float *head = x + t * xStride + h * headDim;
                                 normalise(vec, head, weight, eps, head, headDim);
                             }
                     });
}

} // namespace fireside::cpu
