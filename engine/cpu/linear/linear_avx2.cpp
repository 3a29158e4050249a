// AVX2 kernels: the byte dot product is a multiply-add to 16 bits followed by one to 32. Everything
// is private to this file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_floats.h"
#include "engine/cpu/linear/linear_avx2_formats.h"
#include "engine/cpu/linear/linear_avx2_grids.h"
#include "engine/cpu/linear/linear_kernels.h"

#include <immintrin.h>

namespace {

using fireside::cpu::BytePanel;
using fireside::cpu::RowActivations;

constexpr int kRowsAtOnce = 1;

using Decoded = Chunk;

/// A chunk of 16 rows on its way into a panel.
struct DecodedRows
{
    Chunk rows[16];

    void set(std::size_t r, const Chunk &c) { rows[r] = c; }
    void repeat(std::size_t r, std::size_t of) { rows[r] = rows[of]; }
    void store(const BytePanel &panel, std::size_t groups) const
    {
        for (int half = 0; half < 2; ++half) {
            for (int k = 0; k < 8; ++k) {
                __m256i m[8];
                for (int r = 0; r < 8; ++r)
                    m[r] = load256(rows[8 * half + r].q + 32 * k);
                transpose8(m);
                for (int i = 0; i < 8; ++i)
                    put256(panel.q + 64 * (8 * k + i) + 32 * half, m[i]);
            }
            for (std::size_t g = 0; g < groups; ++g)
                for (int r = 0; r < 8; ++r) {
                    const std::size_t from = g * 16 / groups, at = 16 * g + 8 * half + r;
                    panel.scale[at] = rows[8 * half + r].scale[from];
                    panel.offset[at] = rows[8 * half + r].offset[from];
                }
        }
    }
};

} // namespace

#include "engine/cpu/linear/linear_driver.h"

namespace {

using fireside::cpu::ByteTile;

template <typename F>
void withFormat(DType type, const F &f)
{
    fireside::withBlockType(type, [&]<DType Type>() {
        if constexpr (InRegisters<Type>)
            f(FormatInRegisters<Type>{});
        else
            f(FormatAny<isWide(Type)>{Type, decode<Type>});
    });
}

// How large q can be decides how many 16-bit products fit before they must be widened:
// 15·127·2·8 and 63·127·2·2 stay below 2^15.
enum class Range { Four, Six, Eight };

constexpr Range rangeOf(DType type)
{
    const std::uint32_t bits = info(type).codeBits;
    return bits > 6 ? Range::Eight : bits > 4 ? Range::Six : Range::Four;
}

inline __m256i broadcast4(const std::int8_t *a)
{
    return _mm256_set1_epi32(loadAs<int>(reinterpret_cast<Bytes>(a)));
}

// dot[t] += Σ over 4·Dots weights of eight rows; w advances by 64 bytes a step.
template <int N, Range R, int Dots, int Stride>
inline void dotSteps(const std::uint8_t *w, const std::int8_t *a, __m256i (&dot)[N])
{
    if constexpr (R == Range::Eight) {
        // Signed weights as a magnitude times the activation with the weight's sign.
        const __m256i flip = _mm256_set1_epi8(static_cast<char>(0x80));
        for (int k = 0; k < Dots; ++k) {
            const __m256i q = _mm256_xor_si256(load256(w + 64 * k), flip);
            const __m256i magnitude = _mm256_abs_epi8(q);
            for (int t = 0; t < N; ++t) {
                const __m256i x = _mm256_sign_epi8(broadcast4(a + Stride * k + 4 * t), q);
                dot[t] = _mm256_add_epi32(dot[t], pairsToLanes(_mm256_maddubs_epi16(magnitude, x)));
            }
        }
    } else {
        constexpr int kRun = R == Range::Four ? Dots : 2;
        for (int k = 0; k < Dots; k += kRun) {
            __m256i pairs[N];
#pragma GCC unroll 8
            for (int i = 0; i < kRun; ++i) {
                const __m256i q = load256(w + 64 * (k + i));
                for (int t = 0; t < N; ++t) {
                    const __m256i p =
                        _mm256_maddubs_epi16(q, broadcast4(a + Stride * (k + i) + 4 * t));
                    pairs[t] = i == 0 ? p : _mm256_add_epi16(pairs[t], p);
                }
            }
            for (int t = 0; t < N; ++t)
                dot[t] = _mm256_add_epi32(dot[t], pairsToLanes(pairs[t]));
        }
    }
}

// Tokens [first, first + N) of a tile of `Tile` tokens, eight rows at a time.
template <int N, Range R, int Groups>
void multiplySome(const BytePanel &panel, const ByteTile &tile, std::size_t first,
                  std::size_t chunks, const TileOutput &output)
{
    constexpr int kDots = 64 / Groups;
    const std::size_t tokens = tile.tokens;
    for (int half = 0; half < 2; ++half) {
        const std::uint8_t *w = panel.q + 32 * half;
        const std::int8_t *a = tile.q + 4 * first;
        const float *sum = (Groups == 16 ? tile.sum16 : tile.sum32) + first;
        const float *xScale = tile.scale + first;
        __m256 acc[N];
        for (int t = 0; t < N; ++t)
            acc[t] = _mm256_setzero_ps();
        for (std::size_t g = 0; g < Groups * chunks; ++g) {
            __m256i dot[N];
            for (int t = 0; t < N; ++t)
                dot[t] = _mm256_setzero_si256();
            alignas(32) std::int8_t near[4 * N * kDots]; // this group's tokens at a fixed stride
            for (int k = 0; k < kDots; ++k)
                std::memcpy(near + 4 * N * k, a + 4 * tokens * k, 4 * N);
            dotSteps<N, R, kDots, 4 * N>(w, near, dot);
            const __m256 s = _mm256_loadu_ps(panel.scale + 16 * g + 8 * half);
            __m256 o = _mm256_loadu_ps(panel.offset + 16 * g + 8 * half);
            if (R == Range::Eight) // the dot is of q − 128
                o = _mm256_fmadd_ps(s, _mm256_set1_ps(128.0f), o);
            for (int t = 0; t < N; ++t) {
                const __m256 both = _mm256_mul_ps(s, _mm256_broadcast_ss(xScale + t));
                acc[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot[t]), both, acc[t]);
                acc[t] = _mm256_fmadd_ps(o, _mm256_broadcast_ss(sum + t), acc[t]);
            }
            w += 64 * kDots;
            a += 4 * tokens * kDots;
            sum += tokens;
            if (Groups == 8 || g % 2 == 1)
                xScale += tokens;
        }
        for (int t = 0; t < N; ++t)
            storeHalf(output, first + t, half, acc[t]);
    }
}

