#pragma once
// AVX2 products of a chunk of several weight rows and four rows of x at a time: sums for all of
// them fill the registers, so codes wait in the first-level cache, and each read serves several
// products. Private to the including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_rows.h"

namespace {

/// A chunk of a weight row in the order of foursOf(), without sign where dots multiply.
struct Fours
{
    alignas(32) std::uint8_t q[fireside::cpu::kChunk];
    Groups groups;
};

template <DType Type>
[[gnu::always_inline]] inline void decodeFours(Bytes p, Fours &out)
{
    using Format = Registers<Type>;
    const __m256i centre = _mm256_set1_epi8(static_cast<char>(Format::kCentre));
    foursOf<Type>(
        p, [&](int side, int i, __m256i q) __attribute__((always_inline)) {
            put256(out.q + placeOfFours(side, i),
                   kByteDots && Format::kSigned ? _mm256_add_epi8(q, centre) : q);
        });
    out.groups = groupsOf<Type>(p);
}

/// R rows of weights and T of x.
template <DType Type, int R, int T>
struct FoursProduct
{
    static constexpr int kIn16 = sumsIn16(info(Type).codeBits);
    static constexpr bool kBy32 = fireside::cpu::panelGroups(Type) == 8;
    static constexpr bool kSigned = !kByteDots && Registers<Type>::kSigned;
    static constexpr bool kOffsets = kByteDots || !Registers<Type>::kSigned;
    static constexpr bool kBothSides = kBy32 && kIn16 != 4; // in one sum
    static constexpr int kSteps = kBothSides ? 8 : 4;
    static constexpr int kTogether = kIn16 == 2 ? 2 : 1; // of whose products sums in 16 bits fit

    __m256i sums[R][T]; // in 16 bits where four or more fit

    [[gnu::always_inline]] static __m256i products(const __m256i (&q)[kTogether],
                                                   const __m256i (&by)[kTogether])
    {
        if constexpr (kSigned) // 128·127·2 < 2¹⁵
            return pairsToLanes(
                _mm256_maddubs_epi16(_mm256_abs_epi8(q[0]), _mm256_sign_epi8(by[0], q[0])));
        __m256i sum = _mm256_maddubs_epi16(q[0], by[0]);
        if constexpr (kTogether == 2)
            sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(q[1], by[1]));
        return kIn16 >= 4 ? sum : pairsToLanes(sum);
    }

    /// The side's fours, or those of both.
    [[gnu::always_inline]] void multiply(const Fours (&w)[R], const std::int8_t *x,
                                         std::size_t stride, int side)
    {
#pragma GCC unroll 8
        for (int k = 0; k < kSteps; k += kTogether) {
            const std::size_t at = placeOfFours(side, k);
            __m256i q[R][kTogether];
            for (int r = 0; r < R; ++r)
                for (int i = 0; i < kTogether; ++i)
                    q[r][i] = load256(w[r].q + at + 32 * i);
            for (int t = 0; t < T; ++t) {
                __m256i by[kTogether];
                for (int i = 0; i < kTogether; ++i) {
                    by[i] = load256(x + t * stride + at + 32 * i);
                    asm("" : "+x"(by[i])); // read once for all rows
                }
                for (int r = 0; r < R; ++r) {
                    __m256i &sum = sums[r][t];
                    if constexpr (kByteDots)
                        sum = addDot4(k == 0 ? _mm256_setzero_si256() : sum, q[r][0], by[0]);
                    else if (k == 0)
                        sum = products(q[r], by);
                    else if constexpr (kIn16 >= 4)
                        sum = _mm256_add_epi16(sum, products(q[r], by));
                    else
                        sum = _mm256_add_epi32(sum, products(q[r], by));
                    asm("" : "+x"(sum)); // as in ChunkDots::add()
                }
            }
        }
    }
    [[gnu::always_inline]] __m256i lanes(int r, int t) const
    {
        return kIn16 >= 4 ? pairsToLanes(sums[r][t]) : sums[r][t];
    }

    /// acc[r][from + t] += the r-th row's chunk times that of the t-th of x, whose chunk is at
    /// `column`.
    template <int All>
    [[gnu::always_inline]] static void add(const Fours (&w)[R], const RowActivations &x,
                                           std::size_t column, Acc (&acc)[R][All], int from)
    {
        FoursProduct first, second;
        __m256 value[R][T]; // but for the scale of x
        const auto each = [](const auto &use) __attribute__((always_inline))
        {
            for (int r = 0; r < R; ++r)
                for (int t = 0; t < T; ++t)
                    use(r, t);
        };
        const auto times = [&](__m256i sum, int r, int side) {
            return _mm256_mul_ps(_mm256_cvtepi32_ps(sum), w[r].groups.scale[side]);
        };
        first.multiply(w, x.q + column, x.stride, 0);
        if constexpr (kBothSides) {
            each([&](int r, int t) { value[r][t] = times(first.lanes(r, t), r, 0); });
        } else if constexpr (kBy32) {
            __m256i total[R][T];
            each([&](int r, int t) { total[r][t] = first.lanes(r, t); });
            second.multiply(w, x.q + column, x.stride, 1);
            each([&](int r, int t) {
                value[r][t] = times(_mm256_add_epi32(total[r][t], second.lanes(r, t)), r, 0);
            });
        } else {
            each([&](int r, int t) { value[r][t] = times(first.lanes(r, t), r, 0); });
            second.multiply(w, x.q + column, x.stride, 1);
            each([&](int r, int t) {
                value[r][t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(second.lanes(r, t)),
                                              w[r].groups.scale[1], value[r][t]);
            });
        }
        for (int t = 0; t < T; ++t) {
            const std::size_t group = t * (x.stride / 16) + column / 16;
            const __m256 by = _mm256_loadu_ps(x.scale + group);
            __m256 sum = _mm256_loadu_ps(x.sum + group);
            const __m256 other = _mm256_loadu_ps(x.sum + group + 8);
            if constexpr (kBy32)
                sum = _mm256_add_ps(sum, other);
            for (int r = 0; r < R; ++r) {
                __m256 to = acc[r][from + t];
                if constexpr (kOffsets)
                    to = _mm256_fmadd_ps(w[r].groups.offset[0], sum, to);
                if constexpr (kOffsets && !kBy32)
                    to = _mm256_fmadd_ps(w[r].groups.offset[1], other, to);
                acc[r][from + t] = _mm256_fmadd_ps(value[r][t], by, to);
            }
        }
    }
};

