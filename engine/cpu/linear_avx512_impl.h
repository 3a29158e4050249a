#pragma once
// AVX-512 kernels, compiled twice: with and without the VNNI byte dot product. Private to the
// including file (see linear_unpack.h).
#include "engine/cpu/linear_avx2_formats.h"
#include "engine/cpu/linear_kernels.h"

#include <immintrin.h>

namespace {

using fireside::cpu::RowActivations;

constexpr int kRowsAtOnce = 4; // independent read streams per thread

// acc += Σ of four unsigned·signed byte products per lane. Wide: q may exceed 63, where the 16-bit
// sums of the instruction without VNNI would saturate.
template <bool Wide>
inline __m512i dot4(__m512i acc, __m512i q, __m512i a)
{
#if defined(__AVX512VNNI__)
    return _mm512_dpbusd_epi32(acc, q, a);
#else
    const __m512i ones = _mm512_set1_epi16(1);
    if constexpr (Wide) {
        const __m512i even = _mm512_set1_epi16(0x00ff);
        const __m512i e = _mm512_maddubs_epi16(_mm512_and_si512(q, even), a);
        const __m512i o = _mm512_maddubs_epi16(_mm512_andnot_si512(even, q), a);
        acc = _mm512_add_epi32(acc, _mm512_madd_epi16(e, ones));
        return _mm512_add_epi32(acc, _mm512_madd_epi16(o, ones));
    }
    return _mm512_add_epi32(acc, _mm512_madd_epi16(_mm512_maddubs_epi16(q, a), ones));
#endif
}

struct Decoded
{
    __m512i q[4];
    __m512 scale, offset; // of the 16 groups
};

inline __m512i load512(const void *p)
{
    return _mm512_loadu_si512(p);
}
inline __m256i load256(const void *p)
{
    return _mm256_loadu_si256(static_cast<const __m256i *>(p));
}
inline __m128i load128(const void *p)
{
    return _mm_loadu_si128(static_cast<const __m128i *>(p));
}
inline __m512i twice(__m256i x)
{
    return _mm512_broadcast_i64x4(x);
}
inline __m512i lowHigh(short low, short high) // per 16-bit lane: `low` in the first half
{
    return _mm512_inserti64x4(_mm512_set1_epi16(low), _mm256_set1_epi16(high), 1);
}

// The half at the start of each of 8 blocks, each twice.
template <std::size_t BlockBytes>
inline __m512 eightHalves(Bytes p)
{
    __m128i h = _mm_cvtsi32_si128(loadAs<std::uint16_t>(p));
    h = _mm_insert_epi16(h, loadAs<std::uint16_t>(p + BlockBytes), 1);
    h = _mm_insert_epi16(h, loadAs<std::uint16_t>(p + 2 * BlockBytes), 2);
    h = _mm_insert_epi16(h, loadAs<std::uint16_t>(p + 3 * BlockBytes), 3);
    h = _mm_insert_epi16(h, loadAs<std::uint16_t>(p + 4 * BlockBytes), 4);
    h = _mm_insert_epi16(h, loadAs<std::uint16_t>(p + 5 * BlockBytes), 5);
    h = _mm_insert_epi16(h, loadAs<std::uint16_t>(p + 6 * BlockBytes), 6);
    h = _mm_insert_epi16(h, loadAs<std::uint16_t>(p + 7 * BlockBytes), 7);
    return _mm512_cvtph_ps(_mm256_set_m128i(_mm_unpackhi_epi16(h, h), _mm_unpacklo_epi16(h, h)));
}

template <DType Type>
struct FormatBase
{
    static constexpr DType type() { return Type; }
};

struct FormatQ8_0 : FormatBase<DType::Q8_0>
{
    static constexpr bool kWide = true;
    [[gnu::always_inline]] void decode(Bytes p, Decoded &c) const
    {
        const __m512i flip = _mm512_set1_epi8(static_cast<char>(0x80));
        for (int j = 0; j < 4; ++j, p += 68)
            c.q[j] =
                _mm512_xor_si512(flip, _mm512_inserti64x4(_mm512_castsi256_si512(load256(p + 2)),
                                                          load256(p + 36), 1));
        c.scale = eightHalves<34>(p - 272);
        c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-128.0f));
    }
};

