#pragma once
// AVX-512 kernels of the plain float types, and what they share with the byte kernels. Private to
// the including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_kernels.h"
#include "engine/tensor/unpack.h"

#include <immintrin.h>

namespace {

using fireside::cpu::kFloatBlock;
using fireside::cpu::kMaxTile;
using fireside::cpu::kPanelRows;
using fireside::cpu::ofPanel;
using fireside::cpu::prefetchDistance;
using fireside::cpu::TileOutput;

// In place: lane j of row i becomes lane i of row j.
inline void transpose16(__m512i (&m)[16])
{
    __m512i a[16], b[16];
    for (int i = 0; i < 16; i += 2) {
        a[i] = _mm512_unpacklo_epi32(m[i], m[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi32(m[i], m[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        b[i] = _mm512_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm512_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm512_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
    // b[4r + c]: 128-bit lane l holds column 4l + c of rows 4r … 4r + 3.
    for (int c = 0; c < 4; ++c) {
        const __m512i even01 = _mm512_shuffle_i32x4(b[c], b[4 + c], 0x88);
        const __m512i odd01 = _mm512_shuffle_i32x4(b[c], b[4 + c], 0xdd);
        const __m512i even23 = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0x88);
        const __m512i odd23 = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0xdd);
        m[c] = _mm512_shuffle_i32x4(even01, even23, 0x88);
        m[4 + c] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
        m[8 + c] = _mm512_shuffle_i32x4(even01, even23, 0xdd);
        m[12 + c] = _mm512_shuffle_i32x4(odd01, odd23, 0xdd);
    }
}

inline __mmask16 firstLanes(std::size_t n)
{
    return static_cast<__mmask16>((1u << n) - 1u);
}

inline void storeTile(const TileOutput &o, int t, __m512 value)
{
    const __mmask16 mask = firstLanes(o.rows);
    float *out = o.out + static_cast<std::size_t>(t) * o.stride;
    if (o.add)
        value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(mask, out));
    _mm512_mask_storeu_ps(out, mask, value);
}

// 16 weights of a float type from element `at`; lanes outside the mask are zero and not read.
template <DType Type>
inline __m512 loadFloats(Bytes row, std::size_t at, __mmask16 mask)
{
    if constexpr (Type == DType::F32)
        return _mm512_maskz_loadu_ps(mask, row + 4 * at);
    const __m256i half = _mm256_maskz_loadu_epi16(mask, row + 2 * at);
    if constexpr (Type == DType::F16)
        return _mm512_cvtph_ps(half);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

template <DType Type, int R, int T>
void dotFloatBlock(Bytes w, std::size_t rowStride, std::size_t cols, std::size_t ahead,
                   const float *x, std::size_t xStride, float *out, std::size_t outStride)
{
    constexpr int kChains = R * T < 4 ? 4 : 1; // enough independent sums to hide the latency
    __m512 acc[R][T][kChains];
    for (auto &row : acc)
        for (auto &token : row)
            for (auto &chain : token)
                chain = _mm512_setzero_ps();
    const std::size_t step = 16 * kChains;
    std::size_t i = 0;
    for (; i + step <= cols; i += step)
        for (int r = 0; r < R; ++r)
            for (int c = 0; c < kChains; ++c) {
                const Bytes row = w + r * rowStride;
                __builtin_prefetch(row + (i + 16 * c) * floatBytes(Type) + ahead);
                const __m512 v = loadFloats<Type>(row, i + 16 * c, 0xffff);
                for (int t = 0; t < T; ++t)
                    acc[r][t][c] = _mm512_fmadd_ps(v, _mm512_loadu_ps(x + t * xStride + i + 16 * c),
                                                   acc[r][t][c]);
            }
    for (; i < cols; i += 16) {
        const __mmask16 mask = firstLanes(cols - i < 16 ? cols - i : 16);
        for (int r = 0; r < R; ++r) {
            const __m512 v = loadFloats<Type>(w + r * rowStride, i, mask);
            for (int t = 0; t < T; ++t)
                acc[r][t][0] = _mm512_fmadd_ps(v, _mm512_maskz_loadu_ps(mask, x + t * xStride + i),
                                               acc[r][t][0]);
        }
    }
    for (int r = 0; r < R; ++r)
        for (int t = 0; t < T; ++t) {
            for (int c = 1; c < kChains; ++c)
                acc[r][t][0] = _mm512_add_ps(acc[r][t][0], acc[r][t][c]);
            out[t * outStride + r] = _mm512_reduce_add_ps(acc[r][t][0]);
        }
}

template <DType Type, int T>
void dotFloatTokens(Bytes w, std::size_t rows, std::size_t cols, const float *x,
                    std::size_t xStride, float *out, std::size_t outStride)
{
    constexpr int kRows = T == 1 ? 4 : 2;
    const std::size_t rowStride = cols * floatBytes(Type);
    const std::size_t ahead = prefetchDistance(kRows * rowStride);
    std::size_t r = 0;
    for (; r + kRows <= rows; r += kRows)
        dotFloatBlock<Type, kRows, T>(w + r * rowStride, rowStride, cols, ahead, x, xStride,
                                      out + r, outStride);
    for (; r < rows; ++r)
        dotFloatBlock<Type, 1, T>(w + r * rowStride, rowStride, cols, ahead, x, xStride, out + r,
                                  outStride);
}

template <DType Type>
void dotFloatType(Bytes w, std::size_t rows, std::size_t cols, const float *x, std::size_t xStride,
                  std::size_t T, float *out, std::size_t outStride)
{
    for (; T >= 4; T -= 4, x += 4 * xStride, out += 4 * outStride)
        dotFloatTokens<Type, 4>(w, rows, cols, x, xStride, out, outStride);
    for (; T >= 2; T -= 2, x += 2 * xStride, out += 2 * outStride)
        dotFloatTokens<Type, 2>(w, rows, cols, x, xStride, out, outStride);
    if (T == 1)
        dotFloatTokens<Type, 1>(w, rows, cols, x, xStride, out, outStride);
}

template <DType Type>
void unpackFloats(Bytes w, std::size_t rows, std::size_t cols, std::size_t firstCol,
                  std::size_t count, float *panel)
{
    const std::size_t rowStride = cols * floatBytes(Type);
    constexpr std::size_t kSize = floatBytes(Type);
    // Rows are read a few cache lines at a time into a small buffer: rows are often a multiple of 4
    // KiB long, where 16 lines at one offset would evict each other. Rows that do not exist repeat
    // the last.
    constexpr std::size_t kRun = 128;
    alignas(64) float buffer[16][kRun + 16];
    for (std::size_t i = 0; i < count; i += kRun) {
        const std::size_t run = count - i < kRun ? count - i : kRun;
        for (std::size_t r = 0; r < 16; ++r) {
            const Bytes row = w + (r < rows ? r : rows - 1) * rowStride;
            for (std::size_t line = 0; line < kRun * kSize; line += 64)
                __builtin_prefetch(row + (firstCol + i + kRun) * kSize + line);
            for (std::size_t k = 0; k < run; k += 16)
                _mm512_store_ps(&buffer[r][k],
                                loadFloats<Type>(row, firstCol + i + k,
                                                 firstLanes(run - k < 16 ? run - k : 16)));
        }
        for (std::size_t k = 0; k < run; k += 16) {
            __m512i m[16];
#pragma GCC unroll 16
            for (int r = 0; r < 16; ++r)
                m[r] = _mm512_load_si512(&buffer[r][k]);
            transpose16(m);
            const std::size_t left = run - k < 16 ? run - k : 16;
#pragma GCC unroll 16
            for (std::size_t c = 0; c < 16; ++c)
                if (c < left)
                    _mm512_storeu_si512(panel + 16 * (i + k + c), m[c]);
        }
    }
}

template <DType Type>
void unpackOneRow(Bytes w, std::size_t n, float *out)
{
    for (std::size_t i = 0; i < n; i += 16) {
        __builtin_prefetch(w + i * floatBytes(Type) + 2048);
        const __mmask16 mask = firstLanes(n - i < 16 ? n - i : 16);
        _mm512_mask_storeu_ps(out + i, mask, loadFloats<Type>(w, i, mask));
    }
}

template <int P, int N>
void multiplyFloatTileN(const float *panel, const float *tile, std::size_t count,
                        const TileOutput &output)
{
    __m512 acc[N][P];
    for (auto &token : acc)
        for (__m512 &sum : token)
            sum = _mm512_setzero_ps();
    for (std::size_t k = 0; k < count; ++k) {
        __m512 w[P];
        for (int p = 0; p < P; ++p)
            w[p] = _mm512_loadu_ps(panel + p * kFloatBlock * kPanelRows + 16 * k);
#pragma GCC unroll 12
        for (int t = 0; t < N; ++t) {
            const __m512 x = _mm512_set1_ps(tile[N * k + t]);
            for (int p = 0; p < P; ++p)
                acc[t][p] = _mm512_fmadd_ps(w[p], x, acc[t][p]);
        }
    }
    for (int p = 0; p < P; ++p) {
        const TileOutput one = P == 1 ? output : ofPanel(output, p);
#pragma GCC unroll 12
        for (int t = 0; t < N; ++t)
            storeTile(one, t, acc[t][p]);
    }
}

using FloatTileKernel = void (*)(const float *, const float *, std::size_t, const TileOutput &);
template <int P>
constexpr FloatTileKernel kFloatTileKernels[kMaxTile] = {
    multiplyFloatTileN<P, 1>,  multiplyFloatTileN<P, 2>,  multiplyFloatTileN<P, 3>,
    multiplyFloatTileN<P, 4>,  multiplyFloatTileN<P, 5>,  multiplyFloatTileN<P, 6>,
    multiplyFloatTileN<P, 7>,  multiplyFloatTileN<P, 8>,  multiplyFloatTileN<P, 9>,
    multiplyFloatTileN<P, 10>, multiplyFloatTileN<P, 11>, multiplyFloatTileN<P, 12>,
};

void multiplyFloatTile(const float *panel, const float *tile, std::size_t tokens, std::size_t count,
                       const TileOutput &output)
{
    const auto &kernels = output.rows > kPanelRows ? kFloatTileKernels<2> : kFloatTileKernels<1>;
    kernels[tokens - 1](panel, tile, count, output);
}

void interleave(const float *x, std::size_t xStride, std::size_t tokens, std::size_t n, float *tile)
{
    const __mmask16 lanes = firstLanes(tokens);
    for (std::size_t k = 0; k < n; k += 16) {
        const std::size_t left = n - k < 16 ? n - k : 16;
        __m512i m[16];
#pragma GCC unroll 16
        for (std::size_t t = 0; t < 16; ++t)
            m[t] = t < tokens ? _mm512_castps_si512(
                                    _mm512_maskz_loadu_ps(firstLanes(left), x + t * xStride + k))
                              : _mm512_setzero_si512();
        transpose16(m);
#pragma GCC unroll 16
        for (std::size_t c = 0; c < 16; ++c)
            if (c < left)
                _mm512_mask_storeu_epi32(tile + (k + c) * tokens, lanes, m[c]);
    }
}

} // namespace
