#pragma once
// AVX2 products of byte panels and tiles. Products of bytes are summed in 16 bits for a whole group
// of columns where that can be, with AVX-VNNI in 32. Private to the including file (see
// tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_floats.h"
#include "engine/cpu/linear/linear_avx2_formats.h"
#include "engine/cpu/linear/linear_avx2_rows.h"
#include "engine/cpu/linear/linear_kernels.h"

#include <array>
#include <utility>

namespace {

using fireside::cpu::BytePanel;
using fireside::cpu::ByteTile;
using fireside::cpu::kByteBlock;
using fireside::cpu::kChunk;
using fireside::cpu::kFactors;
using fireside::cpu::nextPanel;

/// How codes of a type are multiplied. A sum of their products begins with −kCentre · Σ x, so that
/// it is one of codes less kCentre, which fits in 16 bits: 16·127·16 for a group of 32 columns,
/// 32·127·8 for one of 16. Wide: codes of more bits, of whose products only two fit, 128·127·2.
template <DType Type>
struct SumsOf
{
    static constexpr int kGroupCount = fireside::cpu::panelGroups(Type); // in a chunk
    static constexpr int kBits = info(Type).codeBits;
    static constexpr bool kWide = !kByteDots && kBits > (kGroupCount == 16 ? 6 : 5);
    static constexpr bool kTurned = turnsBits<Type>();
    static constexpr int kCentre = centreOf<Type>() != 0     ? centreOf<Type>()
                                   : kByteDots || kBits <= 4 ? 0
                                                             : 1 << (kBits - 1);
    static constexpr bool kInLanes = kByteDots || kWide;    // sums are of 32 bits
    static constexpr bool kOffsets = centreOf<Type>() == 0; // not just −kCentre · scale
};

/// One group of columns of 8 · R rows and N tokens.
template <typename Sums, int N, int R>
struct GroupSums
{
    __m256i sums[N][R]; // of pairs of columns in 16 bits, or (wide, dots) of four in 32

    /// x: Σ of the group as ByteTile::pairs, [., tokens]. turned: see turnsBits().
    [[gnu::always_inline]] void begin(const std::int32_t *x, std::size_t tokens,
                                      const float *turned)
    {
        if constexpr (Sums::kTurned) {
            for (int r = 0; r < R; ++r) {
                const __m256i from = load256(turned + 8 * r);
                for (int t = 0; t < N; ++t)
                    sums[t][r] = from;
            }
            return;
        }
#pragma GCC unroll 6
        for (int t = 0; t < N; ++t) {
            __m256i from = _mm256_setzero_si256();
            if constexpr (!Sums::kWide && Sums::kCentre != 0) {
                from = _mm256_set1_epi32(x[t]);
                if (Sums::kGroupCount == 8)
                    from = _mm256_add_epi16(from, _mm256_set1_epi32(x[tokens + t]));
                from = timesCentre(from);
            }
            for (int r = 0; r < R; ++r)
                sums[t][r] = from;
        }
    }

    /// Four columns: w [8 · R rows, 4], x [tokens, 4].
    [[gnu::always_inline]] void add(const std::uint8_t *w, const std::int8_t *x)
    {
        __m256i q[R], size[R];
        for (int r = 0; r < R; ++r) {
            q[r] = load256(w + 32 * r);
            if constexpr (Sums::kTurned) {
                size[r] = _mm256_abs_epi8(q[r]);
                q[r] = _mm256_cmpgt_epi8(_mm256_setzero_si256(), q[r]);
            } else if constexpr (Sums::kWide) {
                q[r] = _mm256_sub_epi8(q[r], _mm256_set1_epi8(static_cast<char>(Sums::kCentre)));
                size[r] = _mm256_abs_epi8(q[r]);
            }
        }
#pragma GCC unroll 6
        for (int t = 0; t < N; ++t) {
            const __m256i by = _mm256_set1_epi32(loadAs<int>(reinterpret_cast<Bytes>(x) + 4 * t));
            for (int r = 0; r < R; ++r) {
                __m256i &sum = sums[t][r];
                if constexpr (kByteDots)
                    sum = addDot4(sum, q[r], by);
                else if constexpr (Sums::kTurned)
                    sum = _mm256_add_epi32(sum, pairsToLanes(_mm256_maddubs_epi16(
                                                    size[r], _mm256_xor_si256(by, q[r]))));
                else if constexpr (Sums::kWide)
                    sum = _mm256_add_epi32(sum, pairsToLanes(_mm256_maddubs_epi16(
                                                    size[r], _mm256_sign_epi8(by, q[r]))));
                else
                    sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(q[r], by));
                // In this order: many products at once do not fit the registers.
                asm("" : "+x"(sum));
            }
        }
    }