struct FormatQ4_0 : FormatBase<DType::Q4_0>
{
    static constexpr bool kWide = false;
    [[gnu::always_inline]] void decode(Bytes p, Decoded &c) const
    {
        const __m512i shift = _mm512_set_epi64(0x0004000400040004, 0x0004000400040004, 0, 0,
                                               0x0004000400040004, 0x0004000400040004, 0, 0);
        const __m512i mask = _mm512_set1_epi8(15);
        for (int j = 0; j < 4; ++j, p += 36) {
            const __m512i both =
                _mm512_castsi256_si512(_mm256_set_m128i(load128(p + 20), load128(p + 2)));
            const __m512i spread = _mm512_shuffle_i64x2(both, both, 0x50); // b0 b0 b1 b1
            c.q[j] = _mm512_and_si512(_mm512_srlv_epi16(spread, shift), mask);
        }
        c.scale = eightHalves<18>(p - 144);
        c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-8.0f));
    }
};

inline __m512 sixBitGroups(std::uint64_t eight, __m512 factor)
{
    const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(eight));
    const __m512i spread = _mm512_cvtepu8_epi32(_mm_unpacklo_epi8(bytes, bytes));
    return _mm512_mul_ps(_mm512_cvtepi32_ps(spread), factor);
}

inline void decodeSixBitGroups(Bytes p, Decoded &c)
{
    const SixBitPairs pairs = sixBitPairs(p + 4);
    c.scale = sixBitGroups(pairs.scales, _mm512_set1_ps(halfValue(loadAs<std::uint16_t>(p))));
    c.offset =
        sixBitGroups(pairs.minimums, _mm512_set1_ps(-halfValue(loadAs<std::uint16_t>(p + 2))));
}

struct FormatQ4_K : FormatBase<DType::Q4_K>
{
    static constexpr bool kWide = false;
    [[gnu::always_inline]] void decode(Bytes p, Decoded &c) const
    {
        const __m512i shift = lowHigh(0, 4), mask = _mm512_set1_epi8(15);
        for (int j = 0; j < 4; ++j)
            c.q[j] =
                _mm512_and_si512(_mm512_srlv_epi16(twice(load256(p + 16 + 32 * j)), shift), mask);
        decodeSixBitGroups(p, c);
    }
};

struct FormatQ5_K : FormatBase<DType::Q5_K>
{
    static constexpr bool kWide = false;
    [[gnu::always_inline]] void decode(Bytes p, Decoded &c) const
    {
        const __m512i shift = lowHigh(0, 4), mask = _mm512_set1_epi8(15);
        const __m512i sixteen = _mm512_set1_epi8(16);
        const __m512i fifth = twice(load256(p + 16));
        __m512i bit = lowHigh(0x0101, 0x0202);
        for (int j = 0; j < 4; ++j, bit = _mm512_slli_epi16(bit, 2)) {
            const __m512i low =
                _mm512_and_si512(_mm512_srlv_epi16(twice(load256(p + 48 + 32 * j)), shift), mask);
            c.q[j] = _mm512_mask_add_epi8(low, _mm512_test_epi8_mask(fifth, bit), low, sixteen);
        }
        decodeSixBitGroups(p, c);
    }
};

struct FormatQ6_K : FormatBase<DType::Q6_K>
{
    static constexpr bool kWide = false;
    [[gnu::always_inline]] void decode(Bytes p, Decoded &c) const
    {
        const __m512i low = _mm512_set1_epi8(15), high = _mm512_set1_epi8(48);
        const __m512i left = lowHigh(4, 2), right = lowHigh(0, 2);
        for (int n = 0; n < 2; ++n) {
            const __m512i l = load512(p + 64 * n);
            const __m512i h = twice(load256(p + 128 + 32 * n));
            c.q[2 * n] = _mm512_or_si512(_mm512_and_si512(l, low),
                                         _mm512_and_si512(_mm512_sllv_epi16(h, left), high));
            c.q[2 * n + 1] = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(l, 4), low),
                                             _mm512_and_si512(_mm512_srlv_epi16(h, right), high));
        }
        const __m512 d = _mm512_set1_ps(halfValue(loadAs<std::uint16_t>(p + 208)));
        c.scale = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load128(p + 192))), d);
        c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-32.0f));
    }
};

