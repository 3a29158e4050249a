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

/// Scales and offsets of a chunk. Of 16 groups, in the order in which sums of products come
/// (foursOf() below): 0 4 8 12 3 7 11 15 and 1 5 9 13 2 6 10 14. Of eight: 0 2 4 6 1 3 5 7, twice.
struct Groups
{
    __m256 scale[2], offset[2];
};
/// From the order of the columns, and back.
inline void fromOrder(const float *groups, __m256 (&out)[2])
{
    const __m256i first = _mm256_setr_epi32(0, 4, 0, 4, 3, 7, 3, 7);
    const __m256i second = _mm256_setr_epi32(1, 5, 1, 5, 2, 6, 2, 6);
    const __m256 a = _mm256_load_ps(groups), b = _mm256_load_ps(groups + 8);
    const auto of = [&](__m256i order) {
        return _mm256_blend_ps(_mm256_permutevar8x32_ps(a, order),
                               _mm256_permutevar8x32_ps(b, order), 0xcc);
    };
    out[0] = of(first);
    out[1] = of(second);
}
inline void toOrder(const __m256 (&groups)[2], float *out)
{
    const __m256 even = _mm256_permute2f128_ps(groups[0], groups[1], 0x30); // 0 4 8 12 2 6 10 14
    const __m256 odd = _mm256_permute2f128_ps(groups[1], groups[0], 0x30);  // 1 5 9 13 3 7 11 15
    const auto store = [](float *to, __m256 pairs) {
        const __m256d inOrder = _mm256_permute4x64_pd(_mm256_castps_pd(pairs), 0xd8);
        _mm256_store_ps(to, _mm256_castpd_ps(inOrder));
    };
    store(out, _mm256_unpacklo_ps(even, odd));
    store(out + 8, _mm256_unpackhi_ps(even, odd));
}

/// A type whose codes are decoded in registers, 32 at a time:
///   kCentre                the code of zero, where offset = −kCentre · scale; else 0
///   kSigned                codes() gives values, −kCentre to 255 − kCentre, instead
///   groups(p, Groups &)    scales, and offsets where kCentre is 0
///   codes(p, use)          calls use(b, codes of the b-th 32)
///   fours(p, use)          may be there: as foursOf(), with fewer instructions
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
        toOrder(g.scale, c.scale);
        toOrder(g.offset, c.offset);
    } else {
        unpack<Type>(p, c);
    }
}

/// Fours of numbers: the j-th of each half of register i becomes the i-th of register j.
inline void transpose4(__m256i (&m)[4])
{
    const __m256i a = _mm256_unpacklo_epi32(m[0], m[1]), b = _mm256_unpackhi_epi32(m[0], m[1]);
    const __m256i c = _mm256_unpacklo_epi32(m[2], m[3]), d = _mm256_unpackhi_epi32(m[2], m[3]);
    m[0] = _mm256_unpacklo_epi64(a, c);
    m[1] = _mm256_unpackhi_epi64(a, c);
    m[2] = _mm256_unpacklo_epi64(b, d);
    m[3] = _mm256_unpackhi_epi64(b, d);
}
/// 16 bytes from one place and 16 from another: loads and a blend, which any port does.
inline __m256i twoHalves(Bytes low, Bytes high)
{
    return _mm256_blend_epi32(_mm256_broadcastsi128_si256(load128(low)),
                              _mm256_broadcastsi128_si256(load128(high)), 0xf0);
}
inline __m256i swapHalves(__m256i v)
{
    return _mm256_permute2x128_si256(v, v, 0x01);
}

