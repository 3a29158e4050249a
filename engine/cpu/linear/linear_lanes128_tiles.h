#pragma once
// Products of byte panels and tiles in registers of 128 bits. Private to the including file (see
// tensor/unpack.h).
#include "engine/cpu/linear/linear_kernels.h"
#include "engine/cpu/linear/linear_lanes128_floats.h"
#include "engine/cpu/linear/linear_lanes128_formats.h"

#include <array>
#include <utility>

namespace {

using fireside::kPairSums;
using fireside::Shorts;
using fireside::cpu::BytePanel;
using fireside::cpu::ByteTile;
using fireside::cpu::nextPanel;

/// How codes of a type are multiplied. Less kCentre as signed bytes; or as they are where sums of
/// pairs in 16 bits are enough, which begin with −kCentre · Σ x: 16·127·16 for a group of 32
/// columns, 32·127·8 for one of 16.
template <DType Type>
struct SumsOf
{
    static constexpr int kGroupCount = fireside::cpu::panelGroups(Type); // in a chunk
    static constexpr int kBits = info(Type).codeBits;
    static constexpr bool kSigned = kPairSums ? kBits > (kGroupCount == 16 ? 6 : 5)
                                              : kBits > 7 || centreOf<Type>() != 0;
    static constexpr int kCentre = centreOf<Type>() != 0   ? centreOf<Type>()
                                   : kBits > 7             ? 128
                                   : kPairSums &&kBits > 4 ? 1 << (kBits - 1)
                                                           : 0;
    static constexpr bool kOffsets = centreOf<Type>() == 0; // not just −kCentre · scale
};

constexpr int kVectors = 4; // of weight rows
/// Whose sums the registers hold.
constexpr int kMostTokens = fireside::kRegisters == 32 ? 6 : 3;

/// One group of columns of a panel's rows and N tokens.
template <typename Sums, int N>
struct DotSums
{
    static constexpr int kSteps = 1; // of four columns that add() takes
    Ints sums[N][kVectors];

    /// x: Σ of the group as ByteTile::pairs, [., tokens].
    [[gnu::always_inline]] void begin(const std::int32_t *x, std::size_t tokens)
    {
        for (int t = 0; t < N; ++t) {
            Shorts from = {};
            if constexpr (!Sums::kSigned && Sums::kCentre != 0) {
                from = as<Shorts>(Ints{} + x[t]);
                if (Sums::kGroupCount == 8)
                    from += as<Shorts>(Ints{} + x[tokens + t]);
                from *= static_cast<std::int16_t>(-Sums::kCentre);
            }
            for (int r = 0; r < kVectors; ++r)
                sums[t][r] = as<Ints>(from);
        }
    }

    /// Four columns: w [16 rows, 4], x [tokens, 4].
    [[gnu::always_inline]] void add(const std::uint8_t *w, const std::int8_t *x, std::size_t)
    {
        Codes q[kVectors];
        for (int r = 0; r < kVectors; ++r)
            q[r] = load16(w + 16 * r) - allCodes(Sums::kSigned ? Sums::kCentre : 0);
        for (int t = 0; t < N; ++t) {
            const Codes by = as<Codes>(Ints{} + loadAs<int>(reinterpret_cast<Bytes>(x) + 4 * t));
            for (int r = 0; r < kVectors; ++r)
                sums[t][r] = fireside::addProducts<Sums::kSigned>(sums[t][r], q[r], by);
        }
    }

    [[gnu::always_inline]] Floats total(int t, int r) const
    {
        return fireside::toFloats(fireside::totals<Sums::kSigned>(sums[t][r]));
    }
};

#if defined(__ARM_FEATURE_MATMUL_INT8)
/// The same by products of two rows and two tokens; an odd last token comes twice.
template <typename Sums, int N>
struct MatrixSums
{
    static_assert(Sums::kSigned || Sums::kCentre == 0);
    static constexpr int kSteps = 2, kPairs = (N + 1) / 2;
    Ints sums[kPairs][kVectors][2]; // of rows 0 and 1, and 2 and 3 of each vector: [2, 2]

    [[gnu::always_inline]] void begin(const std::int32_t *, std::size_t)
    {
        for (auto &pair : sums)
            for (auto &vector : pair)
                vector[0] = vector[1] = Ints{};
    }