/// The other types, through memory.
template <bool Wide>
struct FormatAny
{
    static constexpr bool kWide = Wide;
    DType dtype;
    Unpacker unpack;
    DType type() const { return dtype; }
    [[gnu::always_inline]] void decode(Bytes p, Decoded &c) const
    {
        Chunk plain;
        unpack(p, plain);
        for (int j = 0; j < 4; ++j)
            c.q[j] = load512(plain.q + 64 * j);
        c.scale = _mm512_load_ps(plain.scale);
        c.offset = _mm512_load_ps(plain.offset);
    }
};

using Acc = __m512;
inline Acc zeroAcc()
{
    return _mm512_setzero_ps();
}
inline float sumAcc(Acc acc)
{
    return _mm512_reduce_add_ps(acc);
}

template <bool Wide, int T>
[[gnu::always_inline]] inline void accumulate(Acc (&acc)[T], const Decoded &c,
                                              const RowActivations &x, std::size_t chunk)
{
    // Lane l of dot j belongs to group 4j + l / 4.
    const __m512i quarter = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    for (int t = 0; t < T; ++t) {
        const std::int8_t *a = x.q + t * x.stride + chunk * 256;
        const std::size_t group = t * (x.stride / 16) + chunk * 16;
        const __m512 scale = _mm512_mul_ps(c.scale, _mm512_loadu_ps(x.scale + group));
        acc[t] = _mm512_fmadd_ps(c.offset, _mm512_loadu_ps(x.sum + group), acc[t]);
        for (int j = 0; j < 4; ++j) {
            const __m512i dot = dot4<Wide>(_mm512_setzero_si512(), c.q[j], load512(a + 64 * j));
            const __m512i lanes = _mm512_add_epi32(quarter, _mm512_set1_epi32(4 * j));
            acc[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), _mm512_permutexvar_ps(lanes, scale),
                                     acc[t]);
        }
    }
}

