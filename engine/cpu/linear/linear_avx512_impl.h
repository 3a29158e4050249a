#pragma once
// AVX-512 kernels, compiled twice: with and without the VNNI byte dot product. Private to the
// including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx512_floats.h"
#include "engine/cpu/linear/linear_avx512_formats.h"
#include "engine/cpu/linear/linear_avx512_fp8.h"
#include "engine/cpu/linear/linear_avx512_grids.h"
#include "engine/cpu/linear/linear_avx512_nvfp4.h"
#include "engine/cpu/linear/linear_kernels.h"

#include <immintrin.h>

namespace {

using fireside::cpu::RowActivations;

constexpr int kRowsAtOnce = 1; // one stream of reads, which the processor fetches ahead of best

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

/// The code of zero where scales have so few bits, and are so small, that kSumZero · scale is
/// exact; 0: no such code. Without VNNI codes above 127 cost more than that saves.
constexpr int zeroOf(DType type)
{
    if (type == DType::Q8_0)
        return 128;
#if defined(__AVX512VNNI__)
    switch (type) {
    case DType::Q3_K:
        return 4;
    case DType::Q4_0:
        return 8;
    case DType::Q5_0:
        return 16;
    case DType::Q6_K:
        return 32;
    case DType::IQ4_NL:
    case DType::IQ4_XS:
        return kIq4Offset;
    default:
        break;
    }
#endif
    return 0;
}

/// Whether kSumZero · scale is exact for a type without such a code, too.
constexpr bool hasExactZero(DType type)
{
    switch (type) {
    case DType::Q4_1:
    case DType::Q5_1:
    case DType::Q4_K:
    case DType::Q5_K:
        return true;
    default:
        return false;
    }
}

/// How sums of whole numbers become floats. As bits of kSumZero + the sum, one instruction scales
/// them, too; with codes that are centred there what sums begin with takes the offsets' place.
enum class Sums { Converted, Based, Centred };

/// Whether kSumZero times a scale of the type is exact.
constexpr bool scalesZeroExactly(DType type)
{
    return zeroOf(type) != 0 || hasExactZero(type);
}

} // namespace

#include "engine/cpu/linear/linear_avx512_fours.h"

namespace {

using fireside::cpu::ByteTile;

/// A type whose chunks have one scale, with activations that have one for each chunk.
template <DType Type>
struct FormatWhole : FormatOf<Type>
{
    template <int T>
    [[gnu::always_inline]] void accumulate(Bytes p, Acc (&acc)[T], const RowActivations &x,
                                           std::size_t chunk) const
    {
        Decoded c;
        this->decode(p, c);
        for (int t = 0; t < T; ++t) {
            const std::int8_t *a = x.q + t * x.stride + chunk * 256;
            const std::size_t group = t * (x.stride / 16) + chunk * 16;
            __m512i sum = _mm512_setzero_si512();
            for (int j = 0; j < 4; ++j)
                sum = dot4<false>(sum, c.q[j], load512(a + 64 * j));
            const __m512 scale = _mm512_mul_ps(c.scale, _mm512_set1_ps(x.scale[group]));
            acc[t] = _mm512_fmadd_ps(c.offset, _mm512_loadu_ps(x.sum + group), acc[t]);
            acc[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), scale, acc[t]);
        }
    }
};

/// A type whose zero becomes 128 in panels.
template <DType Type>
struct FormatCentred : FormatFours<Type>
{
    [[gnu::always_inline]] void forPanel(Decoded &c) const
    {
        for (__m512i &q : c.q)
            q = _mm512_add_epi8(q, _mm512_set1_epi8(static_cast<char>(128 - zeroOf(Type))));
        c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-128.0f));
    }
};

template <typename F>
void withFormat(DType type, const F &f)
{
    fireside::withCodeType(type, [&]<DType Type>() {
        if constexpr (fireside::cpu::activationSpan(Type) == fireside::cpu::kChunk)
            f(FormatWhole<Type>{});
        else if constexpr (zeroOf(Type) != 0 && zeroOf(Type) != 128)
            f(FormatCentred<Type>{});
        else
            f(FormatFours<Type>{});
    });
}

} // namespace

#include "engine/cpu/linear/linear_avx512_tiles.h"

