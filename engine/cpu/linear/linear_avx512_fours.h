#pragma once
// AVX-512 products of a chunk of a row and rows of x, whose columns lie in such an order that each
// lane of a sum belongs to one group: lane g of register i is the i-th four columns of group g. So
// sums of 256 columns are scaled once. Private to the including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx512_formats.h"
#include "engine/cpu/linear/linear_kernels.h"

namespace {

/// Where quantizeRow() puts a column of a chunk for that.
std::size_t placeOfColumn(std::size_t column)
{
    return column / 4 % 4 * 64 + column / 16 * 4 + column % 4;
}

/// From the order of the columns.
inline void toFours(__m512i (&q)[4])
{
    // Of two registers, four by four: the first of each of theirs, and the second (below).
    const __m512i first =
        _mm512_set_epi32(29, 25, 21, 17, 28, 24, 20, 16, 13, 9, 5, 1, 12, 8, 4, 0);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(2));
    const __m512i a = _mm512_unpacklo_epi32(q[0], q[1]), b = _mm512_unpackhi_epi32(q[0], q[1]);
    const __m512i c = _mm512_unpacklo_epi32(q[2], q[3]), d = _mm512_unpackhi_epi32(q[2], q[3]);
    q[0] = _mm512_permutex2var_epi32(a, first, c);
    q[1] = _mm512_permutex2var_epi32(a, second, c);
    q[2] = _mm512_permutex2var_epi32(b, first, d);
    q[3] = _mm512_permutex2var_epi32(b, second, d);
}

/// A chunk's codes in that order. Nibbles are put there before they are taken apart.
template <DType Type>
[[gnu::always_inline]] inline void decodeFours(Bytes p, Decoded &c)
{
    decode<Type>(p, c);
    toFours(c.q);
}

#if defined(__AVX512VNNI__)
constexpr bool kSumsIn32 = true; // from the first product on
#else
constexpr bool kSumsIn32 = false;
#endif

/// Nibbles as codes. Of types with nothing but nibbles the high ones may stay where they are, as
/// codes times 16: a step less. Without VNNI sums of their products would not fit 16 bits.
enum class HighNibbles { Shifted, Stay };
constexpr HighNibbles kHighNibbles = kSumsIn32 ? HighNibbles::Stay : HighNibbles::Shifted;
constexpr float kOfHighNibbles = kSumsIn32 ? 1.0f / 16 : 1.0f;

/// The nibbles of 128 bytes; lane g of register i: those at index[g] + i, of which `shift` says
/// whether they are the low (0) or the high ones (4).
template <HighNibbles High>
[[gnu::always_inline]] inline void nibbleFours(__m512i low, __m512i high, __m512i index,
                                               __m512i shift, __m512i (&q)[4])
{
    constexpr bool kStay = High == HighNibbles::Stay;
    const __m512i low4 = _mm512_set1_epi8(15);
    const __m512i mask = kStay ? _mm512_sllv_epi32(low4, shift) : low4;
    for (int i = 0; i < 4; ++i, index = _mm512_add_epi32(index, _mm512_set1_epi32(1))) {
        const __m512i both = _mm512_permutex2var_epi32(low, index, high);
        q[i] = _mm512_and_si512(kStay ? both : _mm512_srlv_epi32(both, shift), mask);
    }
}

/// Eight blocks whose 16 bytes of nibbles are at p + b · BlockBytes.
template <std::size_t BlockBytes, HighNibbles High>
[[gnu::always_inline]] inline void nibblesOfEight(Bytes p, __m512i (&q)[4])
{
    __m512i raw[2];
    for (std::size_t h = 0; h < 2; ++h) {
        const Bytes from = p + 4 * h * BlockBytes;
        if constexpr (BlockBytes == 16) {
            raw[h] = load512(from);
        } else { // loads and blends, which any port does
            __m512i v = _mm512_castsi128_si512(load128(from));
            v = _mm512_mask_broadcast_i32x4(v, 0x00f0, load128(from + BlockBytes));
            v = _mm512_mask_broadcast_i32x4(v, 0x0f00, load128(from + 2 * BlockBytes));
            raw[h] = _mm512_mask_broadcast_i32x4(v, 0xf000, load128(from + 3 * BlockBytes));
        }
    }
    const __m512i index =
        _mm512_set_epi32(28, 28, 24, 24, 20, 20, 16, 16, 12, 12, 8, 8, 4, 4, 0, 0);
    const __m512i shift = _mm512_set1_epi64(4ll << 32);
    nibbleFours<High>(raw[0], raw[1], index, shift, q);
}
constexpr int kEntryCentre = 128; // of codes of a table with both signs