template <Range R, int Groups>
void multiplyRange(const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                   const TileOutput &output)
{
    std::size_t t = 0;
    for (; t + 4 <= tile.tokens; t += 4)
        multiplySome<4, R, Groups>(panel, tile, t, chunks, output);
    switch (tile.tokens - t) {
    case 3:
        return multiplySome<3, R, Groups>(panel, tile, t, chunks, output);
    case 2:
        return multiplySome<2, R, Groups>(panel, tile, t, chunks, output);
    case 1:
        return multiplySome<1, R, Groups>(panel, tile, t, chunks, output);
    default:
        return;
    }
}

void multiplyTile(DType type, const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                  const TileOutput &output)
{
    if (output.rows > kPanelRows) {
        multiplyTile(type, panel, tile, chunks, ofPanel(output, 0));
        return multiplyTile(type, nextPanel(panel), tile, chunks, ofPanel(output, 1));
    }
    fireside::withBlockType(type, [&]<DType Type>() {
        multiplyRange<rangeOf(Type), fireside::cpu::panelGroups(Type)>(panel, tile, chunks, output);
    });
}

inline int sumInts(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

void quantizeRow(const float *x, std::size_t n, std::int8_t *q, float *scale, float *sum)
{
    const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
    const std::size_t padded = (n + 255) / 256 * 256;
    for (std::size_t i = 0; i < padded; i += 32) {
        alignas(32) float part[32] = {};
        const float *from = x + i;
        if (i + 32 > n) {
            if (i < n)
                std::memcpy(part, from, 4 * (n - i));
            from = part;
        }
        // As integers: their maximum is NaN when there is one, so that it reaches the products.
        __m256 v[4];
        __m256i top = _mm256_setzero_si256();
        for (int j = 0; j < 4; ++j) {
            v[j] = _mm256_loadu_ps(from + 8 * j);
            top = _mm256_max_epi32(top, _mm256_and_si256(magnitude, _mm256_castps_si256(v[j])));
        }
        __m128i m = _mm_max_epi32(_mm256_castsi256_si128(top), _mm256_extracti128_si256(top, 1));
        m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
        m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1));
        const float most = _mm_cvtss_f32(_mm_castsi128_ps(m));
        const float d = most / 127.0f;
        const __m256 inverse = _mm256_set1_ps(most > 0.0f ? 127.0f / most : 0.0f);
        __m256i w[4];
        for (int j = 0; j < 4; ++j)
            w[j] = _mm256_cvtps_epi32(_mm256_mul_ps(v[j], inverse));
        const __m256i narrow =
            _mm256_packs_epi16(_mm256_packs_epi32(w[0], w[1]), _mm256_packs_epi32(w[2], w[3]));
        put256(q + i,
               _mm256_permutevar8x32_epi32(narrow, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0)));
        const std::size_t at = i / 128 * 8 + i / 32 % 4; // the first group's place
        scale[at] = scale[at + 4] = d;
        sum[at] = d * static_cast<float>(sumInts(_mm256_add_epi32(w[0], w[1])));
        sum[at + 4] = d * static_cast<float>(sumInts(_mm256_add_epi32(w[2], w[3])));
    }
}

} // namespace

namespace fireside::cpu {

extern const LinearKernels kLinearAvx2;
const LinearKernels kLinearAvx2 = {
    Isa::Avx2,         quantizeRow,    nullptr,
    nullptr,           dotRows,        dotFloatRows,
    unpackPanel,       multiplyTile,   unpackFloatPanel,
    multiplyFloatTile, unpackFloatRow, {0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15}};

} // namespace fireside::cpu