/// A type whose codes are multiplied in the registers where they were decoded.
template <DType Type>
struct FormatInRegisters
{
    using Format = Registers<Type>;
    static constexpr bool kWide = fireside::cpu::isWide(Type);
    static_assert(kWide == Format::kSigned);

    static constexpr DType type() { return Type; }
    [[gnu::always_inline]] void decode(Bytes p, Chunk &c) const { ::decode<Type>(p, c); }

    static constexpr bool kOneScale = fireside::cpu::activationSpan(Type) == fireside::cpu::kChunk;
    static constexpr int rowsOfMany(int) { return kOneScale ? 1 : 2; }

    /// See turnsBits(): what sums begin with takes the place of offsets, which such types lack.
    [[gnu::always_inline]] void forPanel(Chunk &c) const requires(turnsBits<Type>())
    {
        const __m256i centre = _mm256_set1_epi8(static_cast<char>(Format::kCentre));
        const __m256i zero = _mm256_setzero_si256();
        const auto sums = [&](int b) { // of eight bytes each, in 64 bits
            const __m256i q = _mm256_sub_epi8(load256(c.q + 32 * b), centre);
            put256(c.q + 32 * b, q);
            return _mm256_sad_epu8(_mm256_and_si256(_mm256_abs_epi8(q), _mm256_cmpgt_epi8(zero, q)),
                                   zero);
        };
        const auto two = [&](int b) {
            const __m256i first = sums(b);
            return _mm256_or_si256(first, _mm256_slli_epi64(sums(b + 1), 32));
        };
        const auto four = [&](int b) { // sums of 16 in each half
            const __m256i first = two(b), second = two(b + 2);
            return _mm256_add_epi32(_mm256_unpacklo_epi64(first, second),
                                    _mm256_unpackhi_epi64(first, second));
        };
        for (int half = 0; half < 2; ++half) {
            const __m256i of16 = four(4 * half);
            const __m128i of32 =
                _mm_add_epi32(_mm256_castsi256_si128(of16), _mm256_extracti128_si256(of16, 1));
            put256(&c.offset[8 * half], _mm256_cvtepu32_epi64(of32)); // at each second group
        }
    }

    template <int T>
    [[gnu::always_inline]] void accumulate(Bytes p, Acc (&acc)[T], const RowActivations &x,
                                           std::size_t chunk) const
    {
        if constexpr (kOneScale)
            accumulateWhole<Type>(p, acc, x, chunk);
        else
            accumulateGroups(p, acc, x, chunk);
    }

    /// Several rows of weights, and four or eight of x.
    template <typename Rows, int R, int T>
    requires(T % 4 == 0 && !kOneScale)
        [[gnu::always_inline]] void accumulateRows(const Rows &w, std::size_t count,
                                                   Acc (&acc)[R][T], const RowActivations &x,
                                                   std::size_t first) const
    {
        for (std::size_t c = 0; c < count; ++c) {
            Fours rows[R];
            for (int r = 0; r < R; ++r) {
                const Bytes p = w.at(r, c);
                w.fetchAhead(p);
                decodeFours<Type>(p, rows[r]);
            }
            for (int t = 0; t < T; t += 4)
                FoursProduct<Type, R, 4>::add(rows, x, t * x.stride + (first + c) * 256, acc, t);
        }
    }

private:
    template <int T>
    [[gnu::always_inline]] void accumulateGroups(Bytes p, Acc (&acc)[T], const RowActivations &x,
                                                 std::size_t chunk) const
    {
        constexpr int kIn16 = sumsIn16(info(Type).codeBits);
        ChunkDots<kIn16, fireside::cpu::panelGroups(Type) == 8, T> dots;
        const std::int8_t *a = x.q + chunk * 256;
        foursOf<Type>(
            p, [&](int side, int i, __m256i q) __attribute__((always_inline)) {
                const std::int8_t *fours = a + placeOfFours(side, i);
                if constexpr (kByteDots) {
                    const __m256i centre = _mm256_set1_epi8(static_cast<char>(Format::kCentre));
                    const __m256i code = Format::kSigned ? _mm256_add_epi8(q, centre) : q;
                    for (int t = 0; t < T; ++t)
                        dots.add(t, side, i, dot4<kWide>(code, load256(fours + t * x.stride)));
                    return;
                }
                // Signed: magnitudes times activations that have the weight's sign, 128·127·2 <
                // 2¹⁵.
                const __m256i magnitude = Format::kSigned ? _mm256_abs_epi8(q) : q;
                for (int t = 0; t < T; ++t) {
                    const __m256i by = load256(fours + t * x.stride);
                    dots.add(t, side, i,
                             _mm256_maddubs_epi16(magnitude,
                                                  Format::kSigned ? _mm256_sign_epi8(by, q) : by));
                }
            });
        dots.finish(groupsOf<Type>(p), kByteDots || !Format::kSigned, acc, x, chunk);
    }
};

} // namespace