    /// −kCentre · sums in 16 bits, of which dots make one.
    [[gnu::always_inline]] static __m256i timesCentre(__m256i x)
    {
        constexpr int kBits = __builtin_ctz(Sums::kCentre);
        if constexpr (!kByteDots && Sums::kCentre == 1 << kBits) // shifts have ports of their own
            return _mm256_sub_epi16(_mm256_setzero_si256(), _mm256_slli_epi16(x, kBits));
        const __m256i centre = _mm256_set1_epi16(-Sums::kCentre);
        return kByteDots ? _mm256_madd_epi16(x, centre) : _mm256_mullo_epi16(x, centre);
    }

    /// times · the sum, where sums are of 16 bits.
    [[gnu::always_inline]] __m256 total(int t, int r, const std::int32_t *times) const
    {
        return _mm256_cvtepi32_ps(
            Sums::kInLanes ? sums[t][r] : _mm256_madd_epi16(sums[t][r], _mm256_set1_epi32(*times)));
    }
};

/// A sum of factors as what it is with block scales.
inline __m256 timesTop(__m256 sum, const float *top)
{
    const __m256 parts = _mm256_mul_ps(sum, _mm256_set1_ps(1 / (127 * kFactors)));
    return _mm256_mul_ps(parts, _mm256_broadcast_ss(top));
}

/// Tokens [first, first + N) of a tile and a panel.
template <typename Sums, int N>
void multiplySome(const BytePanel &panel, const ByteTile &tile, std::size_t first,
                  std::size_t chunks, const TileOutput &output)
{
    constexpr int R = 2;
    constexpr int kSteps = 64 / Sums::kGroupCount;
    const std::size_t tokens = tile.tokens;
    const std::uint8_t *w = panel.q;
    const std::int8_t *x = tile.q + 4 * first;
    const std::int32_t *pairs = tile.pairs + first;
    const float *xScale = tile.scale + first;
    const std::int32_t *factor = tile.factor + first;
    const float *sum = (Sums::kGroupCount == 16 ? tile.sum16 : tile.sum32) + first;
    const float *scale = panel.scale, *offset = panel.offset;
    __m256 acc[N][R];
    for (auto &token : acc)
        for (__m256 &value : token)
            value = _mm256_setzero_ps();
    for (std::size_t g = 0; g < Sums::kGroupCount * chunks; ++g) {
        GroupSums<Sums, N, R> sums;
        sums.begin(pairs, tokens, offset);
#pragma GCC unroll 8
        for (int k = 0; k < kSteps; ++k) {
            sums.add(w + 64 * k, x);
            x += 4 * tokens;
        }
        for (int r = 0; r < R; ++r) {
            const __m256 s = _mm256_loadu_ps(scale + 8 * r);
#pragma GCC unroll 6
            for (int t = 0; t < N; ++t) {
                __m256 total = sums.total(t, r, factor + t);
                if constexpr (Sums::kInLanes)
                    total = _mm256_mul_ps(total, _mm256_broadcast_ss(xScale + t));
                acc[t][r] = _mm256_fmadd_ps(total, s, acc[t][r]);
            }
            if constexpr (Sums::kOffsets) {
                __m256 o = _mm256_loadu_ps(offset + 8 * r);
                if constexpr (Sums::kCentre != 0)
                    o = _mm256_fmadd_ps(s, _mm256_set1_ps(Sums::kCentre), o);
#pragma GCC unroll 6
                for (int t = 0; t < N; ++t)
                    acc[t][r] = _mm256_fmadd_ps(o, _mm256_broadcast_ss(sum + t), acc[t][r]);
            }
        }
        w += 64 * kSteps;
        scale += 16;
        offset += 16;
        pairs += Sums::kGroupCount == 8 ? 2 * tokens : tokens;
        sum += tokens;
        if (Sums::kGroupCount == 8 || g % 2 == 1) {
            xScale += tokens;
            factor += tokens;
        }
    }
#pragma GCC unroll 6
    for (int t = 0; t < N; ++t)
#pragma GCC unroll 2
        for (int r = 0; r < R; ++r)
            storeHalf(output, first + static_cast<std::size_t>(t), r,
                      kByteDots ? acc[t][r] : timesTop(acc[t][r], tile.top + first + t));
}

