#pragma once
// Byte dot products of a chunk of a row and rows of x in registers of 128 bits. Private to the
// including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_kernels.h"
#include "engine/cpu/linear/linear_lanes128_formats.h"

namespace {

using fireside::dot;
using fireside::joined;
using fireside::multiplyAdd;
using fireside::toFloats;
using fireside::cpu::RowActivations;

/// Two chains of sums, so that additions need not wait for each other.
struct Acc
{
    Floats chain[2];
};
inline Acc zeroAcc()
{
    return {{fireside::zeros(), fireside::zeros()}};
}
inline float sumAcc(const Acc &acc)
{
    return fireside::sumOf(acc.chain[0] + acc.chain[1]);
}

/// A chunk times T rows of x, whose scales and sums are, of each eight groups of 16, those of the
/// even ones first. N as in Groups: sums of four 32s are joined to one vector, or of their first
/// and of their second 16s to two. Bits: of a code.
template <int N, bool Signed, int Bits, int T>
struct ChunkDots
{
    static constexpr int kJoined = N / 2;
    Ints pending[T][kJoined][4];

    [[gnu::always_inline]] void add(int t, int b, Codes low, Codes high, const std::int8_t *x)
    {
        if constexpr (N == 2) {
            pending[t][0][b % 4] = dot<Signed, Bits>(low, load16(x), high, load16(x + 16));
        } else {
            pending[t][0][b % 4] = dot<Signed>(low, load16(x));
            pending[t][1][b % 4] = dot<Signed>(high, load16(x + 16));
        }
    }

    /// After the last of four 32s; half: of the chunk. scale and sum of x: of this half.
    [[gnu::always_inline]] void finish(int t, int half, const Groups<N> &g, bool offsets,
                                       const float *scale, const float *sum, Acc &acc)
    {
        for (int i = 0; i < kJoined; ++i) {
            const auto &p = pending[t][i];
            const Floats total = toFloats(joined(p[0], p[1], p[2], p[3]));
            const Floats by = g.scale[kJoined * half + i] * fireside::load(scale + 4 * i);
            acc.chain[0] = multiplyAdd(total, by, acc.chain[0]);
            if (!offsets)
                continue;
            Floats x = fireside::load(sum + 4 * i);
            if (N == 2)
                x += fireside::load(sum + 4);
            acc.chain[1] = multiplyAdd(g.offset[kJoined * half + i], x, acc.chain[1]);
        }
    }
};

/// Dots of a chunk whose codes `each` hands to its argument as codes() does.
template <int N, bool Signed, int Bits, int T, typename Each>
[[gnu::always_inline]] inline void dotsOfChunk(const Groups<N> &groups, bool offsets, Acc (&acc)[T],
                                               const RowActivations &x, std::size_t chunk,
                                               const Each &each)
{
    ChunkDots<N, Signed, Bits, T> dots;
    const std::int8_t *q = x.q + chunk * 256;
    each([&](int b, Codes low, Codes high) __attribute__((always_inline)) {
        for (int t = 0; t < T; ++t) {
            dots.add(t, b, low, high, q + t * x.stride + 32 * b);
            const std::size_t group = t * (x.stride / 16) + chunk * 16 + b / 4 * 8;
            if (b % 4 == 3)
                dots.finish(t, b / 4, groups, offsets, x.scale + group, x.sum + group, acc[t]);
        }
    });
}

// Wide: codes may exceed 127, so 128 is taken off and comes back with the offsets.
template <bool Wide, int T>
inline void accumulate(Acc (&acc)[T], const Chunk &c, const RowActivations &x, std::size_t chunk)
{
    Groups<4> groups;
    for (int half = 0; half < 2; ++half) {
        const auto split = [half](const float *from, Floats(&to)[4]) {
            const Floats a = fireside::load(from + 8 * half),
                         b = fireside::load(from + 8 * half + 4);
            to[2 * half] = __builtin_shufflevector(a, b, 0, 2, 4, 6);
            to[2 * half + 1] = __builtin_shufflevector(a, b, 1, 3, 5, 7);
        };
        split(c.scale, groups.scale);
        split(c.offset, groups.offset);
    }
    if (Wide)
        for (int i = 0; i < 4; ++i)
            groups.offset[i] = multiplyAdd(groups.scale[i], broadcast(128), groups.offset[i]);
    const Codes off = allCodes(Wide ? 128 : 0);
    dotsOfChunk<4, Wide, 8>(groups, true, acc, x, chunk, [&](const auto &use) {
        for (int b = 0; b < 8; ++b)
            use(b, load16(c.q + 32 * b) - off, load16(c.q + 32 * b + 16) - off);
    });
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
        dotsOfChunk<kVectorsOf<Type>, Format::kSigned, info(Type).codeBits>(
            groupsOf<Type>(p), !Format::kSigned, acc, x,
            chunk, [p](const auto &use) __attribute__((always_inline)) { Format::codes(p, use); });
    }
};

} // namespace
