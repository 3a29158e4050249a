#include "engine/cpu/simd/kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace fireside {
namespace {

// Tails go through the same vector code with lanes masked off, so that a value does not depend on
// where in a row it stands.
__m256i tailMask(std::size_t n)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane);
}

__m256 loadTail(const float *x, std::size_t n)
{
    return _mm256_maskload_ps(x, tailMask(n));
}

void storeTail(float *out, __m256 v, std::size_t n)
{
    _mm256_maskstore_ps(out, tailMask(n), v);
}

__m256 loadHalf(const std::uint16_t *x)
{
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(x)));
}

__m256 loadHalfTail(const std::uint16_t *x, std::size_t n)
{
    alignas(16) std::uint16_t lanes[8] = {};
    for (std::size_t i = 0; i < n; ++i)
        lanes[i] = x[i];
    return loadHalf(lanes);
}

float sumOf(__m256 v)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    s = _mm_add_ss(s, _mm_movehdup_ps(s));
    return _mm_cvtss_f32(s);
}

/// eˣ = 2ⁿ·eʳ with |r| ≤ ln2/2; eʳ = 1 + r + r²·p(r), p fitted on Chebyshev nodes.
__m256 exponential(__m256 x)
{
    // The operand order lets NaN through.
    x = _mm256_max_ps(_mm256_set1_ps(-104.0f), x);
    x = _mm256_min_ps(_mm256_set1_ps(89.0f), x);
    const __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)),
                                     _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375f), x);
    r = _mm256_fmadd_ps(n, _mm256_set1_ps(2.12194440e-4f), r);
    __m256 p = _mm256_set1_ps(1.392618359e-3f);
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(8.363179053e-3f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(4.166655462e-2f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.666657699e-1f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0.5f));
    p = _mm256_fmadd_ps(_mm256_mul_ps(r, r), p, r);
    p = _mm256_add_ps(p, _mm256_set1_ps(1.0f));
    // 2ⁿ in two factors, each a normal number: the product may be subnormal or infinite.
    const __m256i power = _mm256_cvtps_epi32(n);
    const __m256i half = _mm256_srai_epi32(power, 1);
    const __m256i bias = _mm256_set1_epi32(127);
    const __m256i first = _mm256_slli_epi32(_mm256_add_epi32(half, bias), 23);
    const __m256i second =
        _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(power, half), bias), 23);
    p = _mm256_mul_ps(p, _mm256_castsi256_ps(first));
    return _mm256_mul_ps(p, _mm256_castsi256_ps(second));
}

float dotF32(const float *a, const float *b, std::size_t n)
{
    __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s0);
        s1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8), _mm256_loadu_ps(b + i + 8), s1);
        s2 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 16), _mm256_loadu_ps(b + i + 16), s2);
        s3 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 24), _mm256_loadu_ps(b + i + 24), s3);
    }
    for (; i + 8 <= n; i += 8)
        s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s0);
    if (i < n)
        s1 = _mm256_fmadd_ps(loadTail(a + i, n - i), loadTail(b + i, n - i), s1);
    return sumOf(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)));
}

float dotF16(const std::uint16_t *a, const float *b, std::size_t n)
{
    __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        s0 = _mm256_fmadd_ps(loadHalf(a + i), _mm256_loadu_ps(b + i), s0);
        s1 = _mm256_fmadd_ps(loadHalf(a + i + 8), _mm256_loadu_ps(b + i + 8), s1);
        s2 = _mm256_fmadd_ps(loadHalf(a + i + 16), _mm256_loadu_ps(b + i + 16), s2);
        s3 = _mm256_fmadd_ps(loadHalf(a + i + 24), _mm256_loadu_ps(b + i + 24), s3);
    }
    for (; i + 8 <= n; i += 8)
        s0 = _mm256_fmadd_ps(loadHalf(a + i), _mm256_loadu_ps(b + i), s0);
    if (i < n)
        s1 = _mm256_fmadd_ps(loadHalfTail(a + i, n - i), loadTail(b + i, n - i), s1);
    return sumOf(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)));
}

float sumSquares(const float *x, std::size_t n)
{
    return dotF32(x, x, n);
}

/// out[i] = f(i-th vectors of a and b), tail included. Unused inputs may be a again.
template <typename F>
void forEach(float *out, const float *a, const float *b, std::size_t n, F f)
{
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, f(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
    if (i < n)
        storeTail(out + i, f(loadTail(a + i, n - i), loadTail(b + i, n - i)), n - i);
}

void scaleMul(float *out, const float *x, const float *w, float scale, std::size_t n)
{
    const __m256 s = _mm256_set1_ps(scale);
    forEach(out, x, w, n,
            [s](__m256 a, __m256 b) { return _mm256_mul_ps(_mm256_mul_ps(a, s), b); });
}

void addScaled(float *out, const float *x, float scale, std::size_t n)
{
    const __m256 s = _mm256_set1_ps(scale);
    forEach(out, x, out, n, [s](__m256 a, __m256 b) { return _mm256_fmadd_ps(a, s, b); });
}

void addScaledF16(float *out, const std::uint16_t *x, float scale, std::size_t n)
{
    const __m256 s = _mm256_set1_ps(scale);
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, _mm256_fmadd_ps(loadHalf(x + i), s, _mm256_loadu_ps(out + i)));
    if (i < n)
        storeTail(out + i, _mm256_fmadd_ps(loadHalfTail(x + i, n - i), s, loadTail(out + i, n - i)),
                  n - i);
}

