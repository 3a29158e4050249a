#pragma once
// AVX2 byte dot products of a chunk of a row and rows of x. Private to the including file (see
// tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_dots.h"
#include "engine/cpu/linear/linear_avx2_formats.h"
#include "engine/cpu/linear/linear_kernels.h"

namespace {

using fireside::cpu::RowActivations;

using Acc = __m256;
inline Acc zeroAcc()
{
    return _mm256_setzero_ps();
}
inline float sumLanes(__m256 sums)
{
    __m128 v = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
    v = _mm_add_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_add_ss(v, _mm_shuffle_ps(v, v, 1)));
}
inline float sumAcc(Acc acc)
{
    return sumLanes(acc);
}

/// Of how many products of bytes a sum fits in 16 bits before it must be widened; none: they are
/// made in 32.
constexpr int sumsIn16(int codeBits)
{
    return kByteDots       ? 0
           : codeBits <= 4 ? 8 // 15·127·2·8
           : codeBits <= 5 ? 4 // 31·127·2·4
           : codeBits <= 6 ? 2 // 63·127·2·2
                           : 1;
}

/// Whether panels hold a type's codes with sign. Tiles multiply their sizes by x with its bits
/// turned where a weight is negative, which makes it −x − 1, so that sums begin with the sizes of
/// those.
template <DType Type>
constexpr bool turnsBits()
{
    if constexpr (InRegisters<Type>)
        return !kByteDots && Registers<Type>::kSigned;
    return false;
}

/// A chunk times T rows of x, of which codes and bytes come as of foursOf(). In16: sumsIn16();
/// By32: groups are of 32.
template <int In16, bool By32, int T>
struct ChunkDots
{
    static constexpr bool kOneSum =
        By32 && In16 != 4 && In16 != 0; // of both sides; by dots two, which wait less
    __m256i sums[T][2];                 // in 16 bits where four or more fit
    __m256i part[T];

    [[gnu::always_inline]] void add(int t, int side, int i, __m256i products)
    {
        __m256i &sum = sums[t][kOneSum ? 0 : side];
        const bool first = i == 0 && (side == 0 || !kOneSum);
        if constexpr (In16 >= 4) {
            sum = first ? products : _mm256_add_epi16(sum, products);
        } else if constexpr (In16 == 2) {
            if (i % 2 == 0) {
                part[t] = products;
                asm("" : "+x"(part[t]));
                return;
            }
            products = pairsToLanes(_mm256_add_epi16(part[t], products));
            sum = i == 1 ? products : _mm256_add_epi32(sum, products);
        } else {
            if constexpr (In16 == 1)
                products = pairsToLanes(products);
            sum = first ? products : _mm256_add_epi32(sum, products);
        }
        // In this order: many products at once do not fit the registers.
        asm("" : "+x"(sum));
    }

    [[gnu::always_inline]] void finish(const Groups &g, bool offsets, Acc (&acc)[T],
                                       const RowActivations &x, std::size_t chunk) const
    {
        for (int t = 0; t < T; ++t) {
            const std::size_t group = t * (x.stride / 16) + chunk * 16;
            if (offsets)
                for (int side = 0; side < 2; ++side)
                    acc[t] = _mm256_fmadd_ps(g.offset[side],
                                             _mm256_loadu_ps(x.sum + group + 8 * side), acc[t]);
            const __m256 xScale = _mm256_loadu_ps(x.scale + group);
            if constexpr (By32) {
                const __m256i sum = kOneSum
                                        ? lanes(sums[t][0])
                                        : _mm256_add_epi32(lanes(sums[t][0]), lanes(sums[t][1]));
                acc[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), _mm256_mul_ps(g.scale[0], xScale),
                                         acc[t]);
            } else {
                for (int side = 0; side < 2; ++side)
                    acc[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(lanes(sums[t][side])),
                                             _mm256_mul_ps(g.scale[side], xScale), acc[t]);
            }
        }
    }

private:
    static __m256i lanes(__m256i sum) { return In16 >= 4 ? pairsToLanes(sum) : sum; }
};

/// Where foursOf() finds the bytes of a row of x.
inline std::size_t placeOfFours(int side, int i)
{
    return static_cast<std::size_t>(128 * side + 32 * i);
}

template <bool Wide, int T>
inline void accumulate(Acc (&acc)[T], const Chunk &c, const RowActivations &x, std::size_t chunk)
{
    Groups groups;
    fromOrder(c.scale, groups.scale);
    fromOrder(c.offset, groups.offset);
    ChunkDots<0, false, T> dots;
    const std::int8_t *a = x.q + chunk * 256;
    for (int side = 0; side < 2; ++side) {
        __m256i q[4];
        for (int j = 0; j < 4; ++j)
            q[j] =
                _mm256_inserti128_si256(_mm256_castsi128_si256(load128(c.q + 64 * j + 16 * side)),
                                        load128(c.q + 64 * j + 48 - 16 * side), 1);
        transpose4(q);
        for (int i = 0; i < 4; ++i)
            for (int t = 0; t < T; ++t)
                dots.add(t, side, i,
                         dot4<Wide>(q[i], load256(a + t * x.stride + placeOfFours(side, i))));
    }
    dots.finish(groups, true, acc, x, chunk);
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
                asm("" : "+x"(sums[t])); // as in ChunkDots::add()
            }
        });
    const __m256 scale = _mm256_set1_ps(Format::scale(p));
    const __m256 offset = _mm256_mul_ps(scale, _mm256_set1_ps(-float{Format::kCentre}));
    for (int t = 0; t < T; ++t) {
        const std::size_t group = t * (x.stride / 16) + chunk * 16;
        const __m256 both = _mm256_mul_ps(scale, _mm256_broadcast_ss(x.scale + group));
        const __m256 total = _mm256_cvtepi32_ps(kByteDots ? sums[t] : pairsToLanes(sums[t]));
        acc[t] = _mm256_fmadd_ps(total, both, acc[t]);
        const __m256 sum =
            _mm256_add_ps(_mm256_loadu_ps(x.sum + group), _mm256_loadu_ps(x.sum + group + 8));
        acc[t] = _mm256_fmadd_ps(sum, offset, acc[t]);
    }
}

} // namespace