/// … as codes of a table.
template <std::size_t BlockBytes>
[[gnu::always_inline]] inline void entriesOfEight(Bytes p, const std::int8_t *table, int offset,
                                                  __m512i (&q)[4])
{
    const __m512i values = lookUpTable(table, offset);
    nibblesOfEight<BlockBytes, HighNibbles::Shifted>(p, q);
    for (__m512i &four : q)
        four = _mm512_shuffle_epi8(values, four);
}

/// Scales of low and high nibbles, whose codes are as kHighNibbles says.
inline __m512 ofNibbles(__m512 scale)
{
    if constexpr (kHighNibbles == HighNibbles::Shifted)
        return scale;
    return _mm512_mul_ps(scale,
                         _mm512_broadcast_f32x4(_mm_set_ps(kOfHighNibbles, 1, kOfHighNibbles, 1)));
}
template <>
[[gnu::always_inline]] inline void decodeFours<DType::Q4_0>(Bytes p, Decoded &c)
{
    nibblesOfEight<18, kHighNibbles>(p + 2, c.q);
    const __m512 scale = eightHalves<18>(p);
    c.scale = ofNibbles(scale);
    c.offset = _mm512_mul_ps(scale, _mm512_set1_ps(-8));
}
template <>
[[gnu::always_inline]] inline void decodeFours<DType::Q4_1>(Bytes p, Decoded &c)
{
    nibblesOfEight<20, kHighNibbles>(p + 4, c.q);
    c.scale = ofNibbles(eightHalves<20>(p));
    c.offset = eightHalves<20>(p + 2);
}
template <>
[[gnu::always_inline]] inline void decodeFours<DType::IQ4_NL>(Bytes p, Decoded &c)
{
    entriesOfEight<18>(p + 2, kIq4Values, kEntryCentre, c.q);
    setScales(eightHalves<18>(p), kEntryCentre, c);
}
template <>
[[gnu::always_inline]] inline void decodeFours<DType::IQ4_XS>(Bytes p, Decoded &c)
{
    entriesOfEight<16>(p + 8, kIq4Values, kEntryCentre, c.q);
    setScales(iq4Scales(p), kEntryCentre, c);
}
template <>
[[gnu::always_inline]] inline void decodeFours<DType::MXFP4>(Bytes p, Decoded &c)
{
    entriesOfEight<17>(p + 1, kFp4Values, kFp4Offset, c.q);
    setScales(fp4Scales(p), kFp4Offset, c);
}

/// The nibbles of Q4_K and Q5_K: of 32 bytes the low ones are 32 columns, the high ones the next.
template <HighNibbles High>
inline void nibblesOfPairs(Bytes p, __m512i (&q)[4])
{
    const __m512i index =
        _mm512_set_epi32(28, 24, 28, 24, 20, 16, 20, 16, 12, 8, 12, 8, 4, 0, 4, 0);
    const __m512i shift = _mm512_set_epi32(4, 4, 0, 0, 4, 4, 0, 0, 4, 4, 0, 0, 4, 4, 0, 0);
    nibbleFours<High>(load512(p), load512(p + 64), index, shift, q);
}
template <>
[[gnu::always_inline]] inline void decodeFours<DType::Q4_K>(Bytes p, Decoded &c)
{
    nibblesOfPairs<kHighNibbles>(p + 16, c.q);
    decodeSixBitGroups(p, kOfHighNibbles, c);
}

template <>
[[gnu::always_inline]] inline void decodeFours<DType::Q5_K>(Bytes p, Decoded &c)
{
    const __m512i sixteen = _mm512_set1_epi8(16);
    const __m512i fifth = twice(load256(p + 16)); // bit g / 2 of each byte is of group g
    const __m512i bit = _mm512_mullo_epi32(
        _mm512_sllv_epi32(_mm512_set1_epi32(1),
                          _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0)),
        _mm512_set1_epi32(0x01010101));
    __m512i index = _mm512_set1_epi64(4ll << 32);
    nibblesOfPairs<HighNibbles::Shifted>(p + 48, c.q);
    for (__m512i &q : c.q) {
        const __m512i bits = _mm512_permutexvar_epi32(index, fifth);
        q = _mm512_mask_add_epi8(q, _mm512_test_epi8_mask(bits, bit), q, sixteen);
        index = _mm512_add_epi32(index, _mm512_set1_epi32(1));
    }
    decodeSixBitGroups(p, 1.0f, c);
}