/// Calls use(side, i, codes) eight times: lane j of the lower half of codes are the i-th four
/// columns of 16 of the 2j-th 32, of the upper half of the one after. Side 0 has the first 16 of
/// the one and the second 16 of the other, side 1 the rest. So lanes of sums over i are of one
/// group each, and lanes of sums over all are of one 32.
template <DType Type, typename Use>
[[gnu::always_inline]] inline void foursOf(Bytes p, const Use &use)
{
    using Format = Registers<Type>;
    if constexpr (requires { Format::fours(p, use); }) {
        Format::fours(p, use);
    } else {
        __m256i q[8];
        Format::codes(
            p, [&](int b, __m256i codes) __attribute__((always_inline)) { q[b] = codes; });
#pragma GCC unroll 2
        for (int side = 0; side < 2; ++side) {
            __m256i fours[4];
            for (int j = 0; j < 4; ++j)
                fours[j] = side == 0 ? _mm256_blend_epi32(q[2 * j], q[2 * j + 1], 0xf0)
                                     : _mm256_permute2x128_si256(q[2 * j], q[2 * j + 1], 0x21);
            transpose4(fours);
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i)
                use(side, i, fours[i]);
        }
    }
}

/// The same for nibbles of blocks whose 16 bytes are at p + b · BlockBytes, as map() of them.
template <std::size_t BlockBytes, typename Use, typename Map>
[[gnu::always_inline]] inline void foursOfNibbles(Bytes p, const Use &use, const Map &map)
{
    const __m256i mask = _mm256_set1_epi8(15);
    const __m256i first = _mm256_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4);
    const __m256i second = _mm256_setr_epi32(4, 4, 4, 4, 0, 0, 0, 0);
    __m256i raw[4];
    for (std::size_t j = 0; j < 4; ++j)
        raw[j] = twoHalves(p + 2 * j * BlockBytes, p + (2 * j + 1) * BlockBytes);
    transpose4(raw);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        use(0, i, map(_mm256_and_si256(_mm256_srlv_epi32(raw[i], first), mask)));
        use(1, i, map(_mm256_and_si256(_mm256_srlv_epi32(raw[i], second), mask)));
    }
}

// Groups of 32.
inline __m256 evenFirst(__m256 eight)
{
    return _mm256_permutevar8x32_ps(eight, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
}
inline void twiceEach(__m256 eight, __m256 (&out)[2])
{
    out[0] = out[1] = evenFirst(eight);
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

/// … of nibbles in registers.
inline auto valuesOf(const std::int8_t *table, int offset)
{
    const __m128i values = _mm_add_epi8(load128(table), _mm_set1_epi8(static_cast<char>(offset)));
    return [all = _mm256_broadcastsi128_si256(values)](__m256i q) {
        return _mm256_shuffle_epi8(all, q);
    };
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
    template <typename Use>
    [[gnu::always_inline]] static void fours(Bytes p, const Use &use)
    {
#pragma GCC unroll 2
        for (int side = 0; side < 2; ++side) {
            __m256i q[4];
            for (int j = 0; j < 4; ++j)
                q[j] = twoHalves(p + 68 * j + 2 + 16 * side, p + 68 * j + 52 - 16 * side);
            transpose4(q);
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i)
                use(side, i, q[i]);
        }
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
    template <typename Use>
    [[gnu::always_inline]] static void fours(Bytes p, const Use &use)
    {
        foursOfNibbles<18>(p + 2, use, [](__m256i q) { return q; });
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
    template <typename Use>
    [[gnu::always_inline]] static void fours(Bytes p, const Use &use)
    {
        foursOfNibbles<20>(p + 4, use, [](__m256i q) { return q; });
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
    template <typename Use>
    [[gnu::always_inline]] static void fours(Bytes p, const Use &use)
    {
        foursOfNibbles<18>(p + 2, use, valuesOf(kIq4Values, 0));
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
    template <typename Use>
    [[gnu::always_inline]] static void fours(Bytes p, const Use &use)
    {
        foursOfNibbles<16>(p + 8, use, valuesOf(kIq4Values, 0));
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
    template <typename Use>
    [[gnu::always_inline]] static void fours(Bytes p, const Use &use)
    {
        foursOfNibbles<17>(p + 1, use, valuesOf(kFp4Values, kFp4Offset));
    }
};

} // namespace
