#pragma once
// AVX-512 kernels of F8_E4M3, codes of FP8 with a scale for each 32. Private to the including file
// (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx512_floats.h"

namespace {

constexpr std::size_t kFp8Bytes = sizeof(fireside::BlockF8_E4M3);

/// Sixteen codes as floats of a 256th: the sign comes to all high bits of an F16, of which one
/// belongs to the exponent (see fp8Value()).
inline __m512 fp8Floats(Bytes p)
{
    const __m256i wide =
        _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
    return _mm512_cvtph_ps(_mm256_and_si256(_mm256_slli_epi16(wide, 7),
                                            _mm256_set1_epi16(static_cast<short>(0xbfff))));
}
inline __m512 fp8Scale(Bytes p)
{
    return _mm512_set1_ps(256.0f * loadAs<float>(p));
}

template <int R, int T>
void dotFp8Block(Bytes w, std::size_t rowStride, std::size_t cols, std::size_t ahead,
                 const float *x, std::size_t xStride, float *out, std::size_t outStride)
{
    __m512 acc[R][T];
    for (auto &row : acc)
        for (__m512 &sum : row)
            sum = _mm512_setzero_ps();
    for (std::size_t i = 0; i < cols; i += 32, w += kFp8Bytes)
        for (int r = 0; r < R; ++r) {
            const Bytes block = w + r * rowStride;
            __builtin_prefetch(block + ahead);
            const __m512 low = fp8Floats(block + sizeof(float));
            const __m512 high = fp8Floats(block + sizeof(float) + 16);
            const __m512 scale = fp8Scale(block);
            for (int t = 0; t < T; ++t) {
                const float *from = x + t * xStride + i;
                const __m512 part = _mm512_fmadd_ps(high, _mm512_loadu_ps(from + 16),
                                                    _mm512_mul_ps(low, _mm512_loadu_ps(from)));
                acc[r][t] = _mm512_fmadd_ps(part, scale, acc[r][t]);
            }
        }
    for (int r = 0; r < R; ++r)
        for (int t = 0; t < T; ++t)
            out[t * outStride + r] = _mm512_reduce_add_ps(acc[r][t]);
}

template <int T>
void dotFp8Tokens(Bytes w, std::size_t rows, std::size_t cols, const float *x, std::size_t xStride,
                  float *out, std::size_t outStride)
{
    constexpr int kRows = T == 1 ? 4 : 2;
    const std::size_t rowStride = cols / 32 * kFp8Bytes;
    const std::size_t ahead = prefetchDistance(kRows * rowStride);
    std::size_t r = 0;
    for (; r + kRows <= rows; r += kRows)
        dotFp8Block<kRows, T>(w + r * rowStride, rowStride, cols, ahead, x, xStride, out + r,
                              outStride);
    for (; r < rows; ++r)
        dotFp8Block<1, T>(w + r * rowStride, rowStride, cols, ahead, x, xStride, out + r,
                          outStride);
}

template <>
void dotFloatType<DType::F8_E4M3>(Bytes w, std::size_t rows, std::size_t cols, const float *x,
                                  std::size_t xStride, std::size_t T, float *out,
                                  std::size_t outStride)
{
    for (; T >= 4; T -= 4, x += 4 * xStride, out += 4 * outStride)
        dotFp8Tokens<4>(w, rows, cols, x, xStride, out, outStride);
    for (; T >= 1; --T, x += xStride, out += outStride)
        dotFp8Tokens<1>(w, rows, cols, x, xStride, out, outStride);
}

template <>
void unpackOneRow<DType::F8_E4M3>(Bytes w, std::size_t n, float *out)
{
    for (std::size_t i = 0; i < n; i += 32, w += kFp8Bytes) {
        __builtin_prefetch(w + 1536);
        for (std::size_t k = 0; k < 32; k += 16)
            _mm512_storeu_ps(out + i + k,
                             _mm512_mul_ps(fp8Floats(w + sizeof(float) + k), fp8Scale(w)));
    }
}

template <>
void unpackFloats<DType::F8_E4M3>(Bytes w, std::size_t rows, std::size_t cols, std::size_t firstCol,
                                  std::size_t count, float *panel)
{
    constexpr std::size_t kRun = 128; // columns of all rows that stay in the first-level cache
    alignas(64) float buffer[kPanelRows * kRun];
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
