#pragma once
// Decoders for registers of 128 bits (simd/bytes128.h). Private to the including file (see
// tensor/unpack.h).
#include "engine/cpu/simd/bytes128.h"
#include "engine/tensor/unpack.h"

namespace {

using fireside::allCodes;
using fireside::as;
using fireside::broadcast;
using fireside::Codes;
using fireside::Floats;
using fireside::Ints;
using fireside::load16;
using fireside::lookUp;
using fireside::put16;
using fireside::shiftedLeft;
using fireside::shiftedRight;
using fireside::widened;

/// Of the groups of a chunk. N = 2: of 32, in order. N = 4: of 16, of each eight first the even
/// ones.
template <int N>
struct Groups
{
    Floats scale[N], offset[N];
};

template <DType Type>
constexpr int kVectorsOf = info(Type).scaleElements == 16 ? 4 : 2;

/// A type whose codes are decoded in registers, 32 at a time:
///   kCentre                the code of zero, where offset = −kCentre · scale; else 0
///   kSigned                codes() gives values, −kCentre to 255 − kCentre, instead
///   groups(p, Groups &)    scales, and offsets where kCentre is 0
///   codes(p, use)          calls use(b, first 16, second 16) for each 32, in order
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
inline Groups<kVectorsOf<Type>> groupsOf(Bytes p)
{
    Groups<kVectorsOf<Type>> g;
    Registers<Type>::groups(p, g);
    if constexpr (centreOf<Type>() != 0)
        for (int i = 0; i < kVectorsOf<Type>; ++i)
            g.offset[i] = g.scale[i] * broadcast(-float{Registers<Type>::kCentre});
    return g;
}

/// Types without a decoder of their own here have the plain one.
template <DType Type>
inline void decode(Bytes p, Chunk &c)
{
    if constexpr (InRegisters<Type>) {
        using Format = Registers<Type>;
        const Codes centre = allCodes(Format::kSigned ? Format::kCentre : 0);
        Format::codes(p, [&](int b, Codes low, Codes high) {
            put16(c.q + 32 * b, low + centre);
            put16(c.q + 32 * b + 16, high + centre);
        });
        constexpr int N = kVectorsOf<Type>;
        const Groups<N> g = groupsOf<Type>(p);
        for (int i = 0; i < 16; ++i) {
            const int from = N == 2 ? i / 8 : i / 8 * 2 + i % 2, lane = i % 8 / 2;
            c.scale[i] = g.scale[from][lane];
            c.offset[i] = g.offset[from][lane];
        }
    } else {
        unpack<Type>(p, c);
    }
}

// The halves at the same place of eight blocks.
template <std::size_t BlockBytes>
inline void eightHalves(Bytes p, Floats (&out)[2])
{
    std::uint16_t halves[8];
    for (std::size_t b = 0; b < 8; ++b)
        halves[b] = loadAs<std::uint16_t>(p + b * BlockBytes);
    out[0] = fireside::load(halves);
    out[1] = fireside::load(halves + 4);
}

/// Calls use with the b-th low and high nibbles of 16 bytes each, `Stride` bytes apart.
template <std::size_t Stride, typename Use>
[[gnu::always_inline]] inline void eightNibbles(Bytes p, const Use &use)
{
    const Codes mask = allCodes(15);
#pragma GCC unroll 8
    for (int b = 0; b < 8; ++b) {
        const Codes raw = load16(p + Stride * static_cast<std::size_t>(b));
        use(b, raw & mask, shiftedRight<4>(raw) & mask);
    }
}
/// The same as values of a table plus an offset.
template <std::size_t Stride, typename Use>
[[gnu::always_inline]] inline void eightLookUps(Bytes p, const std::int8_t *table, int offset,
                                                const Use &use)
{
    const Codes values = load16(table) + allCodes(offset);
    eightNibbles<Stride>(
        p, [&](int b, Codes low, Codes high) __attribute__((always_inline)) {
            use(b, lookUp(values, low), lookUp(values, high));
        });
}

/// 16 in each byte whose bit of the word's first or second half is set.
template <int Half>
inline Codes fifthBits(std::uint32_t word)
{
    constexpr std::uint8_t a = 2 * Half, b = a + 1;
    const Codes bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const Codes spread = lookUp(as<Codes>(fireside::Words{word}),
                                Codes{a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b});
    return as<Codes>((spread & bit) == bit) & allCodes(16);
}
template <std::size_t Stride, typename Use>
[[gnu::always_inline]] inline void eightFives(Bytes p, Bytes fifths, const Use &use)
{
    eightNibbles<Stride>(
        p, [&](int b, Codes low, Codes high) __attribute__((always_inline)) {
            const auto word = loadAs<std::uint32_t>(fifths + Stride * static_cast<std::size_t>(b));
            use(b, low | fifthBits<0>(word), high | fifthBits<1>(word));
        });
}

template <>
struct Registers<DType::Q8_0>
{
    static constexpr int kCentre = 128;
    static constexpr bool kSigned = true;
    static void groups(Bytes p, Groups<2> &g) { eightHalves<34>(p, g.scale); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, load16(p + 34 * b + 2), load16(p + 34 * b + 18));
    }
};

