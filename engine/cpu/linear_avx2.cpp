// AVX2 kernels: the byte dot product is a multiply-add to 16 bits followed by one to 32. Everything
// is private to this file (see linear_unpack.h).
#include "engine/cpu/linear_avx2_formats.h"
#include "engine/cpu/linear_kernels.h"

#include <immintrin.h>

namespace {

using fireside::cpu::BytePanel;
using fireside::cpu::RowActivations;

constexpr int kRowsAtOnce = 2;

using Decoded = Chunk;
using avx2::load128;
using avx2::load256;
using avx2::put256;

inline __m256i pairsToLanes(__m256i pairs)
{
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

// Σ of four unsigned·signed byte products per lane. Wide: q may exceed 63, where a pair of products
// would saturate 16 bits.
template <bool Wide>
inline __m256i dot4(__m256i q, __m256i a)
{
    if constexpr (Wide) {
        const __m256i even = _mm256_set1_epi16(0x00ff);
        const __m256i e = _mm256_maddubs_epi16(_mm256_and_si256(q, even), a);
        const __m256i o = _mm256_maddubs_epi16(_mm256_andnot_si256(even, q), a);
        return _mm256_add_epi32(pairsToLanes(e), pairsToLanes(o));
    }
    return pairsToLanes(_mm256_maddubs_epi16(q, a));
}

/// A type whose decoder is known to the compiler.
template <DType Type, Unpacker Decode, bool Wide>
struct Format
{
    static constexpr bool kWide = Wide;
    static constexpr DType type() { return Type; }
    void decode(Bytes p, Chunk &c) const { Decode(p, c); }
};
using FormatQ8_0 = Format<DType::Q8_0, avx2::decodeQ8_0, true>;
using FormatQ4_0 = Format<DType::Q4_0, avx2::decodeQ4_0, false>;
using FormatQ4_K = Format<DType::Q4_K, avx2::decodeQ4_K, false>;
using FormatQ5_K = Format<DType::Q5_K, avx2::decodeQ5_K, false>;
using FormatQ6_K = Format<DType::Q6_K, avx2::decodeQ6_K, false>;

/// The others, one call per chunk.
template <bool Wide>
struct FormatAny
{
    static constexpr bool kWide = Wide;
    DType dtype;
    Unpacker unpack;
    DType type() const { return dtype; }
    void decode(Bytes p, Chunk &c) const { unpack(p, c); }
};

using Acc = __m256;
inline Acc zeroAcc()
{
    return _mm256_setzero_ps();
}
inline float sumAcc(Acc acc)
{
    __m128 v = _mm_add_ps(_mm256_castps256_ps128(acc), _mm256_extractf128_ps(acc, 1));
    v = _mm_add_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_add_ss(v, _mm_shuffle_ps(v, v, 1)));
}

template <bool Wide, int T>
inline void accumulate(Acc (&acc)[T], const Chunk &c, const RowActivations &x, std::size_t chunk)
{
    for (int t = 0; t < T; ++t) {
        const std::int8_t *a = x.q + t * x.stride + chunk * 256;
        const std::size_t group = t * (x.stride / 16) + chunk * 16;
        alignas(32) float scale[16];
        for (int h = 0; h < 16; h += 8) {
            _mm256_store_ps(scale + h, _mm256_mul_ps(_mm256_load_ps(c.scale + h),
                                                     _mm256_loadu_ps(x.scale + group + h)));
            acc[t] = _mm256_fmadd_ps(_mm256_load_ps(c.offset + h),
                                     _mm256_loadu_ps(x.sum + group + h), acc[t]);
        }
        for (int b = 0; b < 8;
             ++b) { // lanes 0–3 belong to the first group of 16, 4–7 to the second
            const __m256i dot = dot4<Wide>(load256(c.q + 32 * b), load256(a + 32 * b));
            const __m256 s = _mm256_set_m128(_mm_broadcast_ss(scale + 2 * b + 1),
                                             _mm_broadcast_ss(scale + 2 * b));
            acc[t] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), s, acc[t]);
        }
    }
}

