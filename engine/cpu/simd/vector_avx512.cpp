#include "engine/cpu/simd/kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace fireside {
namespace {

__mmask16 tailMask(std::size_t n)
{
    return static_cast<__mmask16>((1u << n) - 1u);
}

__m512 loadHalf(const std::uint16_t *x)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(x)));
}

__m512 loadHalfTail(const std::uint16_t *x, __mmask16 mask)
{
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, x));
}

/// eˣ = 2ⁿ·eʳ with |r| ≤ ln2/2; eʳ = 1 + r + r²·p(r), p fitted on Chebyshev nodes.
__m512 exponential(__m512 x)
{
    // The operand order lets NaN through.
    x = _mm512_max_ps(_mm512_set1_ps(-104.0f), x);
    x = _mm512_min_ps(_mm512_set1_ps(89.0f), x);
    const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)),
                                          _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x);
    r = _mm512_fmadd_ps(n, _mm512_set1_ps(2.12194440e-4f), r);
    __m512 p = _mm512_set1_ps(1.392618359e-3f);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.363179053e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.166655462e-2f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.666657699e-1f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.5f));
    p = _mm512_fmadd_ps(_mm512_mul_ps(r, r), p, r);
    p = _mm512_add_ps(p, _mm512_set1_ps(1.0f));
    return _mm512_scalef_ps(p, n); // right for subnormal and infinite results too
}

float dotF32(const float *a, const float *b, std::size_t n)
{
    __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    std::size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s0);
        s1 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 16), _mm512_loadu_ps(b + i + 16), s1);
        s2 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 32), _mm512_loadu_ps(b + i + 32), s2);
        s3 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 48), _mm512_loadu_ps(b + i + 48), s3);
    }
    for (; i + 16 <= n; i += 16)
        s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s0);
    if (i < n) {
        const __mmask16 m = tailMask(n - i);
        s1 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(m, a + i), _mm512_maskz_loadu_ps(m, b + i), s1);
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
}

float dotF16(const std::uint16_t *a, const float *b, std::size_t n)
{
    __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    std::size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        s0 = _mm512_fmadd_ps(loadHalf(a + i), _mm512_loadu_ps(b + i), s0);
        s1 = _mm512_fmadd_ps(loadHalf(a + i + 16), _mm512_loadu_ps(b + i + 16), s1);
        s2 = _mm512_fmadd_ps(loadHalf(a + i + 32), _mm512_loadu_ps(b + i + 32), s2);
        s3 = _mm512_fmadd_ps(loadHalf(a + i + 48), _mm512_loadu_ps(b + i + 48), s3);
    }
    for (; i + 16 <= n; i += 16)
        s0 = _mm512_fmadd_ps(loadHalf(a + i), _mm512_loadu_ps(b + i), s0);
    if (i < n) {
        const __mmask16 m = tailMask(n - i);
        s1 = _mm512_fmadd_ps(loadHalfTail(a + i, m), _mm512_maskz_loadu_ps(m, b + i), s1);
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
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
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(out + i, f(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i)));
    if (i < n) {
        const __mmask16 m = tailMask(n - i);
        _mm512_mask_storeu_ps(out + i, m,
                              f(_mm512_maskz_loadu_ps(m, a + i), _mm512_maskz_loadu_ps(m, b + i)));
    }
}

void scaleMul(float *out, const float *x, const float *w, float scale, std::size_t n)
{
    const __m512 s = _mm512_set1_ps(scale);
    forEach(out, x, w, n,
            [s](__m512 a, __m512 b) { return _mm512_mul_ps(_mm512_mul_ps(a, s), b); });
}

void addScaled(float *out, const float *x, float scale, std::size_t n)
{
    const __m512 s = _mm512_set1_ps(scale);
    forEach(out, x, out, n, [s](__m512 a, __m512 b) { return _mm512_fmadd_ps(a, s, b); });
}

void addScaledF16(float *out, const std::uint16_t *x, float scale, std::size_t n)
{
    const __m512 s = _mm512_set1_ps(scale);
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(out + i, _mm512_fmadd_ps(loadHalf(x + i), s, _mm512_loadu_ps(out + i)));
    if (i < n) {
        const __mmask16 m = tailMask(n - i);
        const __m512 sum =
            _mm512_fmadd_ps(loadHalfTail(x + i, m), s, _mm512_maskz_loadu_ps(m, out + i));
        _mm512_mask_storeu_ps(out + i, m, sum);
    }
}

void scale(float *x, float factor, std::size_t n)
{
    const __m512 s = _mm512_set1_ps(factor);
    forEach(x, x, x, n, [s](__m512 a, __m512) { return _mm512_mul_ps(a, s); });
}