namespace {

void quantizeRow(const float *x, std::size_t n, std::size_t span, std::int8_t *q, float *scale,
                 float *sum)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    const std::size_t padded = (n + 255) / 256 * 256;
    const auto sixteen = [&](std::size_t i) {
        const std::size_t left = i < n ? n - i : 0;
        return _mm512_maskz_loadu_ps(firstLanes(left < 16 ? left : 16), x + i);
    };
    for (std::size_t i = 0; i < padded; i += span) {
        // As integers: their maximum is NaN when there is one, so that it reaches the products.
        __m512i most = _mm512_setzero_si512();
        for (std::size_t j = i; j < i + span; j += 16)
            most = _mm512_max_epi32(most,
                                    _mm512_and_si512(magnitude, _mm512_castps_si512(sixteen(j))));
        const int topBits = _mm512_reduce_max_epi32(most);
        const float top = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(topBits)));
        const float d = top / 127.0f;
        const __m512 inverse = _mm512_set1_ps(top > 0.0f ? 127.0f / top : 0.0f);
        for (std::size_t j = i; j < i + span; j += 16) {
            const __m512i bytes = _mm512_cvtps_epi32(_mm512_mul_ps(sixteen(j), inverse));
            _mm_storeu_si128(reinterpret_cast<__m128i *>(q + j), _mm512_cvtsepi32_epi8(bytes));
            scale[j / 16] = d;
            sum[j / 16] = d * static_cast<float>(_mm512_reduce_add_epi32(bytes));
        }
        if (span != kChunk && (i + span) % kChunk == 0) {
            std::int8_t *whole = q + i + span - kChunk;
            __m512i fours[4];
            for (int j = 0; j < 4; ++j)
                fours[j] = load512(whole + 64 * j);
            toFours(fours);
            for (int j = 0; j < 4; ++j)
                _mm512_storeu_si512(whole + 64 * j, fours[j]);
        }
    }
}

/// Lane i: the largest of vector i.
inline __m512i largestOfEach(const __m512i (&m)[16])
{
    __m512i a[8], b[4], c[2];
    for (int i = 0; i < 8; ++i)
        a[i] = _mm512_max_epi32(_mm512_unpacklo_epi32(m[2 * i], m[2 * i + 1]),
                                _mm512_unpackhi_epi32(m[2 * i], m[2 * i + 1]));
    for (int i = 0; i < 4; ++i)
        b[i] = _mm512_max_epi32(_mm512_unpacklo_epi64(a[2 * i], a[2 * i + 1]),
                                _mm512_unpackhi_epi64(a[2 * i], a[2 * i + 1]));
    for (int i = 0; i < 2; ++i)
        c[i] = _mm512_max_epi32(_mm512_shuffle_i32x4(b[2 * i], b[2 * i + 1], 0x88),
                                _mm512_shuffle_i32x4(b[2 * i], b[2 * i + 1], 0xdd));
    return _mm512_max_epi32(_mm512_shuffle_i32x4(c[0], c[1], 0x88),
                            _mm512_shuffle_i32x4(c[0], c[1], 0xdd));
}

/// 32 columns of all tokens on their way to bytes: lane t is token t.
struct GroupScales
{
    __m512 scale;
    alignas(64) float inverse[16];
};

inline void scalesOf(const float *x, std::size_t xStride, std::size_t tokens, __mmask16 first,
                     __mmask16 second, GroupScales &scales)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    __m512i m[16];
#pragma GCC unroll 16
    for (std::size_t t = 0; t < 16; ++t)
        m[t] =
            t < tokens
                ? _mm512_max_epi32(
                      _mm512_and_si512(magnitude, _mm512_maskz_loadu_epi32(first, x + t * xStride)),
                      _mm512_and_si512(magnitude,
                                       _mm512_maskz_loadu_epi32(second, x + t * xStride + 16)))
                : _mm512_setzero_si512();
    // As integers: their maximum is NaN when there is one, so that it reaches the products.
    const __m512 top = _mm512_castsi512_ps(largestOfEach(m));
    const __m512 most = _mm512_set1_ps(127.0f);
    scales.scale = _mm512_div_ps(top, most);
    _mm512_store_ps(
        scales.inverse,
        _mm512_maskz_div_ps(_mm512_cmp_ps_mask(top, _mm512_setzero_ps(), _CMP_GT_OQ), most, top));
}

