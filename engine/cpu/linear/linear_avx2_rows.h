#pragma once
// AVX2 byte dot products of a chunk of a row and rows of x. Private to the including file (see
// tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_dots.h"
#include "engine/cpu/linear/linear_avx2_formats.h"
#include "engine/cpu/linear/linear_kernels.h"

namespace {

using fireside::cpu::RowActivations;

/// Two chains of sums, so that additions need not wait for each other.
struct Acc
{
    __m256 chain[2];
};
inline Acc zeroAcc()
{
    return {{_mm256_setzero_ps(), _mm256_setzero_ps()}};
}
inline float sumLanes(__m256 sums)
{
    __m128 v = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
    v = _mm_add_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_add_ss(v, _mm_shuffle_ps(v, v, 1)));
}
inline float sumAcc(const Acc &acc)
{
    return sumLanes(_mm256_add_ps(acc.chain[0], acc.chain[1]));
}

/// How much fits in a sum of products of bytes before it must be widened: in 16 bits of four
/// pairs (31·127·8), of one pair, or of none.
enum class Products { Narrow, Pairs, Wide };

/// A chunk times T rows of x. Sums of four 32s are joined to a vector: lane l of the lower half is
/// of the first 16 of the l-th, of the upper half of its second 16.
template <Products P, int T>
struct ChunkDots
{
    __m256i even[T], two[T];
    __m256 scale[T][2];

    [[gnu::always_inline]] void begin(const Groups &g, bool offsets, Acc (&acc)[T],
                                      const RowActivations &x, std::size_t chunk)
    {
        for (int t = 0; t < T; ++t) {
            const std::size_t group = t * (x.stride / 16) + chunk * 16;
            for (int h = 0; h < 2; ++h) {
                scale[t][h] = _mm256_mul_ps(g.scale[h], _mm256_loadu_ps(x.scale + group + 8 * h));
                if (offsets)
                    acc[t].chain[h] = _mm256_fmadd_ps(
                        g.offset[h], _mm256_loadu_ps(x.sum + group + 8 * h), acc[t].chain[h]);
            }
        }
    }

    /// Products of the b-th 32 codes and the same of row t of x, as pairs or (Wide) fours.
    [[gnu::always_inline]] void add(int t, int b, __m256i products, Acc &acc)
    {
        if constexpr (P == Products::Pairs)
            products = pairsToLanes(products);
        if (b % 2 == 0) {
            even[t] = products;
            return;
        }
        const __m256i joined =
            sum(_mm256_unpacklo_epi64(even[t], products), _mm256_unpackhi_epi64(even[t], products));
        if (b % 4 == 1) {
            two[t] = joined;
            return;
        }
        const __m256 first = _mm256_castsi256_ps(two[t]), second = _mm256_castsi256_ps(joined);
        __m256i four = sum(_mm256_castps_si256(_mm256_shuffle_ps(first, second, 0x88)),
                           _mm256_castps_si256(_mm256_shuffle_ps(first, second, 0xdd)));
        if constexpr (P == Products::Narrow)
            four = pairsToLanes(four);
        __m256 &chain = acc.chain[b / 4];
        chain = _mm256_fmadd_ps(_mm256_cvtepi32_ps(four), scale[t][b / 4], chain);
    }

private:
    static __m256i sum(__m256i a, __m256i b)
    {
        return P == Products::Narrow ? _mm256_add_epi16(a, b) : _mm256_add_epi32(a, b);
    }
};

