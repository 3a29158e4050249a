#pragma once
// Decoders with AVX2 instructions. Private to the including file (see tensor/unpack.h).
#include "engine/tensor/unpack.h"

#include <immintrin.h>

namespace {

inline __m256i load256(const void *p)
{
    return _mm256_loadu_si256(static_cast<const __m256i *>(p));
}
inline __m128i load128(const void *p)
{
    return _mm_loadu_si128(static_cast<const __m128i *>(p));
}
inline void put256(void *p, __m256i v)
{
    _mm256_storeu_si256(static_cast<__m256i *>(p), v);
}

/// Of the 16 groups of a chunk: eight and eight, in each the even ones first, as sums of products
/// come (linear_avx2_rows.h).
struct Groups
{
    __m256 scale[2], offset[2];
};
// … and back: in the order of the columns.
inline __m256 inOrder(__m256 groups)
{
    return _mm256_permutevar8x32_ps(groups, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}

/// A type whose codes are decoded in registers, 32 at a time:
///   kCentre                the code of zero, where offset = −kCentre · scale; else 0
///   kSigned                codes() gives values, −kCentre to 255 − kCentre, instead
///   groups(p, Groups &)    scales, and offsets where kCentre is 0
///   codes(p, use)          calls use(b, codes of the b-th 32)
template <DType Type>
struct Registers;

template <DType Type>
concept InRegisters = requires
{
    Registers<Type>::kCentre;
};

/// kCentre, or 0 for a type that has offsets of its own or none of the above.
template <DType Type>
constexpr int centreOf()
{
    if constexpr (InRegisters<Type>)
        return Registers<Type>::kCentre;
    return 0;
}

template <DType Type>
inline Groups groupsOf(Bytes p)
{
    Groups g;
    Registers<Type>::groups(p, g);
    if constexpr (centreOf<Type>() != 0)
        for (int h = 0; h < 2; ++h)
            g.offset[h] =
                _mm256_mul_ps(g.scale[h], _mm256_set1_ps(-float{Registers<Type>::kCentre}));
    return g;
}

/// Types without a decoder of their own here have the plain one.
template <DType Type>
inline void decode(Bytes p, Chunk &c)
{
    if constexpr (InRegisters<Type>) {
        using Format = Registers<Type>;
        const __m256i centre = _mm256_set1_epi8(static_cast<char>(Format::kCentre));
        Format::codes(p, [&](int b, __m256i q) {
            put256(c.q + 32 * b, Format::kSigned ? _mm256_add_epi8(q, centre) : q);
        });
        const Groups g = groupsOf<Type>(p);
        for (int h = 0; h < 2; ++h) {
            _mm256_store_ps(c.scale + 8 * h, inOrder(g.scale[h]));
            _mm256_store_ps(c.offset + 8 * h, inOrder(g.offset[h]));
        }
    } else {
        unpack<Type>(p, c);
    }
}

// Each of eight numbers stands for two groups.
inline void twiceEach(__m256 eight, __m256 (&out)[2])
{
    out[0] = _mm256_permute2f128_ps(eight, eight, 0x00);
    out[1] = _mm256_permute2f128_ps(eight, eight, 0x11);
}

// The halves at the same place of eight blocks.
template <std::size_t BlockBytes>
inline void eightHalves(Bytes p, __m256 (&out)[2])
{
    const auto at = [p](std::size_t b) { return loadAs<short>(p + b * BlockBytes); };
    twiceEach(
        _mm256_cvtph_ps(_mm_set_epi16(at(7), at(6), at(5), at(4), at(3), at(2), at(1), at(0))),
        out);
}

// Bytes of the low nibbles, then of the high nibbles, of 16 bytes.
inline __m256i nibbles(Bytes p)
{
    const __m256i raw = _mm256_broadcastsi128_si256(load128(p));
    const __m256i shift = _mm256_set_epi32(4, 4, 4, 4, 0, 0, 0, 0);
    return _mm256_and_si256(_mm256_srlv_epi32(raw, shift), _mm256_set1_epi8(15));
}

// Values of a table at 32 nibbles, plus an offset.
inline __m256i lookUp(const std::int8_t *table, int offset, Bytes p)
{
    const __m128i values = _mm_add_epi8(load128(table), _mm_set1_epi8(static_cast<char>(offset)));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), nibbles(p));
}

// 16 in each byte whose bit of the word is set.
inline __m256i fifthBits(std::uint32_t word)
{
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
    const __m256i byteOf =
        _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(word)), byteOf);
    return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit),
                            _mm256_set1_epi8(16));
}

template <>
struct Registers<DType::Q8_0>
{
    static constexpr int kCentre = 128;
    static constexpr bool kSigned = true;
    static void groups(Bytes p, Groups &g) { eightHalves<34>(p, g.scale); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, load256(p + 34 * b + 2));
    }
};