/// With room for them codes of six bits are four times themselves, so that their centre is 128.
template <>
[[gnu::always_inline]] inline void decodeFours<DType::Q6_K>(Bytes p, Decoded &c)
{
    constexpr int kUp = kSumsIn32 ? 2 : 0;
    // Of 64 bytes the low nibbles are 64 columns, the high ones the next; of 32 bytes with two
    // bits of each, four times 32. Lanes turn them left, of which 32 steps are none.
    const __m512i up = _mm512_set1_epi32(kUp + 32);
    const auto turned = [&](__m512i right) { return _mm512_sub_epi32(up, right); };
    const __m512i turnFours =
        turned(_mm512_set_epi32(4, 4, 4, 4, 0, 0, 0, 0, 4, 4, 4, 4, 0, 0, 0, 0));
    const __m512i turnTwos =
        turned(_mm512_set_epi32(2, 2, 0, 0, -2, -2, -4, -4, 2, 2, 0, 0, -2, -2, -4, -4));
    const __m512i low = _mm512_set1_epi8(15 << kUp);
    const __m512i high = _mm512_set1_epi8(static_cast<char>(48 << kUp));
    const __m512i fours[2] = {load512(p), load512(p + 64)}, twos = load512(p + 128);
    __m512i of4 = _mm512_set_epi32(28, 24, 20, 16, 28, 24, 20, 16, 12, 8, 4, 0, 12, 8, 4, 0);
    __m512i of2 = _mm512_set_epi32(12, 8, 12, 8, 12, 8, 12, 8, 4, 0, 4, 0, 4, 0, 4, 0);
    for (__m512i &q : c.q) {
        const __m512i four =
            _mm512_rolv_epi32(_mm512_permutex2var_epi32(fours[0], of4, fours[1]), turnFours);
        const __m512i two = _mm512_rolv_epi32(_mm512_permutexvar_epi32(of2, twos), turnTwos);
        q = _mm512_ternarylogic_epi32(_mm512_and_si512(four, low), two, high,
                                      0xf8); // four | (two & high)
        of4 = _mm512_add_epi32(of4, _mm512_set1_epi32(1));
        of2 = _mm512_add_epi32(of2, _mm512_set1_epi32(1));
    }
    const float d = halfValue(loadAs<std::uint16_t>(p + 208)) / (1 << kUp);
    setScales(signedGroups(load128(p + 192), d), 32 << kUp, c);
}

inline void loadFours(const std::int8_t *x, __m512i (&fours)[4])
{
    for (int i = 0; i < 4; ++i)
        fours[i] = load512(x + 64 * i);
}

// Each lane: `sum`, which is 0 without VNNI, + Σ of the products of its group of 16 columns. Bits:
// of codes.
template <int Bits>
[[gnu::always_inline]] inline __m512i groupDots(__m512i sum, const __m512i (&q)[4],
                                                const __m512i (&x)[4])
{
#if !defined(__AVX512VNNI__)
    if constexpr (Bits <= 6) { // pairs in 16 bits: 31·127·2·4 and 63·127·2·2 fit
        __m512i pairs[2];
        for (int h = 0; h < 2; ++h)
            pairs[h] = _mm512_add_epi16(_mm512_maddubs_epi16(q[2 * h], x[2 * h]),
                                        _mm512_maddubs_epi16(q[2 * h + 1], x[2 * h + 1]));
        const __m512i ones = _mm512_set1_epi16(1);
        if constexpr (Bits <= 5)
            return _mm512_madd_epi16(_mm512_add_epi16(pairs[0], pairs[1]), ones);
        return _mm512_add_epi32(_mm512_madd_epi16(pairs[0], ones),
                                _mm512_madd_epi16(pairs[1], ones));
    }
#endif
    for (int i = 0; i < 4; ++i)
        sum = dot4<(Bits > 7)>(sum, q[i], x[i]);
    return sum;
}

/// How sums become floats, see Sums; and the codes of centred types: 128 is their zero, or of low
/// nibbles 8.
constexpr Sums sumsOfFours(DType type)
{
    switch (type) {
    case DType::Q4_0:
    case DType::Q6_K:
    case DType::Q8_0:
    case DType::IQ4_NL:
    case DType::IQ4_XS:
        return kSumsIn32 ? Sums::Centred : Sums::Converted;
    default:
        return kSumsIn32 && scalesZeroExactly(type) ? Sums::Based : Sums::Converted;
    }
}
constexpr bool isCentredNibble(DType type)
{
    return type == DType::Q4_0;
}