template <bool Wide, int T>
inline void accumulate(Acc (&acc)[T], const Chunk &c, const RowActivations &x, std::size_t chunk)
{
    const auto evenFirst = [](const float *groups) {
        return _mm256_permutevar8x32_ps(_mm256_load_ps(groups),
                                        _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
    };
    const Groups groups{{evenFirst(c.scale), evenFirst(c.scale + 8)},
                        {evenFirst(c.offset), evenFirst(c.offset + 8)}};
    ChunkDots<Products::Wide, T> dots;
    dots.begin(groups, true, acc, x, chunk);
    const std::int8_t *a = x.q + chunk * 256;
#pragma GCC unroll 8
    for (int b = 0; b < 8; ++b)
        for (int t = 0; t < T; ++t)
            dots.add(t, b, dot4<Wide>(load256(c.q + 32 * b), load256(a + t * x.stride + 32 * b)),
                     acc[t]);
}

/// A chunk of weights that have one scale times T rows of x that have one scale in it.
template <DType Type, int T>
inline void accumulateWhole(Bytes p, Acc (&acc)[T], const RowActivations &x, std::size_t chunk)
{
    using Format = Registers<Type>;
    static_assert(info(Type).codeBits <= 4 && !Format::kSigned); // 15·127·2·8 < 2¹⁵
    const std::int8_t *a = x.q + chunk * 256;
    __m256i sums[T]; // of pairs in 16 bits, or (dots) of four in 32
    for (__m256i &sum : sums)
        sum = _mm256_setzero_si256();
    Format::codes(
        p, [&](int b, __m256i q) __attribute__((always_inline)) {
            for (int t = 0; t < T; ++t) {
                const __m256i by = load256(a + t * x.stride + 32 * b);
                sums[t] = kByteDots ? addDot4(sums[t], q, by)
                                    : _mm256_add_epi16(sums[t], _mm256_maddubs_epi16(q, by));
            }
        });
    const __m256 scale = _mm256_set1_ps(Format::scale(p));
    const __m256 offset = _mm256_mul_ps(scale, _mm256_set1_ps(-float{Format::kCentre}));
    for (int t = 0; t < T; ++t) {
        const std::size_t group = t * (x.stride / 16) + chunk * 16;
        const __m256 both = _mm256_mul_ps(scale, _mm256_broadcast_ss(x.scale + group));
        const __m256 total = _mm256_cvtepi32_ps(kByteDots ? sums[t] : pairsToLanes(sums[t]));
        acc[t].chain[0] = _mm256_fmadd_ps(total, both, acc[t].chain[0]);
        const __m256 sum =
            _mm256_add_ps(_mm256_loadu_ps(x.sum + group), _mm256_loadu_ps(x.sum + group + 8));
        acc[t].chain[1] = _mm256_fmadd_ps(sum, offset, acc[t].chain[1]);
    }
}

/// A type whose codes are multiplied in the registers where they were decoded.
template <DType Type>
struct FormatInRegisters
{
    using Format = Registers<Type>;
    static constexpr bool kWide = fireside::cpu::isWide(Type);
    static_assert(kWide == Format::kSigned);

    static constexpr DType type() { return Type; }
    [[gnu::always_inline]] void decode(Bytes p, Chunk &c) const { ::decode<Type>(p, c); }

    template <int T>
    [[gnu::always_inline]] void accumulate(Bytes p, Acc (&acc)[T], const RowActivations &x,
                                           std::size_t chunk) const
    {
        if constexpr (fireside::cpu::activationSpan(Type) == fireside::cpu::kChunk)
            accumulateWhole<Type>(p, acc, x, chunk);
        else
            accumulateGroups(p, acc, x, chunk);
    }

private:
    template <int T>
    [[gnu::always_inline]] void accumulateGroups(Bytes p, Acc (&acc)[T], const RowActivations &x,
                                                 std::size_t chunk) const
    {
        constexpr Products kProducts = kByteDots                  ? Products::Wide
                                       : info(Type).codeBits <= 5 ? Products::Narrow
                                                                  : Products::Pairs;
        ChunkDots<kProducts, T> dots;
        dots.begin(groupsOf<Type>(p), kByteDots || !Format::kSigned, acc, x, chunk);
        const std::int8_t *a = x.q + chunk * 256;
        Format::codes(
            p, [&](int b, __m256i q) __attribute__((always_inline)) {
                if constexpr (kByteDots) {
                    const __m256i centre = _mm256_set1_epi8(static_cast<char>(Format::kCentre));
                    const __m256i code = Format::kSigned ? _mm256_add_epi8(q, centre) : q;
                    for (int t = 0; t < T; ++t)
                        dots.add(t, b, dot4<kWide>(code, load256(a + t * x.stride + 32 * b)),
                                 acc[t]);
                    return;
                }
                // Signed: magnitudes times activations that have the weight's sign, 128·127·2 <
                // 2¹⁵.
                const __m256i magnitude = Format::kSigned ? _mm256_abs_epi8(q) : q;
                for (int t = 0; t < T; ++t) {
                    const __m256i by = load256(a + t * x.stride + 32 * b);
                    dots.add(t, b,
                             _mm256_maddubs_epi16(magnitude,
                                                  Format::kSigned ? _mm256_sign_epi8(by, q) : by),
                             acc[t]);
                }
            });
    }
};

} // namespace
