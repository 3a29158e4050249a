#pragma once
// AVX-512 kernels, compiled twice: with and without the VNNI byte dot product. Private to the
// including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx512_floats.h"
#include "engine/cpu/linear/linear_avx512_formats.h"
#include "engine/cpu/linear/linear_avx512_grids.h"
#include "engine/cpu/linear/linear_kernels.h"

#include <immintrin.h>

namespace {

using fireside::cpu::RowActivations;

constexpr int kRowsAtOnce = 4; // independent read streams per thread

// acc += Σ of four unsigned·signed byte products per lane. Wide: q may exceed 127, where the 16-bit
// sums of the instruction without VNNI would saturate.
template <bool Wide>
inline __m512i dot4(__m512i acc, __m512i q, __m512i a)
{
#if defined(__AVX512VNNI__)
    return _mm512_dpbusd_epi32(acc, q, a);
#else
    const __m512i ones = _mm512_set1_epi16(1);
    if constexpr (Wide) {
        const __m512i even = _mm512_set1_epi16(0x00ff);
        const __m512i e = _mm512_maddubs_epi16(_mm512_and_si512(q, even), a);
        const __m512i o = _mm512_maddubs_epi16(_mm512_andnot_si512(even, q), a);
        acc = _mm512_add_epi32(acc, _mm512_madd_epi16(e, ones));
        return _mm512_add_epi32(acc, _mm512_madd_epi16(o, ones));
    }
    return _mm512_add_epi32(acc, _mm512_madd_epi16(_mm512_maddubs_epi16(q, a), ones));
#endif
}

using Acc = __m512;
inline Acc zeroAcc()
{
    return _mm512_setzero_ps();
}
inline float sumAcc(Acc acc)
{
    return _mm512_reduce_add_ps(acc);
}

template <bool Wide, int T>
[[gnu::always_inline]] inline void accumulate(Acc (&acc)[T], const Decoded &c,
                                              const RowActivations &x, std::size_t chunk)
{
    // Lane l of dot j belongs to group 4j + l / 4.
    const __m512i quarter = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    for (int t = 0; t < T; ++t) {
        const std::int8_t *a = x.q + t * x.stride + chunk * 256;
        const std::size_t group = t * (x.stride / 16) + chunk * 16;
        const __m512 scale = _mm512_mul_ps(c.scale, _mm512_loadu_ps(x.scale + group));
        acc[t] = _mm512_fmadd_ps(c.offset, _mm512_loadu_ps(x.sum + group), acc[t]);
        for (int j = 0; j < 4; ++j) {
            const __m512i dot = dot4<Wide>(_mm512_setzero_si512(), c.q[j], load512(a + 64 * j));
            const __m512i lanes = _mm512_add_epi32(quarter, _mm512_set1_epi32(4 * j));
            acc[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), _mm512_permutexvar_ps(lanes, scale),
                                     acc[t]);
        }
    }
}

/// A chunk of 16 rows on its way into a panel.
struct DecodedRows
{
    Decoded rows[16];

    void set(std::size_t r, const Decoded &c) { rows[r] = c; }
    void repeat(std::size_t r, std::size_t of) { rows[r] = rows[of]; }
    void store(const fireside::cpu::BytePanel &panel, std::size_t groups) const
    {
        __m512i m[16];
        for (int j = 0; j < 4; ++j) {
            for (int r = 0; r < 16; ++r)
                m[r] = rows[r].q[j];
            transpose16(m);
            for (int i = 0; i < 16; ++i)
                _mm512_storeu_si512(panel.q + 1024 * j + 64 * i, m[i]);
        }
        storeGroups(&Decoded::scale, panel.scale, groups);
        storeGroups(&Decoded::offset, panel.offset, groups);
    }

private:
    void storeGroups(__m512 Decoded::*member, float *out, std::size_t groups) const
    {
        __m512i m[16];
        for (int r = 0; r < 16; ++r)
            m[r] = _mm512_castps_si512(rows[r].*member);
        transpose16(m);
        for (std::size_t g = 0; g < groups; ++g)
            _mm512_storeu_si512(out + 16 * g, m[g * 16 / groups]);
    }
};

} // namespace

#include "engine/cpu/linear/linear_driver.h"

namespace {

using fireside::cpu::ByteTile;

template <typename F>
void withFormat(DType type, const F &f)
{
    fireside::withBlockType(type, [&]<DType Type>() { f(FormatOf<Type>{}); });
}

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

using TileKernel = void (*)(const BytePanel &, const ByteTile &, std::size_t, const TileOutput &);
template <bool Wide, int Groups>
constexpr TileKernel kTileKernels[kMaxTile] = {
    multiplyTileN<1, Wide, Groups>,  multiplyTileN<2, Wide, Groups>,
    multiplyTileN<3, Wide, Groups>,  multiplyTileN<4, Wide, Groups>,
    multiplyTileN<5, Wide, Groups>,  multiplyTileN<6, Wide, Groups>,
    multiplyTileN<7, Wide, Groups>,  multiplyTileN<8, Wide, Groups>,
    multiplyTileN<9, Wide, Groups>,  multiplyTileN<10, Wide, Groups>,
    multiplyTileN<11, Wide, Groups>, multiplyTileN<12, Wide, Groups>,
};

void multiplyTile(DType type, const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                  const TileOutput &output)
{
    fireside::withBlockType(type, [&]<DType Type>() {
        constexpr std::size_t kGroupCount = fireside::cpu::panelGroups(Type);
        kTileKernels<isWide(Type), kGroupCount>[tile.tokens - 1](panel, tile, chunks, output);
    });
}

void quantizeRow(const float *x, std::size_t n, std::int8_t *q, float *scale, float *sum)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    const std::size_t padded = (n + 255) / 256 * 256;
    for (std::size_t i = 0; i < padded; i += 32) {
        const std::size_t left = i < n ? n - i : 0;
        const __mmask16 first = firstLanes(left < 16 ? left : 16);
        const __mmask16 second = firstLanes(left < 16 ? 0 : left < 32 ? left - 16 : 16);
        const __m512 a = _mm512_maskz_loadu_ps(first, x + i);
        const __m512 b = _mm512_maskz_loadu_ps(second, x + i + 16);
        // As integers: their maximum is NaN when there is one, so that it reaches the products.
        const int topBits = _mm512_reduce_max_epi32(
            _mm512_max_epi32(_mm512_and_si512(magnitude, _mm512_castps_si512(a)),
                             _mm512_and_si512(magnitude, _mm512_castps_si512(b))));
        const float top = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(topBits)));
        const float d = top / 127.0f;
        const __m512 inverse = _mm512_set1_ps(top > 0.0f ? 127.0f / top : 0.0f);
        const __m512i ia = _mm512_cvtps_epi32(_mm512_mul_ps(a, inverse));
        const __m512i ib = _mm512_cvtps_epi32(_mm512_mul_ps(b, inverse));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(q + i), _mm512_cvtsepi32_epi8(ia));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(q + i + 16), _mm512_cvtsepi32_epi8(ib));
        scale[i / 16] = scale[i / 16 + 1] = d;
        sum[i / 16] = d * static_cast<float>(_mm512_reduce_add_epi32(ia));
        sum[i / 16 + 1] = d * static_cast<float>(_mm512_reduce_add_epi32(ib));
    }
}

constexpr fireside::cpu::LinearKernels makeTable(fireside::Isa isa)
{
    return {isa,          quantizeRow,      dotRows,           dotFloatRows,  unpackPanel,
            multiplyTile, unpackFloatPanel, multiplyFloatTile, unpackFloatRow};
}

} // namespace