void startRow(const std::int8_t *q, std::size_t n, std::int32_t *start)
{
    const __m512i base = _mm512_set1_epi32(fireside::cpu::startOfSum(0));
    const __m512i nibbles = _mm512_set1_epi64(7ll << 32 | 3); // 2³ and 2⁷
    for (std::size_t i = 0; i < n; i += kChunk, q += kChunk, start += 2 * kGroups) {
        __m512i sum = _mm512_setzero_si512();
        for (std::size_t j = 0; j < kChunk; j += 64)
            sum = dot4<false>(sum, _mm512_set1_epi8(1), load512(q + j));
        _mm512_storeu_si512(start, _mm512_sub_epi32(base, _mm512_slli_epi32(sum, 7)));
        _mm512_storeu_si512(start + kGroups,
                            _mm512_sub_epi32(base, _mm512_sllv_epi32(sum, nibbles)));
    }
}

/// A type whose codes are multiplied in the registers where they were decoded.
template <DType Type>
struct FormatFours : FormatOf<Type>
{
    /// More sums than of 2 · 4 rows, and what they meet, do not fit the registers.
    static constexpr int rowsOfMany(int rowsOfX) { return rowsOfX == 4 ? 2 : 1; }

    template <int T>
    [[gnu::always_inline]] void accumulate(Bytes p, Acc (&acc)[T], const RowActivations &x,
                                           std::size_t chunk) const
    {
        Decoded c;
        decodeFours<Type>(p, c);
        for (int t = 0; t < T; ++t) {
            const std::size_t group = t * (x.stride / 16) + chunk * 16;
            __m512i by[4];
            loadFours(x.q + t * x.stride + chunk * 256, by);
            const __m512 dots = _mm512_cvtepi32_ps(
                groupDots<fireside::info(Type).codeBits>(_mm512_setzero_si512(), c.q, by));
            const __m512 scale = _mm512_mul_ps(c.scale, _mm512_loadu_ps(x.scale + group));
            const __m512 sum = _mm512_loadu_ps(x.sum + group);
            acc[t] = _mm512_fmadd_ps(dots, scale, _mm512_fmadd_ps(c.offset, sum, acc[t]));
        }
    }

    /// Several rows of weights and of x: each read of x serves all those of weights.
    template <typename Rows, int R, int T>
    requires(T >= 4)
        [[gnu::always_inline]] void accumulateRows(const Rows &w, std::size_t count,
                                                   Acc (&acc)[R][T], const RowActivations &x,
                                                   std::size_t first) const
    {
        for (std::size_t i = 0; i < count; ++i) {
            Decoded c[R];
            for (int r = 0; r < R; ++r) {
                const Bytes p = w.at(r, i);
                w.fetchAhead(p);
                decodeFours<Type>(p, c[r]);
            }
            multiply(c, acc, x, first + i);
        }
    }

private:
    static constexpr Sums kHow = sumsOfFours(Type);

    template <int R, int T>
    [[gnu::always_inline]] static void multiply(const Decoded (&c)[R], Acc (&acc)[R][T],
                                                const RowActivations &x, std::size_t chunk)
    {
        __m512 zero[R];
        for (int r = 0; r < R; ++r)
            zero[r] = _mm512_mul_ps(c[r].scale, _mm512_set1_ps(fireside::cpu::kSumZero));
#pragma GCC unroll 8
        for (int t = 0; t < T; ++t) {
            const std::size_t group = t * (x.stride / 16) + chunk * 16;
            __m512i by[4];
            loadFours(x.q + t * x.stride + chunk * 256, by);
            __m512i start = _mm512_setzero_si512();
            if constexpr (kHow == Sums::Based)
                start = _mm512_set1_epi32(fireside::cpu::startOfSum(0));
            else if constexpr (kHow == Sums::Centred)
                start = load512(x.start + 2 * group + (isCentredNibble(Type) ? kGroups : 0));
            for (int r = 0; r < R; ++r) {
                const __m512i dots = groupDots<fireside::info(Type).codeBits>(start, c[r].q, by);
                const __m512 value =
                    kHow == Sums::Converted
                        ? _mm512_mul_ps(_mm512_cvtepi32_ps(dots), c[r].scale)
                        : _mm512_fmsub_ps(_mm512_castsi512_ps(dots), c[r].scale, zero[r]);
                if constexpr (kHow != Sums::Centred)
                    acc[r][t] =
                        _mm512_fmadd_ps(c[r].offset, _mm512_loadu_ps(x.sum + group), acc[r][t]);
                acc[r][t] = _mm512_fmadd_ps(value, _mm512_loadu_ps(x.scale + group), acc[r][t]);
            }
        }
    }
};

} // namespace
