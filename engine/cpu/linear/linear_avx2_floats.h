#pragma once
// AVX2 kernels of the plain float types, and what they share with the byte tiles. Private to the
// including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_rows.h"
#include "engine/cpu/linear/linear_kernels.h"

namespace {

using fireside::cpu::kFloatBlock;
using fireside::cpu::kPanelRows;
using fireside::cpu::ofPanel;
using fireside::cpu::TileOutput;

// Lane j of row i becomes lane i of row j.
inline void transpose8(__m256i (&m)[8])
{
    __m256i a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_epi32(m[i], m[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32(m[i], m[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
    for (int c = 0; c < 4; ++c) {
        m[c] = _mm256_permute2x128_si256(b[c], b[4 + c], 0x20);
        m[4 + c] = _mm256_permute2x128_si256(b[c], b[4 + c], 0x31);
    }
}

inline void storeHalf(const TileOutput &o, std::size_t t, int half, __m256 value)
{
    const std::size_t first = 8 * static_cast<std::size_t>(half);
    if (o.rows <= first)
        return;
    float *out = o.out + t * o.stride + first;
    const std::size_t rows = o.rows - first;
    if (rows >= 8) { // masked stores are slow on some processors
        _mm256_storeu_ps(out, o.add ? _mm256_add_ps(value, _mm256_loadu_ps(out)) : value);
        return;
    }
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(rows)), lanes);
    if (o.add)
        value = _mm256_add_ps(value, _mm256_maskload_ps(out, mask));
    _mm256_maskstore_ps(out, mask, value);
}

// Eight weights of a float type.
template <DType Type>
inline __m256 loadFloats(Bytes p)
{
    if constexpr (Type == DType::F32)
        return _mm256_loadu_ps(reinterpret_cast<const float *>(p));
    const __m128i half = load128(p);
    if constexpr (Type == DType::F16)
        return _mm256_cvtph_ps(half);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}

template <DType Type, int T>
void dotFloatRow(Bytes row, std::size_t cols, const float *x, std::size_t xStride, float *out,
                 std::size_t outStride)
{
    constexpr std::size_t kSize = floatBytes(Type);
    constexpr int kChains = T == 1 ? 4 : 2;
    __m256 acc[T][kChains];
    for (auto &token : acc)
        for (auto &chain : token)
            chain = _mm256_setzero_ps();
    std::size_t i = 0;
    for (; i + 8 * kChains <= cols; i += 8 * kChains)
        for (int c = 0; c < kChains; ++c) {
            if (c * 8 * kSize % 64 == 0) // a little ahead; further loses where pages are huge
                __builtin_prefetch(row + (i + 8 * c) * kSize + 512);
            const __m256 w = loadFloats<Type>(row + (i + 8 * c) * kSize);
            for (int t = 0; t < T; ++t)
                acc[t][c] =
                    _mm256_fmadd_ps(w, _mm256_loadu_ps(x + t * xStride + i + 8 * c), acc[t][c]);
        }
    for (int t = 0; t < T; ++t) {
        for (int c = 1; c < kChains; ++c)
            acc[t][0] = _mm256_add_ps(acc[t][0], acc[t][c]);
        float total = sumLanes(acc[t][0]);
        for (std::size_t k = i; k < cols; ++k)
            total += floatAt<Type>(row + k * kSize) * x[t * xStride + k];
        out[t * outStride] = total;
    }
}

template <DType Type>
void dotFloatType(Bytes w, std::size_t rows, std::size_t cols, const float *x, std::size_t xStride,
                  std::size_t T, float *out, std::size_t outStride)
{
    const std::size_t rowStride = cols * floatBytes(Type);
    for (std::size_t r = 0; r < rows; ++r, w += rowStride) {
        std::size_t t = 0;
        for (; t + 4 <= T; t += 4)
            dotFloatRow<Type, 4>(w, cols, x + t * xStride, xStride, out + t * outStride + r,
                                 outStride);
        for (; t < T; ++t)
            dotFloatRow<Type, 1>(w, cols, x + t * xStride, xStride, out + t * outStride + r,
                                 outStride);
    }
}

template <DType Type>
void unpackFloats(Bytes w, std::size_t rows, std::size_t cols, std::size_t firstCol,
                  std::size_t count, float *panel)
{
    constexpr std::size_t kSize = floatBytes(Type);
    // Rows are read a few cache lines at a time into a small buffer: rows are often a multiple of 4
    // KiB long, where 16 lines at one offset would evict each other. Rows that do not exist repeat
    // the last.
    constexpr std::size_t kRun = 128;
    alignas(32) float buffer[16][kRun + 8];
    for (std::size_t i = 0; i < count; i += kRun) {
        const std::size_t run = count - i < kRun ? count - i : kRun;
        for (std::size_t r = 0; r < 16; ++r) {
            const Bytes row = w + ((r < rows ? r : rows - 1) * cols + firstCol + i) * kSize;
            for (std::size_t line = 0; line < kRun * kSize; line += 64)
                __builtin_prefetch(row + kRun * kSize + line);
            std::size_t k = 0;
            for (; k + 8 <= run; k += 8)
                _mm256_store_ps(&buffer[r][k], loadFloats<Type>(row + k * kSize));
            for (; k < run; ++k)
                buffer[r][k] = floatAt<Type>(row + k * kSize);
        }
        for (std::size_t half = 0; half < 16; half += 8) {
            std::size_t k = 0;
            for (; k + 8 <= run; k += 8) {
                __m256i m[8];
                for (std::size_t r = 0; r < 8; ++r)
                    m[r] = load256(&buffer[half + r][k]);
                transpose8(m);
                for (std::size_t c = 0; c < 8; ++c)
                    put256(panel + 16 * (i + k + c) + half, m[c]);
            }
            for (; k < run; ++k)
                for (std::size_t r = half; r < half + 8; ++r)
                    panel[16 * (i + k) + r] = buffer[r][k];
        }
    }
}

template <DType Type>
void unpackOneRow(Bytes w, std::size_t n, float *out)
{
    constexpr std::size_t kSize = floatBytes(Type);
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __builtin_prefetch(w + i * kSize + 2048);
        _mm256_storeu_ps(out + i, loadFloats<Type>(w + i * kSize));
    }
    for (; i < n; ++i)
        out[i] = floatAt<Type>(w + i * kSize);
}

template <int N>
void multiplyFloatSome(const float *panel, const float *tile, std::size_t tokens, std::size_t first,
                       std::size_t count, const TileOutput &output)
{
    __m256 acc[N][2];
    for (auto &token : acc)
        token[0] = token[1] = _mm256_setzero_ps();
    for (std::size_t k = 0; k < count; ++k) {
        const __m256 w0 = _mm256_loadu_ps(panel + 16 * k);
        const __m256 w1 = _mm256_loadu_ps(panel + 16 * k + 8);
#pragma GCC unroll 6
        for (int t = 0; t < N; ++t) {
            const __m256 x = _mm256_broadcast_ss(tile + tokens * k + first + t);
            acc[t][0] = _mm256_fmadd_ps(w0, x, acc[t][0]);
            acc[t][1] = _mm256_fmadd_ps(w1, x, acc[t][1]);
        }
    }
#pragma GCC unroll 6
    for (int t = 0; t < N; ++t) {
        storeHalf(output, first + t, 0, acc[t][0]);
        storeHalf(output, first + t, 1, acc[t][1]);
    }
}

void multiplyFloatTile(const float *panel, const float *tile, std::size_t tokens, std::size_t count,
                       const TileOutput &output)
{
    if (output.rows > kPanelRows) {
        multiplyFloatTile(panel, tile, tokens, count, ofPanel(output, 0));
        return multiplyFloatTile(panel + kFloatBlock * kPanelRows, tile, tokens, count,
                                 ofPanel(output, 1));
    }
    // Six tokens fill the registers; more are cut into even parts.
    for (std::size_t t = 0; t < tokens;) {
        const std::size_t left = tokens - t, parts = (left + 5) / 6, n = (left + parts - 1) / parts;
        switch (n) {
        case 6:
            multiplyFloatSome<6>(panel, tile, tokens, t, count, output);
            break;
        case 5:
            multiplyFloatSome<5>(panel, tile, tokens, t, count, output);
            break;
        case 4:
            multiplyFloatSome<4>(panel, tile, tokens, t, count, output);
            break;
        case 3:
            multiplyFloatSome<3>(panel, tile, tokens, t, count, output);
            break;
        case 2:
            multiplyFloatSome<2>(panel, tile, tokens, t, count, output);
            break;
        default:
            multiplyFloatSome<1>(panel, tile, tokens, t, count, output);
            break;
        }
        t += n;
    }
}

} // namespace