template <typename Sums>
void multiplyPanel(const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                   const TileOutput &output)
{
    using Kernel =
        void (*)(const BytePanel &, const ByteTile &, std::size_t, std::size_t, const TileOutput &);
    constexpr std::size_t kMost = 6; // whose sums the registers hold
    constexpr auto kKernels = []<int... N>(std::integer_sequence<int, N...>)
    {
        return std::array<Kernel, kMost>{multiplySome<Sums, N + 1>...};
    }
    (std::make_integer_sequence<int, kMost>());
    for (std::size_t t = 0; t < tile.tokens;) { // in even parts
        const std::size_t left = tile.tokens - t, parts = (left + kMost - 1) / kMost;
        const std::size_t n = (left + parts - 1) / parts;
        kKernels[n - 1](panel, tile, t, chunks, output);
        t += n;
    }
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

/// 32 numbers, of which the first `left` are there; those behind are zero.
struct Floats32
{
    __m256 v[4];

    Floats32(const float *from, std::size_t left)
    {
        alignas(32) float part[32] = {};
        if (left < 32) {
            std::memcpy(part, from, 4 * left);
            from = part;
        }
        for (int j = 0; j < 4; ++j)
            v[j] = _mm256_loadu_ps(from + 8 * j);
    }
    /// The bits of the largest size. As integers: their maximum is NaN when there is one, so that
    /// it reaches the products.
    std::int32_t most() const
    {
        const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
        __m256i top = _mm256_setzero_si256();
        for (const __m256 x : v)
            top = _mm256_max_epi32(top, _mm256_and_si256(magnitude, _mm256_castps_si256(x)));
        __m128i m = _mm_max_epi32(_mm256_castsi256_si128(top), _mm256_extracti128_si256(top, 1));
        m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
        m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1));
        return _mm_cvtsi128_si32(m);
    }
};

/// The number with these bits.
inline float numberOf(std::int32_t bits)
{
    return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(bits)));
}
/// top / `most`, or 0.
inline float inverseOf(float most, float top)
{
    return most > 0.0f ? top / most : 0.0f;
}

/// Rounded up, so that no byte is beyond 127, to at least 1. Of what is not finite top alone tells.
inline std::int32_t factorOf(float parts)
{
    const __m128 from = _mm_set_ss(parts);
    const __m128 within = _mm_max_ss(_mm_min_ss(from, _mm_set_ss(kFactors)), _mm_set_ss(1.0f));
    return _mm_cvttss_si32(_mm_ceil_ss(within, within));
}

/// Bytes, of which 1 stands for 1 / inverse.
inline __m256i toBytes(const Floats32 &x, float inverse)
{
    __m256i w[4];
    for (int j = 0; j < 4; ++j)
        w[j] = _mm256_cvtps_epi32(_mm256_mul_ps(x.v[j], _mm256_set1_ps(inverse)));
    const __m256i narrow =
        _mm256_packs_epi16(_mm256_packs_epi32(w[0], w[1]), _mm256_packs_epi32(w[2], w[3]));
    const __m256i order = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
    return _mm256_permutevar8x32_epi32(narrow, order);
}

/// Each lane: Σ of its half of 32 bytes, of columns 0 and 1 of each four and of 2 and 3.
inline __m256i pairsOf(__m256i bytes)
{
    __m256i sums = _mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes);
    sums = _mm256_add_epi16(sums, _mm256_shuffle_epi32(sums, 0x4e));
    return _mm256_add_epi16(sums, _mm256_shuffle_epi32(sums, 0xb1));
}

