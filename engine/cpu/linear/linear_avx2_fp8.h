#pragma once
// AVX2 kernels of F8_E4M3, codes of FP8 with a scale for each 32. Private to the including file
// (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_floats.h"

namespace {

constexpr std::size_t kFp8Bytes = sizeof(fireside::BlockF8_E4M3);

/// A block's codes as floats, and the scale that goes with them.
struct Fp8Block
{
    __m256 value[4];
    __m256 scale;
};

/// Sixteen codes as F16 of a 256th: the sign comes to all high bits, of which one belongs to the
/// exponent (see fp8Value()).
inline __m256i fp8Halves(Bytes p)
{
    return _mm256_and_si256(_mm256_slli_epi16(_mm256_cvtepi8_epi16(load128(p)), 7),
                            _mm256_set1_epi16(static_cast<short>(0xbfff)));
}

[[gnu::always_inline]] inline void decodeFp8(Bytes p, Fp8Block &block)
{
    for (int h = 0; h < 2; ++h) {
        const __m256i halves = fp8Halves(p + sizeof(float) + 16 * h);
        block.value[2 * h] = _mm256_cvtph_ps(_mm256_castsi256_si128(halves));
        block.value[2 * h + 1] = _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1));
    }
    block.scale = _mm256_set1_ps(256.0f * loadAs<float>(p));
}

template <int T>
void dotFp8Row(Bytes row, std::size_t cols, const float *x, std::size_t xStride, float *out,
               std::size_t outStride)
{
    __m256 acc[T];
    for (__m256 &sum : acc)
        sum = _mm256_setzero_ps();
    for (std::size_t i = 0; i < cols; i += 32, row += kFp8Bytes) {
        __builtin_prefetch(row + 1536);
        Fp8Block block;
        decodeFp8(row, block);
        for (int t = 0; t < T; ++t) {
            const float *from = x + t * xStride + i;
            __m256 part = _mm256_mul_ps(block.value[0], _mm256_loadu_ps(from));
            for (int k = 1; k < 4; ++k)
                part = _mm256_fmadd_ps(block.value[k], _mm256_loadu_ps(from + 8 * k), part);
            acc[t] = _mm256_fmadd_ps(part, block.scale, acc[t]);
        }
    }
    for (int t = 0; t < T; ++t)
        out[t * outStride] = sumLanes(acc[t]);
}

template <>
void dotFloatType<DType::F8_E4M3>(Bytes w, std::size_t rows, std::size_t cols, const float *x,
                                  std::size_t xStride, std::size_t T, float *out,
                                  std::size_t outStride)
{
    const std::size_t rowStride = cols / 32 * kFp8Bytes;
    for (std::size_t r = 0; r < rows; ++r, w += rowStride) {
        std::size_t t = 0;
        for (; t + 4 <= T; t += 4)
            dotFp8Row<4>(w, cols, x + t * xStride, xStride, out + t * outStride + r, outStride);
        for (; t < T; ++t)
            dotFp8Row<1>(w, cols, x + t * xStride, xStride, out + t * outStride + r, outStride);
    }
}

template <>
void unpackOneRow<DType::F8_E4M3>(Bytes w, std::size_t n, float *out)
{
    for (std::size_t i = 0; i < n; i += 32, w += kFp8Bytes) {
        __builtin_prefetch(w + 1536);
        Fp8Block block;
        decodeFp8(w, block);
        for (int k = 0; k < 4; ++k)
            _mm256_storeu_ps(out + i + 8 * k, _mm256_mul_ps(block.value[k], block.scale));
    }
}

template <>
void unpackFloats<DType::F8_E4M3>(Bytes w, std::size_t rows, std::size_t cols, std::size_t firstCol,
                                  std::size_t count, float *panel)
{
    constexpr std::size_t kRun = 128; // columns of all rows that stay in the first-level cache
    alignas(32) float buffer[kPanelRows * kRun];
    const std::size_t rowStride = cols / 32 * kFp8Bytes;
    for (std::size_t i = 0; i < count; i += kRun) {
        const std::size_t run = count - i < kRun ? count - i : kRun;
        for (std::size_t r = 0; r < rows; ++r)
            unpackOneRow<DType::F8_E4M3>(w + r * rowStride + (firstCol + i) / 32 * kFp8Bytes, run,
                                         buffer + r * run);
        unpackFloats<DType::F32>(reinterpret_cast<Bytes>(buffer), rows, run, 0, run,
                                 panel + 16 * i);
    }
}

} // namespace