inline __m512i scaledBytes(const float *x, __mmask16 first, __mmask16 second, float inverse)
{
    const __m512 by = _mm512_set1_ps(inverse);
    return _mm512_packs_epi32(
        _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_maskz_loadu_ps(first, x), by)),
        _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_maskz_loadu_ps(second, x + 16), by)));
}

inline __m512i startsOf(__m512i sums)
{
    return _mm512_sub_epi32(_mm512_set1_epi32(fireside::cpu::startOfSum(0)),
                            _mm512_slli_epi32(sums, 7));
}

void quantizeTile(const float *x, std::size_t xStride, std::size_t n, const ByteTile &tile)
{
    const std::size_t padded = (n + 255) / 256 * 256, tokens = tile.tokens;
    const __mmask16 lanes = firstLanes(tokens);
    for (std::size_t i = 0; i < padded; i += 64) {
        __mmask16 there[4]; // columns of each 16
        for (std::size_t j = 0; j < 4; ++j) {
            const std::size_t from = i + 16 * j;
            there[j] = firstLanes(from >= n ? 0 : n - from < 16 ? n - from : 16);
        }
        GroupScales scales[2];
        for (int h = 0; h < 2; ++h)
            scalesOf(x + i + 32 * h, xStride, tokens, there[2 * h], there[2 * h + 1], scales[h]);
        __m512i m[16];
#pragma GCC unroll 16
        for (std::size_t t = 0; t < 16; ++t)
            m[t] = t < tokens ? _mm512_packs_epi16(scaledBytes(x + t * xStride + i, there[0],
                                                               there[1], scales[0].inverse[t]),
                                                   scaledBytes(x + t * xStride + i + 32, there[2],
                                                               there[3], scales[1].inverse[t]))
                              : _mm512_setzero_si512();
        // Packing left four bytes of each of the four sixteens in each 128 bits.
        transpose16(m);
        std::int8_t *q = tile.q + i * tokens;
        __m512i sums[4];
        for (int j = 0; j < 4; ++j) {
            sums[j] = _mm512_setzero_si512();
            for (int l = 0; l < 4; ++l) {
                const __m512i step = m[4 * l + j];
                _mm512_mask_storeu_epi32(q + 4 * (4 * j + l) * tokens, lanes, step);
                sums[j] = dot4<false>(sums[j], _mm512_set1_epi8(1), step);
            }
        }
        for (int h = 0; h < 2; ++h) {
            const std::size_t group = (i / 32 + h) * tokens;
            const __m512i both = _mm512_add_epi32(sums[2 * h], sums[2 * h + 1]);
            const __m512 scale = scales[h].scale;
            _mm512_mask_storeu_ps(tile.scale + group, lanes, scale);
            _mm512_mask_storeu_ps(tile.sum32 + group, lanes,
                                  _mm512_mul_ps(scale, _mm512_cvtepi32_ps(both)));
            _mm512_mask_storeu_epi32(tile.start + group, lanes, startsOf(both));
            for (int j = 0; j < 2; ++j) {
                const std::size_t half = 2 * group + j * tokens;
                _mm512_mask_storeu_ps(tile.sum16 + half, lanes,
                                      _mm512_mul_ps(scale, _mm512_cvtepi32_ps(sums[2 * h + j])));
                _mm512_mask_storeu_epi32(tile.start16 + half, lanes, startsOf(sums[2 * h + j]));
            }
        }
    }
}

constexpr fireside::cpu::LinearKernels makeTable(fireside::Isa isa)
{
    fireside::cpu::LinearKernels table = {isa,
                                          quantizeRow,
                                          quantizeTile,
                                          interleave,
                                          dotRows,
                                          dotFloatRows,
                                          unpackPanel,
                                          multiplyTile,
                                          unpackFloatPanel,
                                          multiplyFloatTile,
                                          unpackFloatRow,
                                          {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                          placeOfColumn};
    table.startRow = kSumsIn32 ? startRow : nullptr;
    return table;
}

} // namespace