    /// Eight columns: w [2, 16 rows, 4], x [2, tokens, 4].
    [[gnu::always_inline]] void add(const std::uint8_t *w, const std::int8_t *x, std::size_t tokens)
    {
        const auto at = [x](std::size_t t) {
            return loadAs<int>(reinterpret_cast<Bytes>(x) + 4 * t);
        };
        Codes by[kPairs];
        for (int p = 0; p < kPairs; ++p) {
            const int first = 2 * p, second = first + 1 < N ? first + 1 : first;
            by[p] = as<Codes>(Ints{at(first), at(tokens + first), at(second), at(tokens + second)});
        }
        for (int r = 0; r < kVectors; ++r) {
            const Codes centre = allCodes(Sums::kSigned ? Sums::kCentre : 0);
            const Ints a = as<Ints>(load16(w + 16 * r) - centre);
            const Ints b = as<Ints>(load16(w + 64 + 16 * r) - centre);
            const Codes rows[2] = {as<Codes>(__builtin_shufflevector(a, b, 0, 4, 1, 5)),
                                   as<Codes>(__builtin_shufflevector(a, b, 2, 6, 3, 7))};
            for (int p = 0; p < kPairs; ++p)
                for (int h = 0; h < 2; ++h)
                    sums[p][r][h] = fireside::addMatrix(sums[p][r][h], rows[h], by[p]);
        }
    }

    [[gnu::always_inline]] Floats total(int t, int r) const
    {
        const auto &s = sums[t / 2][r];
        return fireside::toFloats(t % 2 == 0 ? __builtin_shufflevector(s[0], s[1], 0, 2, 4, 6)
                                             : __builtin_shufflevector(s[0], s[1], 1, 3, 5, 7));
    }
};
template <typename Sums, int N>
using GroupSums = MatrixSums<Sums, N>;
#else
template <typename Sums, int N>
using GroupSums = DotSums<Sums, N>;
#endif

/// Tokens [first, first + N) of a tile and a panel.
template <typename Sums, int N>
void multiplySome(const BytePanel &panel, const ByteTile &tile, std::size_t first,
                  std::size_t chunks, const TileOutput &output)
{
    constexpr int kSteps = 64 / Sums::kGroupCount;
    const std::size_t tokens = tile.tokens;
    const std::uint8_t *w = panel.q;
    const std::int8_t *x = tile.q + 4 * first;
    const std::int32_t *pairs = tile.pairs + first;
    const float *xScale = tile.scale + first;
    const float *sum = (Sums::kGroupCount == 16 ? tile.sum16 : tile.sum32) + first;
    const float *scale = panel.scale, *offset = panel.offset;
    Floats acc[N][kVectors] = {};
    for (std::size_t g = 0; g < Sums::kGroupCount * chunks; ++g) {
        GroupSums<Sums, N> sums;
        sums.begin(pairs, tokens);
#pragma GCC unroll 8
        for (int k = 0; k < kSteps; k += sums.kSteps) {
            sums.add(w + 64 * k, x, tokens);
            x += 4 * tokens * sums.kSteps;
        }
        for (int r = 0; r < kVectors; ++r) {
            const Floats s = fireside::load(scale + 4 * r);
            for (int t = 0; t < N; ++t)
                acc[t][r] =
                    fireside::multiplyAdd(sums.total(t, r) * s, broadcast(xScale[t]), acc[t][r]);
            if constexpr (Sums::kOffsets) {
                Floats o = fireside::load(offset + 4 * r);
                if constexpr (Sums::kCentre != 0)
                    o = fireside::multiplyAdd(s, broadcast(Sums::kCentre), o);
                for (int t = 0; t < N; ++t)
                    acc[t][r] = fireside::multiplyAdd(o, broadcast(sum[t]), acc[t][r]);
            }
        }
        w += 64 * kSteps;
        scale += 16;
        offset += 16;
        pairs += Sums::kGroupCount == 8 ? 2 * tokens : tokens;
        sum += tokens;
        if (Sums::kGroupCount == 8 || g % 2 == 1)
            xScale += tokens;
    }
    for (int t = 0; t < N; ++t)
        storeRows(output, first + static_cast<std::size_t>(t), acc[t]);
}

template <typename Sums>
void multiplyPanel(const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                   const TileOutput &output)
{
    using Kernel =
        void (*)(const BytePanel &, const ByteTile &, std::size_t, std::size_t, const TileOutput &);
    constexpr auto kKernels = []<int... N>(std::integer_sequence<int, N...>)
    {
        return std::array<Kernel, kMostTokens>{multiplySome<Sums, N + 1>...};
    }
    (std::make_integer_sequence<int, kMostTokens>());
    forEvenParts(tile.tokens, kMostTokens, [&](std::size_t t, std::size_t n) {
        kKernels[n - 1](panel, tile, t, chunks, output);
    });
}

void multiplyTile(DType type, const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                  const TileOutput &output)
{
    fireside::withCodeType(type, [&]<DType Type>() {
        if (output.rows <= kPanelRows)
            return multiplyPanel<SumsOf<Type>>(panel, tile, chunks, output);
        multiplyPanel<SumsOf<Type>>(panel, tile, chunks, ofPanel(output, 0));
        multiplyPanel<SumsOf<Type>>(nextPanel(panel), tile, chunks, ofPanel(output, 1));
    });
}

/// 32 numbers as bytes with their scale.
struct Bytes32
{
    Codes q[2];
    float scale;
};

/// 32 numbers, of which the first `left` are there; those behind are zero.
struct Floats32
{
    Floats v[8];

