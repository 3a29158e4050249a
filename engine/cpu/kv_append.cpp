#include "engine/cpu/kernels.h"
#include "engine/cpu/ops.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fireside::cpu {
namespace {

/// Below this many floats a parallel region costs more than it saves.
constexpr std::size_t kGrain = 8192;

/// Per 32 values: scale = largest magnitude / 127, rounded to nearest (Q8_0 of GGUF).
void quantizeQ8_0(std::byte *out, const float *x, std::size_t n)
{
    for (std::size_t i = 0; i < n; i += 32, out += sizeof(BlockQ8_0)) {
        float largest = 0;
        for (std::size_t j = 0; j < 32; ++j)
            largest = std::max(largest, std::fabs(x[i + j]));
        const float inverse = largest > 0 ? 127.0f / largest : 0.0f;
        BlockQ8_0 block;
        block.d = floatToHalf(largest / 127.0f);
        for (std::size_t j = 0; j < 32; ++j) {
            // NaN and infinity have no integer; the scale (infinite or NaN below) still carries
            // them.
            const float q = std::nearbyint(x[i + j] * inverse);
            block.qs[j] =
                q >= -127.0f && q <= 127.0f ? static_cast<std::int8_t>(q) : std::int8_t{1};
            if (!(q >= -127.5f && q <= 127.5f))
                block.d = 0x7e00; // NaN: a broken activation must not turn into a plausible one
        }
        std::memcpy(out, &block, sizeof block);
    }
}

void store(const VectorKernels &vec, DType dtype, std::byte *out, const float *x, std::size_t n)
{
    switch (dtype) {
    case DType::F32:
        std::memcpy(out, x, n * sizeof(float));
        break;
    case DType::F16:
        vec.toHalf(reinterpret_cast<std::uint16_t *>(out), x, n);
        break;
    default:
        quantizeQ8_0(out, x, n);
    }
}

} // namespace

void appendKv(ThreadPool &pool, const KvView &cache, const float *k, const float *v,
              std::size_t stride, std::size_t rows, std::size_t past)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t dim = cache.headDim;
    const std::size_t bytes = rowBytes(cache.dtype, dim);
    const std::size_t grain =
        std::max<std::size_t>(1, kGrain / std::max<std::size_t>(1, 2 * cache.kvHeads * dim));
    pool.parallelFor(static_cast<std::ptrdiff_t>(rows), static_cast<std::ptrdiff_t>(grain),
                     [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                         for (std::size_t h = 0; h < cache.kvHeads; ++h)
                             for (std::ptrdiff_t t = begin; t < end; ++t) {
                                 const std::size_t row =
                                     h * cache.capacity + past + static_cast<std::size_t>(t);
                                 const std::size_t from = t * stride + h * dim;
                                 store(vec, cache.dtype, cache.keys + row * bytes, k + from, dim);
                                 store(vec, cache.dtype, cache.values + row * bytes, v + from, dim);
                             }
                     });
}

} // namespace fireside::cpu