void scale(float *x, float factor, std::size_t n)
{
    const __m256 s = _mm256_set1_ps(factor);
    forEach(x, x, x, n, [s](__m256 a, __m256) { return _mm256_mul_ps(a, s); });
}

float maximum(const float *x, std::size_t n)
{
    const __m256 least = _mm256_set1_ps(-__builtin_inff());
    __m256 m0 = least, m1 = least;
    std::size_t i = 0;
    // max(x, m) is m where x is NaN
    for (; i + 16 <= n; i += 16) {
        m0 = _mm256_max_ps(_mm256_loadu_ps(x + i), m0);
        m1 = _mm256_max_ps(_mm256_loadu_ps(x + i + 8), m1);
    }
    for (; i + 8 <= n; i += 8)
        m0 = _mm256_max_ps(_mm256_loadu_ps(x + i), m0);
    if (i < n) {
        const __m256i mask = tailMask(n - i);
        const __m256 tail = _mm256_maskload_ps(x + i, mask);
        m0 = _mm256_max_ps(_mm256_blendv_ps(least, tail, _mm256_castsi256_ps(mask)), m0);
    }
    m0 = _mm256_max_ps(m0, m1);
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(m0), _mm256_extractf128_ps(m0, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    m = _mm_max_ss(m, _mm_movehdup_ps(m));
    return _mm_cvtss_f32(m);
}

float expSum(float *x, float subtract, std::size_t n)
{
    const __m256 s = _mm256_set1_ps(subtract);
    __m256 sum = _mm256_setzero_ps();
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256 e = exponential(_mm256_sub_ps(_mm256_loadu_ps(x + i), s));
        _mm256_storeu_ps(x + i, e);
        sum = _mm256_add_ps(sum, e);
    }
    if (i < n) {
        const __m256i mask = tailMask(n - i);
        const __m256 e = exponential(_mm256_sub_ps(_mm256_maskload_ps(x + i, mask), s));
        _mm256_maskstore_ps(x + i, mask, e);
        sum = _mm256_add_ps(sum, _mm256_and_ps(e, _mm256_castsi256_ps(mask)));
    }
    return sumOf(sum);
}

void softcap(float *x, float cap, std::size_t n)
{
    const __m256 one = _mm256_set1_ps(1.0f), two = _mm256_set1_ps(2.0f);
    const __m256 c = _mm256_set1_ps(cap), twice = _mm256_set1_ps(2.0f / cap);
    forEach(x, x, x, n, [=](__m256 v, __m256) {
        const __m256 e = exponential(_mm256_mul_ps(v, twice));
        return _mm256_mul_ps(c, _mm256_sub_ps(one, _mm256_div_ps(two, _mm256_add_ps(e, one))));
    });
}

void siluMul(float *out, const float *gate, const float *up, std::size_t n)
{
    const __m256 one = _mm256_set1_ps(1.0f), zero = _mm256_setzero_ps();
    forEach(out, gate, up, n, [=](__m256 g, __m256 u) {
        const __m256 e = exponential(_mm256_sub_ps(zero, g));
        return _mm256_mul_ps(_mm256_div_ps(g, _mm256_add_ps(one, e)), u);
    });
}

void geluTanhMul(float *out, const float *gate, const float *up, std::size_t n)
{
    // ½x(1 + tanh u) = x / (1 + e^(−2u)), u = √(2/π)·(x + 0.044715x³)
    const __m256 one = _mm256_set1_ps(1.0f), cubic = _mm256_set1_ps(0.044715f);
    const __m256 factor = _mm256_set1_ps(-1.59576912f);
    forEach(out, gate, up, n, [=](__m256 g, __m256 u) {
        const __m256 cube = _mm256_mul_ps(_mm256_mul_ps(g, g), g);
        const __m256 e = exponential(_mm256_mul_ps(factor, _mm256_fmadd_ps(cubic, cube, g)));
        return _mm256_mul_ps(_mm256_div_ps(g, _mm256_add_ps(one, e)), u);
    });
}

void toHalf(std::uint16_t *out, const float *x, std::size_t n)
{
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128(reinterpret_cast<__m128i *>(out + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < n; ++i)
        out[i] = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
}

void fromHalf(float *out, const std::uint16_t *x, std::size_t n)
{
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, loadHalf(x + i));
    if (i < n)
        storeTail(out + i, loadHalfTail(x + i, n - i), n - i);
}

} // namespace

const VectorKernels &avx2VectorKernels()
{
    static constexpr VectorKernels kTable{
        Isa::Avx2, dotF32, dotF16,  sumSquares, scaleMul,    addScaled, addScaledF16, scale,
        maximum,   expSum, softcap, siluMul,    geluTanhMul, toHalf,    fromHalf};
    return kTable;
}

} // namespace fireside
#endif
