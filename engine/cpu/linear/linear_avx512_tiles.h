#pragma once
// Tiles of bytes with AVX-512 instructions. Private to linear_avx512_impl.h, which has defined what
// they need.
#include "engine/cpu/linear/linear_kernels.h"

#include <array>
#include <immintrin.h>
#include <utility>

namespace {

using fireside::cpu::startOfSum;

template <int N, bool Wide, int Groups>
void multiplyTileN(const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                   const TileOutput &output)
{
    constexpr int kDots = 64 / Groups; // dot4 steps that share a weight scale
    const std::uint8_t *w = panel.q;
    const std::int8_t *a = tile.q;
    const float *scale = panel.scale, *offset = panel.offset, *xScale = tile.scale;
    const float *sum = Groups == 16 ? tile.sum16 : tile.sum32;
    __m512 acc[N];
    for (int t = 0; t < N; ++t)
        acc[t] = _mm512_setzero_ps();
    for (std::size_t g = 0; g < 8 * chunks; ++g) {
        __m512 part[N];
        for (int h = 0; h < Groups / 8; ++h) {
            __m512i dot[N];
            for (int t = 0; t < N; ++t)
                dot[t] = _mm512_setzero_si512();
#pragma GCC unroll 8
            for (int k = 0; k < kDots; ++k) {
                const __m512i q = load512(w);
#pragma GCC unroll 12
                for (int t = 0; t < N; ++t)
                    dot[t] = dot4<Wide>(
                        dot[t], q,
                        _mm512_set1_epi32(loadAs<int>(reinterpret_cast<Bytes>(a) + 4 * t)));
                w += 64;
                a += 4 * N;
            }
            const __m512 s = _mm512_loadu_ps(scale), o = _mm512_loadu_ps(offset);
            scale += 16;
            offset += 16;
#pragma GCC unroll 12
            for (int t = 0; t < N; ++t) {
                const __m512 value = _mm512_cvtepi32_ps(dot[t]);
                part[t] = h == 0 ? _mm512_mul_ps(value, s) : _mm512_fmadd_ps(value, s, part[t]);
                acc[t] = _mm512_fmadd_ps(o, _mm512_set1_ps(sum[t]), acc[t]);
            }
            sum += N;
        }
#pragma GCC unroll 12
        for (int t = 0; t < N; ++t)
            acc[t] = _mm512_fmadd_ps(part[t], _mm512_set1_ps(xScale[t]), acc[t]);
        xScale += N;
    }
    for (int t = 0; t < N; ++t)
        storeTile(output, t, acc[t]);
}

/// Tokens [first, first + N) of a tile and P panels with eight or sixteen groups in a chunk.
template <int P, int N, bool Wide, Sums How, int Groups>
void multiplyPanels(const BytePanel &panel, const ByteTile &tile, std::size_t first,
                    std::size_t chunks, const TileOutput &output)
{
    constexpr bool kCentred = How == Sums::Centred;
    static_assert(kCentred || Groups == 8);
    constexpr int kDots = 64 / Groups, kHalves = Groups / 8;
    const std::size_t tokens = tile.tokens;
    const BytePanel panels[2] = {panel, nextPanel(panel)};
    const std::int8_t *a = tile.q + 4 * first;
    const float *xScale = tile.scale + first, *sum = tile.sum32 + first;
    const std::int32_t *start = (Groups == 16 ? tile.start16 : tile.start) + first;
    __m512 acc[N][P];
    for (auto &token : acc)
        for (__m512 &value : token)
            value = _mm512_setzero_ps();
    for (std::size_t g = 0; g < 8 * chunks; ++g) {
        __m512 part[N][P];
#pragma GCC unroll 2
        for (int h = 0; h < kHalves; ++h) {
            const std::size_t group = kHalves * g + h;
            __m512i dot[N][P];
#pragma GCC unroll 12
            for (int t = 0; t < N; ++t)
                for (int p = 0; p < P; ++p)
                    dot[t][p] = kCentred             ? _mm512_set1_epi32(start[t])
                                : How == Sums::Based ? _mm512_set1_epi32(startOfSum(0))
                                                     : _mm512_setzero_si512();
#pragma GCC unroll 8
            for (int k = 0; k < kDots; ++k) {
                __m512i q[P];
                for (int p = 0; p < P; ++p)
                    q[p] = load512(panels[p].q + 64 * (kDots * group + k));
#pragma GCC unroll 12
                for (int t = 0; t < N; ++t) {
                    const __m512i x =
                        _mm512_set1_epi32(loadAs<int>(reinterpret_cast<Bytes>(a) + 4 * t));
                    for (int p = 0; p < P; ++p)
                        dot[t][p] = dot4<Wide>(dot[t][p], q[p], x);
                }
                a += 4 * tokens;
            }
            for (int p = 0; p < P; ++p) {
                const __m512 s = _mm512_loadu_ps(panels[p].scale + 16 * group);
                const __m512 zero = _mm512_mul_ps(s, _mm512_set1_ps(fireside::cpu::kSumZero));
                const __m512 o = _mm512_loadu_ps(panels[p].offset + 16 * group);
#pragma GCC unroll 12
                for (int t = 0; t < N; ++t) {
                    const __m512 one =
                        How == Sums::Converted
                            ? _mm512_mul_ps(_mm512_cvtepi32_ps(dot[t][p]), s)
                            : _mm512_fmsub_ps(_mm512_castsi512_ps(dot[t][p]), s, zero);
                    part[t][p] = h == 0 ? one : _mm512_add_ps(part[t][p], one);
                    if (!kCentred)
                        acc[t][p] = _mm512_fmadd_ps(o, _mm512_set1_ps(sum[t]), acc[t][p]);
                    if (h == kHalves - 1)
                        acc[t][p] =
                            _mm512_fmadd_ps(part[t][p], _mm512_set1_ps(xScale[t]), acc[t][p]);
                }
            }
            start += tokens;
        }
        xScale += tokens;
        sum += tokens;
    }
    for (int p = 0; p < P; ++p) {
        TileOutput one = P == 1 ? output : ofPanel(output, p);
        one.out += first * output.stride;
#pragma GCC unroll 12
        for (int t = 0; t < N; ++t)
            storeTile(one, t, acc[t][p]);
    }
}

using PanelKernel = void (*)(const BytePanel &, const ByteTile &, std::size_t, std::size_t,
                             const TileOutput &);
/// Tokens at once: the sums of two panels, and parts of them where there are two in a group, fill
/// the registers.
template <int Groups>
constexpr std::size_t kMaxPanelTokens = Groups == 16 ? kMaxTile / 3 : kMaxTile / 2;
template <bool Wide, Sums How, int Groups>
constexpr std::array<PanelKernel, kMaxPanelTokens<Groups>> kPanelKernels = [
]<std::size_t... N>(std::index_sequence<N...>)
{
    return std::array<PanelKernel, sizeof...(N)>{multiplyPanels<2, N + 1, Wide, How, Groups>...};
}
(std::make_index_sequence<kMaxPanelTokens<Groups>>());

using TileKernel = void (*)(const BytePanel &, const ByteTile &, std::size_t, const TileOutput &);
template <bool Wide, int Groups>
constexpr std::array<TileKernel, kMaxTile> kTileKernels = [
]<std::size_t... N>(std::index_sequence<N...>)
{
    return std::array<TileKernel, sizeof...(N)>{multiplyTileN<N + 1, Wide, Groups>...};
}
(std::make_index_sequence<kMaxTile>());

void multiplyTile(DType type, const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                  const TileOutput &output)
{
    fireside::withCodeType(type, [&]<DType Type>() {
        constexpr std::size_t kGroupCount = fireside::cpu::panelGroups(Type);
        constexpr bool kCentred = zeroOf(Type) != 0, kWide = kCentred || isWide(Type);
        const auto &one = kTileKernels<kWide, kGroupCount>;
        if (output.rows <= kPanelRows)
            return one[tile.tokens - 1](panel, tile, chunks, output);
        if constexpr (kGroupCount == 8 || kCentred) {
            constexpr Sums kHow = kCentred             ? Sums::Centred
                                  : hasExactZero(Type) ? Sums::Based
                                                       : Sums::Converted;
            const auto &two = kPanelKernels<kWide, kHow, kGroupCount>;
            const std::size_t parts = (tile.tokens + two.size() - 1) / two.size();
            for (std::size_t i = 0; i < parts; ++i) {
                const std::size_t first = tile.tokens * i / parts;
                two[tile.tokens * (i + 1) / parts - first - 1](panel, tile, first, chunks, output);
            }
        } else {
            one[tile.tokens - 1](panel, tile, chunks, ofPanel(output, 0));
            one[tile.tokens - 1](nextPanel(panel), tile, chunks, ofPanel(output, 1));
        }
    });
}

} // namespace