float maximum(const float *x, std::size_t n)
{
    const __m512 least = _mm512_set1_ps(-__builtin_inff());
    __m512 m0 = least, m1 = least;
    std::size_t i = 0;
    // max(x, m) is m where x is NaN
    for (; i + 32 <= n; i += 32) {
        m0 = _mm512_max_ps(_mm512_loadu_ps(x + i), m0);
        m1 = _mm512_max_ps(_mm512_loadu_ps(x + i + 16), m1);
    }
    for (; i + 16 <= n; i += 16)
        m0 = _mm512_max_ps(_mm512_loadu_ps(x + i), m0);
    if (i < n)
        m0 = _mm512_max_ps(_mm512_mask_loadu_ps(least, tailMask(n - i), x + i), m0);
    return _mm512_reduce_max_ps(_mm512_max_ps(m0, m1));
}

float expSum(float *x, float subtract, std::size_t n)
{
    const __m512 s = _mm512_set1_ps(subtract);
    __m512 sum = _mm512_setzero_ps();
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512 e = exponential(_mm512_sub_ps(_mm512_loadu_ps(x + i), s));
        _mm512_storeu_ps(x + i, e);
        sum = _mm512_add_ps(sum, e);
    }
    if (i < n) {
        const __mmask16 m = tailMask(n - i);
        const __m512 e = exponential(_mm512_sub_ps(_mm512_maskz_loadu_ps(m, x + i), s));
        _mm512_mask_storeu_ps(x + i, m, e);
        sum = _mm512_mask_add_ps(sum, m, sum, e);
    }
    return _mm512_reduce_add_ps(sum);
}

void softcap(float *x, float cap, std::size_t n)
{
    const __m512 one = _mm512_set1_ps(1.0f), two = _mm512_set1_ps(2.0f);
    const __m512 c = _mm512_set1_ps(cap), twice = _mm512_set1_ps(2.0f / cap);
    forEach(x, x, x, n, [=](__m512 v, __m512) {
        const __m512 e = exponential(_mm512_mul_ps(v, twice));
        return _mm512_mul_ps(c, _mm512_sub_ps(one, _mm512_div_ps(two, _mm512_add_ps(e, one))));
    });
}

void siluMul(float *out, const float *gate, const float *up, std::size_t n)
{
    const __m512 one = _mm512_set1_ps(1.0f), zero = _mm512_setzero_ps();
    forEach(out, gate, up, n, [=](__m512 g, __m512 u) {
        const __m512 e = exponential(_mm512_sub_ps(zero, g));
        return _mm512_mul_ps(_mm512_div_ps(g, _mm512_add_ps(one, e)), u);
    });
}

void geluTanhMul(float *out, const float *gate, const float *up, std::size_t n)
{
    // ½x(1 + tanh u) = x / (1 + e^(−2u)), u = √(2/π)·(x + 0.044715x³)
    const __m512 one = _mm512_set1_ps(1.0f), cubic = _mm512_set1_ps(0.044715f);
    const __m512 factor = _mm512_set1_ps(-1.59576912f);
    forEach(out, gate, up, n, [=](__m512 g, __m512 u) {
        const __m512 cube = _mm512_mul_ps(_mm512_mul_ps(g, g), g);
        const __m512 e = exponential(_mm512_mul_ps(factor, _mm512_fmadd_ps(cubic, cube, g)));
        return _mm512_mul_ps(_mm512_div_ps(g, _mm512_add_ps(one, e)), u);
    });
}

void toHalf(std::uint16_t *out, const float *x, std::size_t n)
{
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(out + i),
                            _mm512_cvtps_ph(_mm512_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
    if (i < n) {
        const __mmask16 m = tailMask(n - i);
        _mm256_mask_storeu_epi16(
            out + i, m,
            _mm512_cvtps_ph(_mm512_maskz_loadu_ps(m, x + i), _MM_FROUND_TO_NEAREST_INT));
    }
}

void fromHalf(float *out, const std::uint16_t *x, std::size_t n)
{
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(out + i, loadHalf(x + i));
    if (i < n) {
        const __mmask16 m = tailMask(n - i);
        _mm512_mask_storeu_ps(out + i, m, loadHalfTail(x + i, m));
    }
}

constexpr VectorKernels tableFor(Isa isa)
{
    return {isa,     dotF32, dotF16,  sumSquares, scaleMul,    addScaled, addScaledF16, scale,
            maximum, expSum, softcap, siluMul,    geluTanhMul, toHalf,    fromHalf};
}

} // namespace

const VectorKernels &avx512VectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Avx512);
    return kTable;
}

// VNNI adds integer dot products only: the float loops are the same.
const VectorKernels &avx512VnniVectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Avx512Vnni);
    return kTable;
}

} // namespace fireside
#endif