template <>
struct Registers<DType::Q4_0>
{
    static constexpr int kCentre = 8;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<2> &g) { eightHalves<18>(p, g.scale); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        eightNibbles<18>(p + 2, use);
    }
};

template <>
struct Registers<DType::Q4_1>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<2> &g)
    {
        eightHalves<20>(p, g.scale);
        eightHalves<20>(p + 2, g.offset);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        eightNibbles<20>(p + 4, use);
    }
};

template <>
struct Registers<DType::Q5_0>
{
    static constexpr int kCentre = 16;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<2> &g) { eightHalves<22>(p, g.scale); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        eightFives<22>(p + 6, p + 2, use);
    }
};

template <>
struct Registers<DType::Q5_1>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<2> &g)
    {
        eightHalves<24>(p, g.scale);
        eightHalves<24>(p + 2, g.offset);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        eightFives<24>(p + 8, p + 4, use);
    }
};

// Scales and minimums of eight groups in six bits each.
inline void sixBitGroups(Bytes p, Groups<2> &g)
{
    const SixBitPairs pairs = sixBitPairs(p + 4);
    std::uint64_t both[2] = {pairs.scales, pairs.minimums};
    Floats values[4];
    widened(load16(both), values);
    const Floats d = broadcast(halfValue(loadAs<std::uint16_t>(p)));
    const Floats minimum = broadcast(-halfValue(loadAs<std::uint16_t>(p + 2)));
    for (int i = 0; i < 2; ++i) {
        g.scale[i] = values[i] * d;
        g.offset[i] = values[2 + i] * minimum;
    }
}

template <>
struct Registers<DType::Q4_K>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<2> &g) { sixBitGroups(p, g); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const Codes mask = allCodes(15);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const Codes a = load16(p + 16 + 32 * j), b = load16(p + 32 + 32 * j);
            use(2 * j, a & mask, b & mask);
            use(2 * j + 1, shiftedRight<4>(a) & mask, shiftedRight<4>(b) & mask);
        }
    }
};

template <>
struct Registers<DType::Q5_K>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<2> &g) { sixBitGroups(p, g); }
    template <int Bit> // of each byte, as 16
    static Codes fifth(Codes bits)
    {
        if constexpr (Bit < 4)
            return shiftedLeft<4 - Bit>(bits) & allCodes(16);
        return shiftedRight<Bit - 4>(bits) & allCodes(16);
    }
    template <int J, typename Use>
    [[gnu::always_inline]] static void part(Bytes p, const Use &use)
    {
        const Codes mask = allCodes(15), first = load16(p + 16), second = load16(p + 32);
        const Codes a = load16(p + 48 + 32 * J), b = load16(p + 64 + 32 * J);
        use(2 * J, (a & mask) | fifth<2 * J>(first), (b & mask) | fifth<2 * J>(second));
        use(2 * J + 1, (shiftedRight<4>(a) & mask) | fifth<2 * J + 1>(first),
            (shiftedRight<4>(b) & mask) | fifth<2 * J + 1>(second));
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        part<0>(p, use);
        part<1>(p, use);
        part<2>(p, use);
        part<3>(p, use);
    }
};

// Sixteen signed bytes times a factor.
inline void sixteenGroups(Codes bytes, float factor, Floats (&out)[4])
{
    const Codes evenFirst = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};
    widened(lookUp(bytes, evenFirst), out);
    for (Floats &four : out)
        four *= broadcast(factor);
}

template <>
struct Registers<DType::Q6_K>
{
    static constexpr int kCentre = 32;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<4> &g)
    {
        sixteenGroups(load16(p + 192), halfValue(loadAs<std::uint16_t>(p + 208)), g.scale);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const Codes low = allCodes(15), high = allCodes(48);
        const auto join = [&](Codes four, Codes two) { return (four & low) | (two & high); };
#pragma GCC unroll 2
        for (int n = 0; n < 2; ++n) {
            const Bytes four = p + 64 * n;
            const Codes h0 = load16(p + 128 + 32 * n), h1 = load16(p + 144 + 32 * n);
            const Codes a = load16(four), b = load16(four + 16);
            const Codes c = load16(four + 32), d = load16(four + 48);
            use(4 * n, join(a, shiftedLeft<4>(h0)), join(b, shiftedLeft<4>(h1)));
            use(4 * n + 1, join(c, shiftedLeft<2>(h0)), join(d, shiftedLeft<2>(h1)));
            use(4 * n + 2, join(shiftedRight<4>(a), h0), join(shiftedRight<4>(b), h1));
            use(4 * n + 3, join(shiftedRight<4>(c), shiftedRight<2>(h0)),
                join(shiftedRight<4>(d), shiftedRight<2>(h1)));
        }
    }
};