// In place: lane j of row i becomes lane i of row j.
inline void transpose16(__m512i (&m)[16])
{
    __m512i a[16], b[16];
    for (int i = 0; i < 16; i += 2) {
        a[i] = _mm512_unpacklo_epi32(m[i], m[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi32(m[i], m[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        b[i] = _mm512_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm512_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm512_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
    // b[4r + c]: 128-bit lane l holds column 4l + c of rows 4r … 4r + 3.
    for (int c = 0; c < 4; ++c) {
        const __m512i even01 = _mm512_shuffle_i32x4(b[c], b[4 + c], 0x88);
        const __m512i odd01 = _mm512_shuffle_i32x4(b[c], b[4 + c], 0xdd);
        const __m512i even23 = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0x88);
        const __m512i odd23 = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0xdd);
        m[c] = _mm512_shuffle_i32x4(even01, even23, 0x88);
        m[4 + c] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
        m[8 + c] = _mm512_shuffle_i32x4(even01, even23, 0xdd);
        m[12 + c] = _mm512_shuffle_i32x4(odd01, odd23, 0xdd);
    }
}

/// A chunk of 16 rows on its way into a panel.
struct DecodedRows
{
    Decoded rows[16];

    void set(std::size_t r, const Decoded &c) { rows[r] = c; }
    void repeat(std::size_t r, std::size_t of) { rows[r] = rows[of]; }
    void store(const fireside::cpu::BytePanel &panel, std::size_t groups) const
    {
        __m512i m[16];
        for (int j = 0; j < 4; ++j) {
            for (int r = 0; r < 16; ++r)
                m[r] = rows[r].q[j];
            transpose16(m);
            for (int i = 0; i < 16; ++i)
                _mm512_storeu_si512(panel.q + 1024 * j + 64 * i, m[i]);
        }
        storeGroups(&Decoded::scale, panel.scale, groups);
        storeGroups(&Decoded::offset, panel.offset, groups);
    }

private:
    void storeGroups(__m512 Decoded::*member, float *out, std::size_t groups) const
    {
        __m512i m[16];
        for (int r = 0; r < 16; ++r)
            m[r] = _mm512_castps_si512(rows[r].*member);
        transpose16(m);
        for (std::size_t g = 0; g < groups; ++g)
            _mm512_storeu_si512(out + 16 * g, m[g * 16 / groups]);
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

inline __mmask16 firstLanes(std::size_t n)
{
    return static_cast<__mmask16>((1u << n) - 1u);
}

inline void storeTile(const TileOutput &o, int t, __m512 value)
{
    const __mmask16 mask = firstLanes(o.rows);
    float *out = o.out + static_cast<std::size_t>(t) * o.stride;
    if (o.add)
        value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(mask, out));
    _mm512_mask_storeu_ps(out, mask, value);
}

template <int N, bool Wide, int Groups>
void multiplyTileN(const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                   const TileOutput &output)
{
    constexpr int kDots = 64 / Groups; // dot4 steps that share a weight scale
    const std::uint8_t *w = panel.q;
    const std::int8_t *a = tile.q;
    const float *scale = panel.scale, *offset = panel.offset, *xScale = tile.scale;
    const float *sum = Groups == 16 ? tile.sum16 : tile.sum32;
    __m512 acc[N];
    for (int t = 0; t < N; ++t)
        acc[t] = _mm512_setzero_ps();
    for (std::size_t g = 0; g < 8 * chunks; ++g) {
        __m512 part[N];
        for (int h = 0; h < Groups / 8; ++h) {
            __m512i dot[N];
            for (int t = 0; t < N; ++t)
                dot[t] = _mm512_setzero_si512();
#pragma GCC unroll 8
            for (int k = 0; k < kDots; ++k) {
                const __m512i q = load512(w);
#pragma GCC unroll 12
                for (int t = 0; t < N; ++t)
                    dot[t] = dot4<Wide>(
                        dot[t], q,
                        _mm512_set1_epi32(loadAs<int>(reinterpret_cast<Bytes>(a) + 4 * t)));
                w += 64;
                a += 4 * N;
            }
            const __m512 s = _mm512_loadu_ps(scale), o = _mm512_loadu_ps(offset);
            scale += 16;
            offset += 16;
#pragma GCC unroll 12
            for (int t = 0; t < N; ++t) {
                const __m512 value = _mm512_cvtepi32_ps(dot[t]);
                part[t] = h == 0 ? _mm512_mul_ps(value, s) : _mm512_fmadd_ps(value, s, part[t]);
                acc[t] = _mm512_fmadd_ps(o, _mm512_set1_ps(sum[t]), acc[t]);
            }
            sum += N;
        }
#pragma GCC unroll 12
        for (int t = 0; t < N; ++t)
            acc[t] = _mm512_fmadd_ps(part[t], _mm512_set1_ps(xScale[t]), acc[t]);
        xScale += N;
    }
    for (int t = 0; t < N; ++t)
        storeTile(output, t, acc[t]);
}

using TileKernel = void (*)(const BytePanel &, const ByteTile &, std::size_t, const TileOutput &);
template <bool Wide, int Groups>
constexpr TileKernel kTileKernels[kMaxTile] = {
    multiplyTileN<1, Wide, Groups>,  multiplyTileN<2, Wide, Groups>,
    multiplyTileN<3, Wide, Groups>,  multiplyTileN<4, Wide, Groups>,
    multiplyTileN<5, Wide, Groups>,  multiplyTileN<6, Wide, Groups>,
    multiplyTileN<7, Wide, Groups>,  multiplyTileN<8, Wide, Groups>,
    multiplyTileN<9, Wide, Groups>,  multiplyTileN<10, Wide, Groups>,
    multiplyTileN<11, Wide, Groups>, multiplyTileN<12, Wide, Groups>,
};

void multiplyTile(DType type, const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                  const TileOutput &output)
{
    const std::size_t n = tile.tokens - 1;
    if (fireside::cpu::panelGroups(type) == 16)
        kTileKernels<false, 16>[n](panel, tile, chunks, output);
    else if (isWide(type))
        kTileKernels<true, 8>[n](panel, tile, chunks, output);
    else
        kTileKernels<false, 8>[n](panel, tile, chunks, output);
}

void quantizeRow(const float *x, std::size_t n, std::int8_t *q, float *scale, float *sum)
{
    const __m512 sign = _mm512_set1_ps(-0.0f);
    const std::size_t padded = (n + 255) / 256 * 256;
    for (std::size_t i = 0; i < padded; i += 32) {
        const std::size_t left = i < n ? n - i : 0;
        const __mmask16 first = firstLanes(left < 16 ? left : 16);
        const __mmask16 second = firstLanes(left < 16 ? 0 : left < 32 ? left - 16 : 16);
        const __m512 a = _mm512_maskz_loadu_ps(first, x + i);
        const __m512 b = _mm512_maskz_loadu_ps(second, x + i + 16);
        const float top = _mm512_reduce_max_ps(
            _mm512_max_ps(_mm512_andnot_ps(sign, a), _mm512_andnot_ps(sign, b)));
        const float d = top / 127.0f;
        const __m512 inverse = _mm512_set1_ps(top > 0.0f ? 127.0f / top : 0.0f);
        const __m512i ia = _mm512_cvtps_epi32(_mm512_mul_ps(a, inverse));
        const __m512i ib = _mm512_cvtps_epi32(_mm512_mul_ps(b, inverse));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(q + i), _mm512_cvtsepi32_epi8(ia));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(q + i + 16), _mm512_cvtsepi32_epi8(ib));
        scale[i / 16] = scale[i / 16 + 1] = d;
        sum[i / 16] = d * static_cast<float>(_mm512_reduce_add_epi32(ia));
        sum[i / 16 + 1] = d * static_cast<float>(_mm512_reduce_add_epi32(ib));
    }
}

// 16 weights of a float type from element `at`; lanes outside the mask are zero and not read.
template <DType Type>
inline __m512 loadFloats(Bytes row, std::size_t at, __mmask16 mask)
{
    if constexpr (Type == DType::F32)
        return _mm512_maskz_loadu_ps(mask, row + 4 * at);
    const __m256i half = _mm256_maskz_loadu_epi16(mask, row + 2 * at);
    if constexpr (Type == DType::F16)
        return _mm512_cvtph_ps(half);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

template <DType Type, int R, int T>
void dotFloatBlock(Bytes w, std::size_t rowStride, std::size_t cols, std::size_t ahead,
                   const float *x, std::size_t xStride, float *out, std::size_t outStride)
{
    constexpr int kChains = R * T < 4 ? 4 : 1; // enough independent sums to hide the latency
    __m512 acc[R][T][kChains];
    for (auto &row : acc)
        for (auto &token : row)
            for (auto &chain : token)
                chain = _mm512_setzero_ps();
    const std::size_t step = 16 * kChains;
    std::size_t i = 0;
    for (; i + step <= cols; i += step)
        for (int r = 0; r < R; ++r)
            for (int c = 0; c < kChains; ++c) {
                const Bytes row = w + r * rowStride;
                __builtin_prefetch(row + (i + 16 * c) * (Type == DType::F32 ? 4 : 2) + ahead);
                const __m512 v = loadFloats<Type>(row, i + 16 * c, 0xffff);
                for (int t = 0; t < T; ++t)
                    acc[r][t][c] = _mm512_fmadd_ps(v, _mm512_loadu_ps(x + t * xStride + i + 16 * c),
                                                   acc[r][t][c]);
            }
    for (; i < cols; i += 16) {
        const __mmask16 mask = firstLanes(cols - i < 16 ? cols - i : 16);
        for (int r = 0; r < R; ++r) {
            const __m512 v = loadFloats<Type>(w + r * rowStride, i, mask);
            for (int t = 0; t < T; ++t)
                acc[r][t][0] = _mm512_fmadd_ps(v, _mm512_maskz_loadu_ps(mask, x + t * xStride + i),
                                               acc[r][t][0]);
        }
    }
    for (int r = 0; r < R; ++r)
        for (int t = 0; t < T; ++t) {
            for (int c = 1; c < kChains; ++c)
                acc[r][t][0] = _mm512_add_ps(acc[r][t][0], acc[r][t][c]);
            out[t * outStride + r] = _mm512_reduce_add_ps(acc[r][t][0]);
        }
}

template <DType Type, int T>
void dotFloatTokens(Bytes w, std::size_t rows, std::size_t cols, const float *x,
                    std::size_t xStride, float *out, std::size_t outStride)
{
    constexpr int kRows = T == 1 ? 4 : 2;
    const std::size_t rowStride = cols * (Type == DType::F32 ? 4 : 2);
    const std::size_t ahead = prefetchDistance(kRows * rowStride);
    std::size_t r = 0;
    for (; r + kRows <= rows; r += kRows)
        dotFloatBlock<Type, kRows, T>(w + r * rowStride, rowStride, cols, ahead, x, xStride,
                                      out + r, outStride);
    for (; r < rows; ++r)
        dotFloatBlock<Type, 1, T>(w + r * rowStride, rowStride, cols, ahead, x, xStride, out + r,
                                  outStride);
}

template <DType Type>
void dotFloatType(Bytes w, std::size_t rows, std::size_t cols, const float *x, std::size_t xStride,
                  std::size_t T, float *out, std::size_t outStride)
{
    for (; T >= 4; T -= 4, x += 4 * xStride, out += 4 * outStride)
        dotFloatTokens<Type, 4>(w, rows, cols, x, xStride, out, outStride);
    for (; T >= 2; T -= 2, x += 2 * xStride, out += 2 * outStride)
        dotFloatTokens<Type, 2>(w, rows, cols, x, xStride, out, outStride);
    if (T == 1)
        dotFloatTokens<Type, 1>(w, rows, cols, x, xStride, out, outStride);
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
    const std::size_t rowStride = cols * (Type == DType::F32 ? 4 : 2);
    constexpr std::size_t kSize = Type == DType::F32 ? 4 : 2;
    // Rows are read a few cache lines at a time into a small buffer: rows are often a multiple of 4
    // KiB long, where 16 lines at one offset would evict each other. Rows that do not exist repeat
    // the last.
    constexpr std::size_t kRun = 128;
    alignas(64) float buffer[16][kRun + 16];
    for (std::size_t i = 0; i < count; i += kRun) {
        const std::size_t run = count - i < kRun ? count - i : kRun;
        for (std::size_t r = 0; r < 16; ++r) {
            const Bytes row = w + (r < rows ? r : rows - 1) * rowStride;
            for (std::size_t line = 0; line < kRun * kSize; line += 64)
                __builtin_prefetch(row + (firstCol + i + kRun) * kSize + line);
            for (std::size_t k = 0; k < run; k += 16)
                _mm512_store_ps(&buffer[r][k],
                                loadFloats<Type>(row, firstCol + i + k,
                                                 firstLanes(run - k < 16 ? run - k : 16)));
        }
        for (std::size_t k = 0; k < run; k += 16) {
            __m512i m[16];
#pragma GCC unroll 16
            for (int r = 0; r < 16; ++r)
                m[r] = _mm512_load_si512(&buffer[r][k]);
            transpose16(m);
            const std::size_t left = run - k < 16 ? run - k : 16;
#pragma GCC unroll 16
            for (std::size_t c = 0; c < 16; ++c)
                if (c < left)
                    _mm512_storeu_si512(panel + 16 * (i + k + c), m[c]);
        }
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
void multiplyFloatTileN(const float *panel, const float *tile, std::size_t count,
                        const TileOutput &output)
{
    __m512 acc[N];
    for (int t = 0; t < N; ++t)
        acc[t] = _mm512_setzero_ps();
    for (std::size_t k = 0; k < count; ++k) {
        const __m512 w = _mm512_loadu_ps(panel + 16 * k);
#pragma GCC unroll 12
        for (int t = 0; t < N; ++t)
            acc[t] = _mm512_fmadd_ps(w, _mm512_set1_ps(tile[N * k + t]), acc[t]);
    }
    for (int t = 0; t < N; ++t)
        storeTile(output, t, acc[t]);
}

using FloatTileKernel = void (*)(const float *, const float *, std::size_t, const TileOutput &);
constexpr FloatTileKernel kFloatTileKernels[kMaxTile] = {
    multiplyFloatTileN<1>, multiplyFloatTileN<2>,  multiplyFloatTileN<3>,  multiplyFloatTileN<4>,
    multiplyFloatTileN<5>, multiplyFloatTileN<6>,  multiplyFloatTileN<7>,  multiplyFloatTileN<8>,
    multiplyFloatTileN<9>, multiplyFloatTileN<10>, multiplyFloatTileN<11>, multiplyFloatTileN<12>,
};

void multiplyFloatTile(const float *panel, const float *tile, std::size_t tokens, std::size_t count,
                       const TileOutput &output)
{
    kFloatTileKernels[tokens - 1](panel, tile, count, output);
}

constexpr fireside::cpu::LinearKernels makeTable(fireside::Isa isa)
{
    return {isa,         quantizeRow,  dotRows,          dotFloatRows,
            unpackPanel, multiplyTile, unpackFloatPanel, multiplyFloatTile};
}

} // namespace