template <>
struct Registers<DType::Q4_0>
{
    static constexpr int kCentre = 8;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g) { eightHalves<18>(p, g.scale); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, nibbles(p + 18 * b + 2));
    }
};

template <>
struct Registers<DType::Q4_1>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        eightHalves<20>(p, g.scale);
        eightHalves<20>(p + 2, g.offset);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, nibbles(p + 20 * b + 4));
    }
};

template <>
struct Registers<DType::Q5_0>
{
    static constexpr int kCentre = 16;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g) { eightHalves<22>(p, g.scale); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, _mm256_or_si256(nibbles(p + 22 * b + 6),
                                   fifthBits(loadAs<std::uint32_t>(p + 22 * b + 2))));
    }
};

template <>
struct Registers<DType::Q5_1>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        eightHalves<24>(p, g.scale);
        eightHalves<24>(p + 2, g.offset);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, _mm256_or_si256(nibbles(p + 24 * b + 8),
                                   fifthBits(loadAs<std::uint32_t>(p + 24 * b + 4))));
    }
};

// Scales and minimums of eight groups in six bits each, as in SixBitPairs.
inline void allSixBitGroups(Bytes p, Groups &g)
{
    const std::uint64_t both = loadAs<std::uint64_t>(p + 4);
    const std::uint64_t rest = loadAs<std::uint32_t>(p + 12);
    const std::uint64_t high =
        ((rest | rest << 28) & 0x0f0f0f0f0f0f0f0full) | ((both >> 2) & 0x3030303030303030ull);
    const __m128i bytes =
        _mm_unpacklo_epi32(_mm_cvtsi64_si128(static_cast<long long>(both & 0x3f3f3f3f3f3f3f3full)),
                           _mm_cvtsi64_si128(static_cast<long long>(high)));
    const __m128 factors = _mm_xor_ps(_mm_cvtph_ps(_mm_loadu_si32(p)), _mm_setr_ps(0, -0.0f, 0, 0));
    const auto wide = [](__m128i eight, __m128 factor) {
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight)),
                             _mm256_broadcastss_ps(factor));
    };
    twiceEach(wide(bytes, factors), g.scale);
    twiceEach(wide(_mm_unpackhi_epi64(bytes, bytes), _mm_movehdup_ps(factors)), g.offset);
}

template <>
struct Registers<DType::Q4_K>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g) { allSixBitGroups(p, g); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i mask = _mm256_set1_epi8(15);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const __m256i raw = load256(p + 16 + 32 * j);
            use(2 * j, _mm256_and_si256(raw, mask));
            use(2 * j + 1, _mm256_and_si256(_mm256_srli_epi16(raw, 4), mask));
        }
    }
};

template <>
struct Registers<DType::Q5_K>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g) { allSixBitGroups(p, g); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i mask = _mm256_set1_epi8(15), sixteen = _mm256_set1_epi8(16);
        const __m256i fifth = load256(p + 16);
        const auto bit = [&](int b) { // the b-th of each byte, as 16
            return _mm256_and_si256(
                b < 4 ? _mm256_slli_epi16(fifth, 4 - b) : _mm256_srli_epi16(fifth, b - 4), sixteen);
        };
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const __m256i raw = load256(p + 48 + 32 * j);
            use(2 * j, _mm256_or_si256(_mm256_and_si256(raw, mask), bit(2 * j)));
            use(2 * j + 1,
                _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(raw, 4), mask), bit(2 * j + 1)));
        }
    }
};

// Sixteen signed bytes times a factor.
inline void sixteenGroups(__m128i bytes, float factor, __m256 (&out)[2])
{
    bytes = _mm_shuffle_epi8(bytes,
                             _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15));
    const __m256 f = _mm256_set1_ps(factor);
    const __m256i low = _mm256_cvtepi8_epi32(bytes);
    const __m256i high = _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8));
    out[0] = _mm256_mul_ps(_mm256_cvtepi32_ps(low), f);
    out[1] = _mm256_mul_ps(_mm256_cvtepi32_ps(high), f);
}

template <>
struct Registers<DType::Q6_K>
{
    static constexpr int kCentre = 32;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        sixteenGroups(load128(p + 192), halfValue(loadAs<std::uint16_t>(p + 208)), g.scale);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i low = _mm256_set1_epi8(15), high = _mm256_set1_epi8(48);
        const auto join = [&](__m256i four, __m256i two) {
            return _mm256_or_si256(_mm256_and_si256(four, low), _mm256_and_si256(two, high));
        };
#pragma GCC unroll 2
        for (int n = 0; n < 2; ++n) {
            const __m256i l0 = load256(p + 64 * n), l1 = load256(p + 64 * n + 32);
            const __m256i h = load256(p + 128 + 32 * n);
            use(4 * n, join(l0, _mm256_slli_epi16(h, 4)));
            use(4 * n + 1, join(l1, _mm256_slli_epi16(h, 2)));
            use(4 * n + 2, join(_mm256_srli_epi16(l0, 4), h));
            use(4 * n + 3, join(_mm256_srli_epi16(l1, 4), _mm256_srli_epi16(h, 2)));
        }
    }
};