template <>
struct Registers<DType::IQ4_NL>
{
    static constexpr int kCentre = kIq4Offset;
    static constexpr bool kSigned = true;
    static void groups(Bytes p, Groups<2> &g) { eightHalves<18>(p, g.scale); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        eightLookUps<18>(p + 2, kIq4Values, 0, use);
    }
};

template <>
struct Registers<DType::IQ4_XS>
{
    static constexpr int kCentre = kIq4Offset;
    static constexpr bool kSigned = true;
    static void groups(Bytes p, Groups<2> &g)
    {
        // Six bits a group: four of one word, two of another.
        const std::uint32_t fours = loadAs<std::uint32_t>(p + 4),
                            twos = loadAs<std::uint16_t>(p + 2);
        const float d = halfValue(loadAs<std::uint16_t>(p));
        float scales[8];
        for (int b = 0; b < 8; ++b) {
            const std::uint32_t step = ((fours >> (4 * b)) & 15u) | (((twos >> (2 * b)) & 3u) << 4);
            scales[b] = d * static_cast<float>(static_cast<int>(step) - 32);
        }
        g.scale[0] = fireside::load(scales);
        g.scale[1] = fireside::load(scales + 4);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        eightLookUps<16>(p + 8, kIq4Values, 0, use);
    }
};

template <>
struct Registers<DType::MXFP4>
{
    static constexpr int kCentre = kFp4Offset;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<2> &g)
    {
        float scales[8];
        for (int b = 0; b < 8; ++b)
            scales[b] = fp4Scale(p[17 * b]);
        g.scale[0] = fireside::load(scales);
        g.scale[1] = fireside::load(scales + 4);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        eightLookUps<17>(p + 1, kFp4Values, kFp4Offset, use);
    }
};

/// Codes of two bits, the first of each byte first, of two times 32 bytes.
template <typename Use>
[[gnu::always_inline]] inline void twoBits(Bytes p, const Use &use)
{
    const Codes three = allCodes(3);
#pragma GCC unroll 2
    for (int n = 0; n < 2; ++n) {
        const Codes a = load16(p + 32 * n), b = load16(p + 32 * n + 16);
        use(4 * n, a & three, b & three);
        use(4 * n + 1, shiftedRight<2>(a) & three, shiftedRight<2>(b) & three);
        use(4 * n + 2, shiftedRight<4>(a) & three, shiftedRight<4>(b) & three);
        use(4 * n + 3, shiftedRight<6>(a) & three, shiftedRight<6>(b) & three);
    }
}

template <>
struct Registers<DType::Q2_K>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<4> &g)
    {
        const Codes scales = load16(p), mask = allCodes(15);
        sixteenGroups(scales & mask, halfValue(loadAs<std::uint16_t>(p + 80)), g.scale);
        sixteenGroups(shiftedRight<4>(scales) & mask, -halfValue(loadAs<std::uint16_t>(p + 82)),
                      g.offset);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        twoBits(p + 16, use);
    }
};

template <>
struct Registers<DType::TQ2_0>
{
    static constexpr int kCentre = 1;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<2> &g)
    {
        g.scale[0] = g.scale[1] = broadcast(halfValue(loadAs<std::uint16_t>(p + 64)));
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        twoBits(p, use);
    }
};

template <>
struct Registers<DType::Q3_K>
{
    static constexpr int kCentre = 4;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups<4> &g)
    {
        const SixBitSteps steps = sixBitSteps(p + 96);
        const std::uint64_t both[2] = {steps.first, steps.second};
        sixteenGroups(load16(both) - allCodes(32), halfValue(loadAs<std::uint16_t>(p + 108)),
                      g.scale);
    }
    template <int Bit> // of each byte, as 4
    static Codes third(Codes bits)
    {
        if constexpr (Bit < 2)
            return shiftedLeft<2 - Bit>(bits) & allCodes(4);
        return shiftedRight<Bit - 2>(bits) & allCodes(4);
    }
    template <int B, typename Use>
    [[gnu::always_inline]] static void part(Bytes p, const Use &use)
    {
        const Codes three = allCodes(3);
        const Codes a = load16(p + 32 + 32 * (B / 4)), b = load16(p + 48 + 32 * (B / 4));
        use(B, (shiftedRight<2 * (B % 4)>(a) & three) | third<B>(load16(p)),
            (shiftedRight<2 * (B % 4)>(b) & three) | third<B>(load16(p + 16)));
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        part<0>(p, use);
        part<1>(p, use);
        part<2>(p, use);
        part<3>(p, use);
        part<4>(p, use);
        part<5>(p, use);
        part<6>(p, use);
        part<7>(p, use);
    }
};

} // namespace