// Lane j of row i becomes lane i of row j.
inline void transpose8(__m256i (&m)[8])
{
    __m256i a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_epi32(m[i], m[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32(m[i], m[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
    for (int c = 0; c < 4; ++c) {
        m[c] = _mm256_permute2x128_si256(b[c], b[4 + c], 0x20);
        m[4 + c] = _mm256_permute2x128_si256(b[c], b[4 + c], 0x31);
    }
}

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

#include "engine/cpu/linear_driver.h"

namespace {

using fireside::cpu::ByteTile;
using fireside::cpu::kMaxTile;
using fireside::cpu::TileOutput;

void dotRows(DType type, const std::byte *weights, std::size_t rows, std::size_t cols,
             const RowActivations &x, float *out, std::size_t outStride)
{
    const Bytes w = reinterpret_cast<Bytes>(weights);
    switch (type) {
    case DType::Q8_0:
        return dotFormat(FormatQ8_0{}, w, rows, cols, x, out, outStride);
    case DType::Q4_0:
        return dotFormat(FormatQ4_0{}, w, rows, cols, x, out, outStride);
    case DType::Q4_K:
        return dotFormat(FormatQ4_K{}, w, rows, cols, x, out, outStride);
    case DType::Q5_K:
        return dotFormat(FormatQ5_K{}, w, rows, cols, x, out, outStride);
    case DType::Q6_K:
        return dotFormat(FormatQ6_K{}, w, rows, cols, x, out, outStride);
    default:
        if (isWide(type))
            return dotFormat(FormatAny<true>{type, avx2::decoderFor(type)}, w, rows, cols, x, out,
                             outStride);
        return dotFormat(FormatAny<false>{type, avx2::decoderFor(type)}, w, rows, cols, x, out,
                         outStride);
    }
}

void unpackPanel(DType type, const std::byte *weights, std::size_t rows, std::size_t cols,
                 std::size_t firstCol, std::size_t count, const BytePanel &panel)
{
    const Bytes w = reinterpret_cast<Bytes>(weights);
    switch (type) {
    case DType::Q8_0:
        return unpackRows(FormatQ8_0{}, w, rows, cols, firstCol, count, panel);
    case DType::Q4_0:
        return unpackRows(FormatQ4_0{}, w, rows, cols, firstCol, count, panel);
    case DType::Q4_K:
        return unpackRows(FormatQ4_K{}, w, rows, cols, firstCol, count, panel);
    case DType::Q5_K:
        return unpackRows(FormatQ5_K{}, w, rows, cols, firstCol, count, panel);
    case DType::Q6_K:
        return unpackRows(FormatQ6_K{}, w, rows, cols, firstCol, count, panel);
    default:
        return unpackRows(FormatAny<true>{type, avx2::decoderFor(type)}, w, rows, cols, firstCol,
                          count, panel);
    }
}

// How large q can be decides how many 16-bit products fit before they must be widened:
// 15·127·2·8 and 63·127·2·2 stay below 2^15.
enum class Range { Four, Six, Eight };

constexpr Range rangeOf(DType type)
{
    switch (type) {
    case DType::Q4_0:
    case DType::Q4_1:
    case DType::Q4_K:
    case DType::Q2_K:
    case DType::Q3_K:
        return Range::Four;
    case DType::Q8_0:
    case DType::IQ4_NL:
    case DType::IQ4_XS:
        return Range::Eight;
    default:
        return Range::Six;
    }
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
        const __m256i even = _mm256_set1_epi16(0x00ff);
        for (int k = 0; k < Dots; ++k) {
            const __m256i q = load256(w + 64 * k);
            const __m256i qe = _mm256_and_si256(q, even), qo = _mm256_andnot_si256(even, q);
            for (int t = 0; t < N; ++t) {
                const __m256i x = broadcast4(a + Stride * k + 4 * t);
                const __m256i e = pairsToLanes(_mm256_maddubs_epi16(qe, x));
                const __m256i o = pairsToLanes(_mm256_maddubs_epi16(qo, x));
                dot[t] = _mm256_add_epi32(dot[t], _mm256_add_epi32(e, o));
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

inline void storeHalf(const TileOutput &o, std::size_t t, int half, __m256 value)
{
    const std::size_t first = 8 * static_cast<std::size_t>(half);
    if (o.rows <= first)
        return;
    float *out = o.out + t * o.stride + first;
    const std::size_t rows = o.rows - first;
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256i mask =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(rows < 8 ? rows : 8)), lanes);
    if (o.add)
        value = _mm256_add_ps(value, _mm256_maskload_ps(out, mask));
    _mm256_maskstore_ps(out, mask, value);
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
            const __m256 o = _mm256_loadu_ps(panel.offset + 16 * g + 8 * half);
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
    const bool sixteen = fireside::cpu::panelGroups(type) == 16;
    switch (rangeOf(type)) {
    case Range::Four:
        return sixteen ? multiplyRange<Range::Four, 16>(panel, tile, chunks, output)
                       : multiplyRange<Range::Four, 8>(panel, tile, chunks, output);
    case Range::Six:
        return sixteen ? multiplyRange<Range::Six, 16>(panel, tile, chunks, output)
                       : multiplyRange<Range::Six, 8>(panel, tile, chunks, output);
    case Range::Eight:
        return multiplyRange<Range::Eight, 8>(panel, tile, chunks, output);
    }
}

inline int sumLanes(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

void quantizeRow(const float *x, std::size_t n, std::int8_t *q, float *scale, float *sum)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    const std::size_t padded = (n + 255) / 256 * 256;
    for (std::size_t i = 0; i < padded; i += 32) {
        alignas(32) float part[32] = {};
        const float *from = x + i;
        if (i + 32 > n) {
            if (i < n)
                std::memcpy(part, from, 4 * (n - i));
            from = part;
        }
        __m256 v[4], top = _mm256_setzero_ps();
        for (int j = 0; j < 4; ++j) {
            v[j] = _mm256_loadu_ps(from + 8 * j);
            top = _mm256_max_ps(top, _mm256_andnot_ps(sign, v[j]));
        }
        __m128 m = _mm_max_ps(_mm256_castps256_ps128(top), _mm256_extractf128_ps(top, 1));
        m = _mm_max_ps(m, _mm_movehl_ps(m, m));
        const float most = _mm_cvtss_f32(_mm_max_ss(m, _mm_shuffle_ps(m, m, 1)));
        const float d = most / 127.0f;
        const __m256 inverse = _mm256_set1_ps(most > 0.0f ? 127.0f / most : 0.0f);
        __m256i w[4];
        for (int j = 0; j < 4; ++j)
            w[j] = _mm256_cvtps_epi32(_mm256_mul_ps(v[j], inverse));
        const __m256i narrow =
            _mm256_packs_epi16(_mm256_packs_epi32(w[0], w[1]), _mm256_packs_epi32(w[2], w[3]));
        put256(q + i,
               _mm256_permutevar8x32_epi32(narrow, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0)));
        scale[i / 16] = scale[i / 16 + 1] = d;
        sum[i / 16] = d * static_cast<float>(sumLanes(_mm256_add_epi32(w[0], w[1])));
        sum[i / 16 + 1] = d * static_cast<float>(sumLanes(_mm256_add_epi32(w[2], w[3])));
    }
}

// Eight weights of a float type.
template <DType Type>
inline __m256 loadFloats(Bytes p)
{
    if constexpr (Type == DType::F32)
        return _mm256_loadu_ps(reinterpret_cast<const float *>(p));
    const __m128i half = load128(p);
    if constexpr (Type == DType::F16)
        return _mm256_cvtph_ps(half);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}

template <DType Type>
inline float loadFloat(Bytes p)
{
    if constexpr (Type == DType::F32)
        return loadAs<float>(p);
    const std::uint16_t half = loadAs<std::uint16_t>(p);
    return Type == DType::F16 ? halfValue(half) : asFloat(static_cast<std::uint32_t>(half) << 16);
}

template <DType Type, int T>
void dotFloatRow(Bytes row, std::size_t cols, const float *x, std::size_t xStride, float *out,
                 std::size_t outStride)
{
    constexpr std::size_t kSize = Type == DType::F32 ? 4 : 2;
    constexpr int kChains = T == 1 ? 4 : 2;
    __m256 acc[T][kChains];
    for (auto &token : acc)
        for (auto &chain : token)
            chain = _mm256_setzero_ps();
    std::size_t i = 0;
    for (; i + 8 * kChains <= cols; i += 8 * kChains)
        for (int c = 0; c < kChains; ++c) {
            __builtin_prefetch(row + (i + 8 * c) * kSize + 2048);
            const __m256 w = loadFloats<Type>(row + (i + 8 * c) * kSize);
            for (int t = 0; t < T; ++t)
                acc[t][c] =
                    _mm256_fmadd_ps(w, _mm256_loadu_ps(x + t * xStride + i + 8 * c), acc[t][c]);
        }
    for (int t = 0; t < T; ++t) {
        for (int c = 1; c < kChains; ++c)
            acc[t][0] = _mm256_add_ps(acc[t][0], acc[t][c]);
        float total = sumAcc(acc[t][0]);
        for (std::size_t k = i; k < cols; ++k)
            total += loadFloat<Type>(row + k * kSize) * x[t * xStride + k];
        out[t * outStride] = total;
    }
}

template <DType Type>
void dotFloatType(Bytes w, std::size_t rows, std::size_t cols, const float *x, std::size_t xStride,
                  std::size_t T, float *out, std::size_t outStride)
{
    const std::size_t rowStride = cols * (Type == DType::F32 ? 4 : 2);
    for (std::size_t r = 0; r < rows; ++r, w += rowStride) {
        std::size_t t = 0;
        for (; t + 4 <= T; t += 4)
            dotFloatRow<Type, 4>(w, cols, x + t * xStride, xStride, out + t * outStride + r,
                                 outStride);
        for (; t < T; ++t)
            dotFloatRow<Type, 1>(w, cols, x + t * xStride, xStride, out + t * outStride + r,
                                 outStride);
    }
}

void dotFloatRows(DType type, const std::byte *weights, std::size_t rows, std::size_t cols,
                  const float *x, std::size_t xStride, std::size_t T, float *out,
                  std::size_t outStride)
{
    const Bytes w = reinterpret_cast<Bytes>(weights);
    if (type == DType::F32)
        dotFloatType<DType::F32>(w, rows, cols, x, xStride, T, out, outStride);
    else if (type == DType::F16)
        dotFloatType<DType::F16>(w, rows, cols, x, xStride, T, out, outStride);
    else
        dotFloatType<DType::BF16>(w, rows, cols, x, xStride, T, out, outStride);
}

template <DType Type>
void unpackFloats(Bytes w, std::size_t rows, std::size_t cols, std::size_t firstCol,
                  std::size_t count, float *panel)
{
    constexpr std::size_t kSize = Type == DType::F32 ? 4 : 2;
    for (std::size_t half = 0; half < 16; half += 8) {
        std::size_t i = 0;
        for (; i + 8 <= count; i += 8) {
            __m256i m[8];
            for (std::size_t r = 0; r < 8; ++r)
                m[r] = half + r < rows ? _mm256_castps_si256(loadFloats<Type>(
                                             w + ((half + r) * cols + firstCol + i) * kSize))
                                       : _mm256_setzero_si256();
            transpose8(m);
            for (std::size_t k = 0; k < 8; ++k)
                put256(panel + 16 * (i + k) + half, m[k]);
        }
        for (; i < count; ++i)
            for (std::size_t r = half; r < half + 8; ++r)
                panel[16 * i + r] =
                    r < rows ? loadFloat<Type>(w + (r * cols + firstCol + i) * kSize) : 0.0f;
    }
}

void unpackFloatPanel(DType type, const std::byte *weights, std::size_t rows, std::size_t cols,
                      std::size_t firstCol, std::size_t count, float *panel)
{
    const Bytes w = reinterpret_cast<Bytes>(weights);
    if (type == DType::F32)
        unpackFloats<DType::F32>(w, rows, cols, firstCol, count, panel);
    else if (type == DType::F16)
        unpackFloats<DType::F16>(w, rows, cols, firstCol, count, panel);
    else
        unpackFloats<DType::BF16>(w, rows, cols, firstCol, count, panel);
}

template <int N>
void multiplyFloatSome(const float *panel, const float *tile, std::size_t tokens, std::size_t first,
                       std::size_t count, const TileOutput &output)
{
    __m256 acc[N][2];
    for (auto &token : acc)
        token[0] = token[1] = _mm256_setzero_ps();
    for (std::size_t k = 0; k < count; ++k) {
        const __m256 w0 = _mm256_loadu_ps(panel + 16 * k);
        const __m256 w1 = _mm256_loadu_ps(panel + 16 * k + 8);
        for (int t = 0; t < N; ++t) {
            const __m256 x = _mm256_broadcast_ss(tile + tokens * k + first + t);
            acc[t][0] = _mm256_fmadd_ps(w0, x, acc[t][0]);
            acc[t][1] = _mm256_fmadd_ps(w1, x, acc[t][1]);
        }
    }
    for (int t = 0; t < N; ++t) {
        storeHalf(output, first + t, 0, acc[t][0]);
        storeHalf(output, first + t, 1, acc[t][1]);
    }
}

void multiplyFloatTile(const float *panel, const float *tile, std::size_t tokens, std::size_t count,
                       const TileOutput &output)
{
    std::size_t t = 0;
    for (; t + 6 <= tokens; t += 6)
        multiplyFloatSome<6>(panel, tile, tokens, t, count, output);
    for (; t + 2 <= tokens; t += 2)
        multiplyFloatSome<2>(panel, tile, tokens, t, count, output);
    if (t < tokens)
        multiplyFloatSome<1>(panel, tile, tokens, t, count, output);
}

} // namespace

namespace fireside::cpu {

extern const LinearKernels kLinearAvx2;
const LinearKernels kLinearAvx2 = {Isa::Avx2,   quantizeRow,  dotRows,          dotFloatRows,
                                   unpackPanel, multiplyTile, unpackFloatPanel, multiplyFloatTile};

} // namespace fireside::cpu