template <>
struct Registers<DType::IQ4_NL>
{
    static constexpr int kCentre = kIq4Offset;
    static constexpr bool kSigned = true;
    static void groups(Bytes p, Groups &g) { eightHalves<18>(p, g.scale); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, lookUp(kIq4Values, 0, p + 18 * b + 2));
    }
};

template <>
struct Registers<DType::IQ4_XS>
{
    static constexpr int kCentre = kIq4Offset;
    static constexpr bool kSigned = true;
    static void groups(Bytes p, Groups &g)
    {
        // Six bits a group: four of one word, two of another.
        const __m256i fours = _mm256_srlv_epi32(_mm256_set1_epi32(loadAs<std::int32_t>(p + 4)),
                                                _mm256_set_epi32(28, 24, 20, 16, 12, 8, 4, 0));
        const __m256i twos = _mm256_srlv_epi32(_mm256_set1_epi32(loadAs<std::uint16_t>(p + 2) << 4),
                                               _mm256_set_epi32(14, 12, 10, 8, 6, 4, 2, 0));
        const __m256i step = _mm256_or_si256(_mm256_and_si256(fours, _mm256_set1_epi32(15)),
                                             _mm256_and_si256(twos, _mm256_set1_epi32(48)));
        const __m256 d = _mm256_set1_ps(halfValue(loadAs<std::uint16_t>(p)));
        const __m256i values = _mm256_sub_epi32(step, _mm256_set1_epi32(32));
        twiceEach(_mm256_mul_ps(_mm256_cvtepi32_ps(values), d), g.scale);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, lookUp(kIq4Values, 0, p + 8 + 16 * b));
    }
};

template <>
struct Registers<DType::MXFP4>
{
    static constexpr int kCentre = kFp4Offset;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        const auto at = [p](std::size_t b) { return static_cast<int>(p[17 * b]); };
        const __m256i e = _mm256_set_epi32(at(7), at(6), at(5), at(4), at(3), at(2), at(1), at(0));
        const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(e, _mm256_set1_epi32(1)), 23);
        const __m256i subnormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), e);
        const __m256i small = _mm256_cmpgt_epi32(_mm256_set1_epi32(2), e);
        twiceEach(_mm256_castsi256_ps(_mm256_blendv_epi8(normal, subnormal, small)), g.scale);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, lookUp(kFp4Values, kFp4Offset, p + 17 * b + 1));
    }
};

template <>
struct Registers<DType::Q2_K>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        const __m128i scales = load128(p), mask = _mm_set1_epi8(15);
        sixteenGroups(_mm_and_si128(scales, mask), halfValue(loadAs<std::uint16_t>(p + 80)),
                      g.scale);
        sixteenGroups(_mm_and_si128(_mm_srli_epi16(scales, 4), mask),
                      -halfValue(loadAs<std::uint16_t>(p + 82)), g.offset);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i three = _mm256_set1_epi8(3);
#pragma GCC unroll 2
        for (int n = 0; n < 2; ++n) {
            const __m256i raw = load256(p + 16 + 32 * n);
            use(4 * n, _mm256_and_si256(raw, three));
            use(4 * n + 1, _mm256_and_si256(_mm256_srli_epi16(raw, 2), three));
            use(4 * n + 2, _mm256_and_si256(_mm256_srli_epi16(raw, 4), three));
            use(4 * n + 3, _mm256_and_si256(_mm256_srli_epi16(raw, 6), three));
        }
    }
};

inline __m128i sixBitStepBytes(Bytes p)
{
    const SixBitSteps steps = sixBitSteps(p);
    return _mm_sub_epi8(
        _mm_set_epi64x(static_cast<long long>(steps.second), static_cast<long long>(steps.first)),
        _mm_set1_epi8(32));
}

template <>
struct Registers<DType::Q3_K>
{
    static constexpr int kCentre = 4;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        sixteenGroups(sixBitStepBytes(p + 96), halfValue(loadAs<std::uint16_t>(p + 108)), g.scale);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i three = _mm256_set1_epi8(3), four = _mm256_set1_epi8(4);
        const __m256i third = load256(p);
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b) {
            const __m256i low = _mm256_srli_epi16(load256(p + 32 + 32 * (b / 4)), 2 * (b % 4));
            const __m256i high =
                b < 2 ? _mm256_slli_epi16(third, 2 - b) : _mm256_srli_epi16(third, b - 2);
            use(b, _mm256_or_si256(_mm256_and_si256(low, three), _mm256_and_si256(high, four)));
        }
    }
};

} // namespace