    Floats32(const float *from, std::size_t left)
    {
        float part[32] = {};
        if (left < 32) {
            std::memcpy(part, from, 4 * left);
            from = part;
        }
        for (int j = 0; j < 8; ++j)
            v[j] = fireside::load(from + 4 * j);
    }
    /// The bits of the largest size. As integers: their maximum is NaN when there is one, so that
    /// it reaches the products.
    std::int32_t most() const
    {
        Ints top = {};
        for (const Floats x : v) {
            const Ints size = as<Ints>(x) & 0x7fffffff;
            top = size > top ? size : top;
        }
        std::int32_t bits = top[0];
        for (int lane = 1; lane < 4; ++lane)
            bits = top[lane] > bits ? top[lane] : bits;
        return bits;
    }
};

/// 127 stands for the number with the bits `top`.
inline Bytes32 toBytes(const Floats32 &x, std::int32_t top)
{
    const float most = asFloat(static_cast<std::uint32_t>(top));
    const Floats inverse = broadcast(most > 0.0f ? 127.0f / most : 0.0f);
    Ints w[8];
    for (int j = 0; j < 8; ++j)
        w[j] = fireside::toInts(x.v[j] * inverse);
    return {
        {fireside::narrowed(w[0], w[1], w[2], w[3]), fireside::narrowed(w[4], w[5], w[6], w[7])},
        most / 127.0f};
}

/// Σ of 16 bytes in two parts of 16 bits: of columns 0 and 1 of each four, and of 2 and 3.
inline std::int32_t pairSums(Codes bytes)
{
    Shorts sums = fireside::pairsOf(bytes);
    sums += __builtin_shufflevector(sums, sums, 4, 5, 6, 7, 0, 1, 2, 3);
    sums += __builtin_shufflevector(sums, sums, 2, 3, 0, 1, 6, 7, 4, 5);
    return as<Ints>(sums)[0];
}
inline int sumOfPairs(std::int32_t pairs)
{
    return static_cast<std::int16_t>(pairs) + (pairs >> 16);
}

void quantizeRow(const float *x, std::size_t n, std::size_t span, std::int8_t *q, float *scale,
                 float *sum)
{
    const auto from = [&](std::size_t i) {
        return Floats32(x + (i < n ? i : 0), i < n ? n - i : 0);
    };
    std::int32_t most = 0;
    for (std::size_t i = 0; i < (n + 255) / 256 * 256; i += 32) {
        if (i % span == 0) {
            most = 0;
            for (std::size_t j = i; j < i + span && j < n; j += 32) {
                const std::int32_t here = from(j).most();
                most = here > most ? here : most;
            }
        }
        const Bytes32 bytes = toBytes(from(i), most);
        const std::size_t at = i / 128 * 8 + i / 32 % 4; // the first group's place
        for (std::size_t h = 0; h < 2; ++h) {
            put16(q + i + 16 * h, bytes.q[h]);
            scale[at + 4 * h] = bytes.scale;
            sum[at + 4 * h] = bytes.scale * static_cast<float>(sumOfPairs(pairSums(bytes.q[h])));
        }
    }
}

void quantizeTile(const float *x, std::size_t xStride, std::size_t n, const ByteTile &tile)
{
    const std::size_t tokens = tile.tokens;
    for (std::size_t i = 0; i < (n + 255) / 256 * 256; i += 32)
        for (std::size_t t = 0; t < tokens; ++t) {
            const Floats32 from(x + t * xStride + (i < n ? i : 0), i < n ? n - i : 0);
            const Bytes32 bytes = toBytes(from, from.most());
            const std::size_t group = i / 32 * tokens + t;
            int all = 0;
            for (std::size_t h = 0; h < 2; ++h) {
                std::int8_t q[16];
                put16(q, bytes.q[h]);
                for (std::size_t k = 0; k < 4; ++k)
                    std::memcpy(tile.q + (i / 4 + 4 * h + k) * 4 * tokens + 4 * t, q + 4 * k, 4);
                const std::size_t half = (i / 16 + h) * tokens + t;
                tile.pairs[half] = pairSums(bytes.q[h]);
                const int sum = sumOfPairs(tile.pairs[half]);
                tile.sum16[half] = bytes.scale * static_cast<float>(sum);
                all += sum;
            }
            tile.scale[group] = bytes.scale;
            tile.sum32[group] = bytes.scale * static_cast<float>(all);
        }
}

} // namespace