/// Where foursOf() finds a column of a chunk.
std::size_t placeOfColumn(std::size_t column)
{
    const std::size_t odd = column / 32 % 2, second = column / 16 % 2;
    const std::size_t j = column / 64, i = column / 4 % 4;
    return 128 * (odd ^ second) + 32 * i + 16 * odd + 4 * j + column % 4;
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
        const __m256i bytes = toBytes(from(i), inverseOf(numberOf(most), 127));
        const float byteScale = numberOf(most) / 127.0f;
        const std::size_t chunk = i / kChunk, odd = i / 32 % 2;
        if (span == kChunk) {
            put256(q + i, bytes);
        } else {
            alignas(32) std::int8_t fours[32];
            put256(fours, bytes);
            for (std::size_t k = 0; k < 8; ++k)
                std::memcpy(q + chunk * kChunk + placeOfColumn(i % kChunk + 4 * k), fours + 4 * k,
                            4);
        }
        const __m256i sums = pairsToLanes(pairsOf(bytes));
        const std::size_t at = chunk * 16 + 4 * odd + i / 64 % 4; // see Groups
        scale[at] = scale[at + 8] = byteScale;
        sum[at + 8 * odd] = byteScale * static_cast<float>(_mm256_extract_epi32(sums, 0));
        sum[at + 8 - 8 * odd] = byteScale * static_cast<float>(_mm256_extract_epi32(sums, 4));
    }
}

/// Columns [i, i + 32) of a token of a tile: bytes, of which 1 stands for `unit`, and what sums of
/// products need of them.
void putBytes(__m256i bytes, float unit, std::size_t i, std::size_t t, const ByteTile &tile)
{
    const std::size_t tokens = tile.tokens;
    alignas(32) std::int8_t q[32];
    put256(q, bytes);
    for (std::size_t k = 0; k < 8; ++k)
        std::memcpy(tile.q + (i / 4 + k) * 4 * tokens + 4 * t, q + 4 * k, 4);
    const __m256i pairs = pairsOf(bytes), sums = pairsToLanes(pairs);
    const int first = _mm256_extract_epi32(sums, 0), second = _mm256_extract_epi32(sums, 4);
    const std::size_t group = i / 32 * tokens + t, half = i / 16 * tokens + t;
    tile.scale[group] = unit;
    tile.sum32[group] = unit * static_cast<float>(first + second);
    tile.sum16[half] = unit * static_cast<float>(first);
    tile.sum16[half + tokens] = unit * static_cast<float>(second);
    tile.pairs[half] = _mm256_extract_epi32(pairs, 0);
    tile.pairs[half + tokens] = _mm256_extract_epi32(pairs, 4);
}

/// Columns [i, end) of a token, up to kByteBlock, with the scales of 32 as parts of one.
void quantizeBlock(const float *x, std::size_t n, std::size_t i, std::size_t end, std::size_t t,
                   const ByteTile &tile)
{
    const auto from = [&](std::size_t at) {
        return Floats32(x + (at < n ? at : 0), at < n ? n - at : 0);
    };
    std::int32_t most[kByteBlock / 32], topBits = 0;
    for (std::size_t g = 0; i + 32 * g < end; ++g) {
        most[g] = from(i + 32 * g).most();
        topBits = most[g] > topBits ? most[g] : topBits;
    }
    const std::size_t tokens = tile.tokens;
    const float top = numberOf(topBits);
    tile.top[i / kByteBlock * tokens + t] = top;
    for (std::size_t g = 0; i + 32 * g < end; ++g) {
        const std::size_t at = i + 32 * g, group = at / 32 * tokens + t;
        const std::int32_t factor = factorOf(numberOf(most[g]) * inverseOf(top, kFactors));
        tile.factor[group] = factor * 0x10001;
        putBytes(toBytes(from(at), inverseOf(top, 127) * (kFactors / static_cast<float>(factor))),
                 static_cast<float>(factor), at, t, tile);
    }
}

void quantizeTile(const float *x, std::size_t xStride, std::size_t n, const ByteTile &tile)
{
    const std::size_t padded = (n + kChunk - 1) / kChunk * kChunk;
    for (std::size_t t = 0; t < tile.tokens; ++t, x += xStride) {
        if constexpr (kByteDots) {
            for (std::size_t i = 0; i < padded; i += 32) {
                const Floats32 numbers(x + (i < n ? i : 0), i < n ? n - i : 0);
                const float most = numberOf(numbers.most());
                putBytes(toBytes(numbers, inverseOf(most, 127)), most / 127.0f, i, t, tile);
            }
        } else {
            for (std::size_t i = 0; i < padded; i += kByteBlock)
                quantizeBlock(x, n, i, padded - i < kByteBlock ? padded : i + kByteBlock, t, tile);
        }
    }
}

} // namespace
