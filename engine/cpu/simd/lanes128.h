#pragma once
// lanes.h with registers of 128 bits: SSE4.1 or NEON. Most is said in the compilers' own vectors,
// which have the usual operators. Private to the including file (see kernels.h).
#include <cstddef>
#include <cstdint>
#if defined(__aarch64__)
#include <arm_neon.h>
#else
#include <smmintrin.h>
#endif

namespace fireside {
namespace {

constexpr std::size_t kLanes = 4;
using Ints = std::int32_t __attribute__((vector_size(16)));
using Words = std::uint32_t __attribute__((vector_size(16)));

/// The same bits as another vector.
template <typename To, typename From>
inline To as(From v)
{
    return reinterpret_cast<To>(v);
}

#if defined(__aarch64__)

using Floats = float32x4_t;
constexpr int kRegisters = 32;

inline Floats multiplyAdd(Floats a, Floats b, Floats c)
{
    return vfmaq_f32(c, a, b);
}
inline Floats negatedMultiplyAdd(Floats a, Floats b, Floats c) // c − a·b
{
    return vfmsq_f32(c, a, b);
}
inline Floats larger(Floats a, Floats b) // b where one of them is NaN
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
inline Floats smaller(Floats a, Floats b) // b where one of them is NaN
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
inline Floats rounded(Floats x)
{
    return vrndnq_f32(x);
}
inline Ints toInts(Floats x) // to nearest
{
    return as<Ints>(vcvtnq_s32_f32(x));
}
inline Floats load(const std::uint16_t *x)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x)));
}
inline void store(std::uint16_t *out, Floats v)
{
    vst1_u16(out, vreinterpret_u16_f16(vcvt_f16_f32(v)));
}

#else

using Floats = __m128;
constexpr int kRegisters = 16;

inline Floats multiplyAdd(Floats a, Floats b, Floats c)
{
    return a * b + c;
}
inline Floats negatedMultiplyAdd(Floats a, Floats b, Floats c) // c − a·b
{
    return c - a * b;
}
inline Floats larger(Floats a, Floats b) // b where one of them is NaN
{
    return _mm_max_ps(a, b);
}
inline Floats smaller(Floats a, Floats b) // b where one of them is NaN
{
    return _mm_min_ps(a, b);
}
inline Floats rounded(Floats x)
{
    return _mm_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Ints toInts(Floats x) // to nearest
{
    return as<Ints>(_mm_cvtps_epi32(x));
}
inline Floats load(const std::uint16_t *x)
{
    const Words h = as<Words>(_mm_cvtepu16_epi32(_mm_loadu_si64(x)));
    const Words sign = (h & 0x8000u) << 16, magnitude = (h & 0x7fffu) << 13;
    // Multiplying by 2^112 moves the exponent of normal and subnormal halves alike.
    const Words value = as<Words>(as<Floats>(magnitude) * _mm_set1_ps(0x1p112f));
    const Words special = as<Words>(as<Ints>(magnitude) > 0x0f7fffff) & 0x7f800000u; // ∞, NaN
    return as<Floats>(value | special | sign);
}
inline void store(std::uint16_t *out, Floats v)
{
    const Words bits = as<Words>(v), sign = (bits >> 16) & 0x8000u, size = bits & 0x7fffffffu;
    // Adding to ½ leaves multiples of the least half; else the exponent moves and carries may pass.
    const Words tiny = as<Words>(as<Floats>(size) + _mm_set1_ps(0.5f)) - 0x3f000000u;
    const Words normal = (size + (0xc8000fffu + ((size >> 13) & 1u))) >> 13;
    const Words special = as<Words>(as<Ints>(size) > 0x7f800000) & 0x200u; // a NaN
    const Words half = as<Ints>(size) < 0x38800000   ? tiny
                       : as<Ints>(size) > 0x477fffff ? (special | 0x7c00u)
                                                     : normal;
    const __m128i both = as<__m128i>(half | sign);
    _mm_storeu_si64(out, _mm_packus_epi32(both, both));
}

#endif

inline Floats zeros()
{
    return Floats{};
}
inline Floats broadcast(float x)
{
    return Floats{x, x, x, x};
}
inline Floats broadcastHalf(const void *x)
{
    std::uint16_t half;
    __builtin_memcpy(&half, x, sizeof half);
    const std::uint16_t four[kLanes] = {half, half, half, half};
    return load(four);
}
/// v, which the compiler then has in a register.
inline Floats kept(Floats v)
{
#if defined(__aarch64__)
    asm("" : "+w"(v));
#else
    asm("" : "+x"(v));
#endif
    return v;
}
inline Floats load(const float *x)
{
    Floats v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}
inline void store(float *out, Floats v)
{
    __builtin_memcpy(out, &v, sizeof v);
}
/// The first n of a vector, or all.
template <typename T>
inline Floats load(const T *x, std::size_t n)
{
    if (n >= kLanes)
        return load(x);
    T lanes[kLanes] = {};
    for (std::size_t i = 0; i < n; ++i)
        lanes[i] = x[i];
    return load(lanes);
}
template <typename T>
inline void store(T *out, Floats v, std::size_t n)
{
    if (n >= kLanes)
        return store(out, v);
    T lanes[kLanes];
    store(lanes, v);
    for (std::size_t i = 0; i < n; ++i)
        out[i] = lanes[i];
}
inline Floats loadBytes(const void *x) // signed
{
    using Four = std::int8_t __attribute__((vector_size(4)));
    Four v;
    __builtin_memcpy(&v, x, sizeof v);
    return Floats{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2]),
                  static_cast<float>(v[3])};
}
inline Floats toFloats(Ints x)
{
    return __builtin_convertvector(x, Floats);
}
/// The first n lanes of v, and `other`.
inline Floats firstOf(Floats v, std::size_t n, Floats other)
{
    return Ints{0, 1, 2, 3} < static_cast<std::int32_t>(n) ? v : other;
}
inline Floats timesPowerOf2(Floats p, Floats n) // n whole; right for subnormal and infinite results
{
    // In two factors, each a normal number.
    const Ints power = toInts(n), half = power >> 1;
    const Floats first = as<Floats>(as<Words>(half + 127) << 23);
    const Floats second = as<Floats>(as<Words>(power - half + 127) << 23);
    return p * first * second;
}
inline float sumOf(Floats v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}
inline float largestOf(Floats v) // no NaN among them
{
    v = larger(v, Floats{v[2], v[3], v[0], v[1]});
    return v[0] > v[1] ? v[0] : v[1];
}

/// Lane i: the sum of vector i.
inline Floats sumsOf(const Floats (&v)[4])
{
    const auto pairs = [](Floats a, Floats b) { // a02 b02 a13 b13
        return __builtin_shufflevector(a, b, 0, 4, 1, 5) +
               __builtin_shufflevector(a, b, 2, 6, 3, 7);
    };
    const Floats a = pairs(v[0], v[1]), b = pairs(v[2], v[3]);
    return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/// r[i][j] ↔ r[j][i]
inline void transpose(Floats (&r)[4])
{
    const Floats a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    const Floats b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    const Floats c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    const Floats d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

} // namespace
} // namespace fireside
