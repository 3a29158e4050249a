#pragma once
// The loops of VectorKernels for the including file's instruction set. Tails go through the same
// code with lanes masked off, so that a value does not depend on where in a row it stands.
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/lanes.h"

namespace fireside {
namespace {

/// eˣ = 2ⁿ·eʳ with |r| ≤ ln2/2; eʳ = 1 + r + r²·p(r), p fitted on Chebyshev nodes.
inline Floats exponential(Floats x)
{
    // The operand order lets NaN through.
    x = smaller(broadcast(89.0f), larger(broadcast(-104.0f), x));
    const Floats n = rounded(x * broadcast(1.44269504f));
    Floats r = negatedMultiplyAdd(n, broadcast(0.693359375f), x);
    r = multiplyAdd(n, broadcast(2.12194440e-4f), r);
    Floats p = broadcast(1.392618359e-3f);
    p = multiplyAdd(p, r, broadcast(8.363179053e-3f));
    p = multiplyAdd(p, r, broadcast(4.166655462e-2f));
    p = multiplyAdd(p, r, broadcast(1.666657699e-1f));
    p = multiplyAdd(p, r, broadcast(0.5f));
    p = multiplyAdd(r * r, p, r);
    return timesPowerOf2(p + broadcast(1.0f), n);
}

template <typename A>
float dot(const A *a, const float *b, std::size_t n)
{
    Floats s0 = zeros(), s1 = s0, s2 = s0, s3 = s0;
    std::size_t i = 0;
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
        s0 = multiplyAdd(load(a + i), load(b + i), s0);
        s1 = multiplyAdd(load(a + i + kLanes), load(b + i + kLanes), s1);
        s2 = multiplyAdd(load(a + i + 2 * kLanes), load(b + i + 2 * kLanes), s2);
        s3 = multiplyAdd(load(a + i + 3 * kLanes), load(b + i + 3 * kLanes), s3);
    }
    for (; i + kLanes <= n; i += kLanes)
        s0 = multiplyAdd(load(a + i), load(b + i), s0);
    if (i < n)
        s1 = multiplyAdd(load(a + i, n - i), load(b + i, n - i), s1);
    return sumOf((s0 + s1) + (s2 + s3));
}

float dotF32(const float *a, const float *b, std::size_t n)
{
    return dot(a, b, n);
}

float dotF16(const std::uint16_t *a, const float *b, std::size_t n)
{
    return dot(a, b, n);
}

float sumSquares(const float *x, std::size_t n)
{
    return dot(x, x, n);
}

/// out[i] = f(i-th vectors of a and b), tail included. Unused inputs may be a again.
template <typename A, typename F>
void forEach(float *out, const A *a, const float *b, std::size_t n, F f)
{
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        store(out + i, f(load(a + i), load(b + i)));
    if (i < n)
        store(out + i, f(load(a + i, n - i), load(b + i, n - i)), n - i);
}

void scaleMul(float *out, const float *x, const float *w, float scale, std::size_t n)
{
    const Floats s = broadcast(scale);
    forEach(out, x, w, n, [s](Floats a, Floats b) { return a * s * b; });
}

void addScaled(float *out, const float *x, float scale, std::size_t n)
{
    const Floats s = broadcast(scale);
    forEach(out, x, out, n, [s](Floats a, Floats b) { return multiplyAdd(a, s, b); });
}

void addScaledF16(float *out, const std::uint16_t *x, float scale, std::size_t n)
{
    const Floats s = broadcast(scale);
    forEach(out, x, out, n, [s](Floats a, Floats b) { return multiplyAdd(a, s, b); });
}

void scale(float *x, float factor, std::size_t n)
{
    const Floats s = broadcast(factor);
    forEach(x, x, x, n, [s](Floats a, Floats) { return a * s; });
}

float maximum(const float *x, std::size_t n)
{
    const Floats least = broadcast(-__builtin_inff());
    Floats m0 = least, m1 = least;
    std::size_t i = 0;
    // larger(x, m) is m where x is NaN
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
        m0 = larger(load(x + i), m0);
        m1 = larger(load(x + i + kLanes), m1);
    }
    for (; i + kLanes <= n; i += kLanes)
        m0 = larger(load(x + i), m0);
    if (i < n)
        m0 = larger(firstOf(load(x + i, n - i), n - i, least), m0);
    return largestOf(larger(m0, m1));
}

float expSum(float *x, float subtract, std::size_t n)
{
    const Floats s = broadcast(subtract);
    Floats sum = zeros(), second = zeros();
    std::size_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
        const Floats e = exponential(load(x + i) - s), f = exponential(load(x + i + kLanes) - s);
        store(x + i, e);
        store(x + i + kLanes, f);
        sum = sum + e;
        second = second + f;
    }
    sum = sum + second;
    for (; i + kLanes <= n; i += kLanes) {
        const Floats e = exponential(load(x + i) - s);
        store(x + i, e);
        sum = sum + e;
    }
    if (i < n) {
        const Floats e = exponential(load(x + i, n - i) - s);
        store(x + i, e, n - i);
        sum = sum + firstOf(e, n - i, zeros());
    }
    return sumOf(sum);
}

void softcap(float *x, float cap, std::size_t n)
{
    const Floats one = broadcast(1.0f), two = broadcast(2.0f);
    const Floats c = broadcast(cap), twice = broadcast(2.0f / cap);
    forEach(x, x, x, n,
            [=](Floats v, Floats) { return c * (one - two / (exponential(v * twice) + one)); });
}

void siluMul(float *out, const float *gate, const float *up, std::size_t n)
{
    const Floats one = broadcast(1.0f);
    forEach(out, gate, up, n,
            [=](Floats g, Floats u) { return g / (one + exponential(zeros() - g)) * u; });
}

void sigmoidMul(float *out, const float *gate, const float *up, std::size_t n)
{
    const Floats one = broadcast(1.0f);
    forEach(out, gate, up, n,
            [=](Floats g, Floats u) { return u / (one + exponential(zeros() - g)); });
}

void geluTanhMul(float *out, const float *gate, const float *up, std::size_t n)
{
    // ½x(1 + tanh u) = x / (1 + e^(−2u)), u = √(2/π)·(x + 0.044715x³)
    const Floats one = broadcast(1.0f), cubic = broadcast(0.044715f);
    const Floats factor = broadcast(-1.59576912f);
    forEach(out, gate, up, n, [=](Floats g, Floats u) {
        const Floats cube = g * g * g;
        return g / (one + exponential(factor * multiplyAdd(cubic, cube, g))) * u;
    });
}

/// x·Φ(x) = max(x, 0) − |x|·½erfc(z) with z = |x|/√2 and erfc(z) = t·e^(p(t) − z²), t = 1/(1 +
/// z/2); p fitted on Chebyshev nodes. So the small values of the left tail are kept.
void geluErfMul(float *out, const float *gate, const float *up, std::size_t n)
{
    constexpr float kP[] = {-1.265465954f, 0.9983912722f, 0.3953273104f, -0.04462499608f,
                            0.3598362517f, -1.012336463f, 0.7582979985f, -0.1894261722f};
    const Floats one = broadcast(1.0f), half = broadcast(0.5f), root = broadcast(0.70710678f);
    forEach(out, gate, up, n, [=](Floats g, Floats u) {
        // |g|, of +∞ a large number, as nothing is to be taken off there; lets NaN through
        const Floats size = larger(zeros() - g, smaller(broadcast(1e30f), g));
        const Floats z = size * root;
        const Floats t = one / multiplyAdd(half, z, one);
        Floats p = broadcast(kP[7]);
        for (int i = 7; i-- > 0;)
            p = multiplyAdd(p, t, broadcast(kP[i]));
        const Floats tail = half * t * exponential(negatedMultiplyAdd(z, z, p));
        return negatedMultiplyAdd(size, tail, larger(zeros(), g)) * u;
    });
}

/// kVectors vectors of columns, of the last one the first n ≤ kLanes.
template <std::size_t kVectors>
void deltaColumns(float *S, std::size_t stride, std::size_t keys, const DeltaRow &row,
                  const float *value, float *out, std::size_t n)
{
    const auto loaded = [n](const float *from, std::size_t v) {
        return v + 1 < kVectors ? load(from + v * kLanes) : load(from + v * kLanes, n);
    };
    const auto stored = [n](float *to, std::size_t v, Floats x) {
        if (v + 1 < kVectors)
            store(to + v * kLanes, x);
        else
            store(to + v * kLanes, x, n);
    };
    Floats seen[kVectors], asked[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v)
        seen[v] = asked[v] = zeros();
    for (std::size_t i = 0; i < keys; ++i) {
        const Floats key = broadcast(row.decayedKey[i]), query = broadcast(row.decayedQuery[i]);
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Floats s = loaded(S + i * stride, v);
            seen[v] = multiplyAdd(s, key, seen[v]);
            asked[v] = multiplyAdd(s, query, asked[v]);
        }
    }
    const Floats rate = broadcast(row.rate), overlap = broadcast(row.overlap);
    for (std::size_t v = 0; v < kVectors; ++v) {
        seen[v] = rate * (loaded(value, v) - seen[v]);
        stored(out, v, multiplyAdd(overlap, seen[v], asked[v]));
    }
    for (std::size_t i = 0; i < keys; ++i) {
        const Floats decay = broadcast(row.decay[i]), key = broadcast(row.key[i]);
        for (std::size_t v = 0; v < kVectors; ++v)
            stored(S + i * stride, v, multiplyAdd(decay, loaded(S + i * stride, v), key * seen[v]));
    }
}

void deltaRow(float *S, std::size_t stride, std::size_t keys, const DeltaRow &row,
              const float *value, float *out, std::size_t n)
{
    constexpr std::size_t kAtOnce = 4;
    std::size_t i = 0;
    for (; i + kAtOnce * kLanes <= n; i += kAtOnce * kLanes)
        deltaColumns<kAtOnce>(S + i, stride, keys, row, value + i, out + i, kLanes);
    for (; i + kLanes <= n; i += kLanes)
        deltaColumns<1>(S + i, stride, keys, row, value + i, out + i, kLanes);
    if (i < n)
        deltaColumns<1>(S + i, stride, keys, row, value + i, out + i, n - i);
}

/// s = decays(i)·s + input·b, returns Σ s·c; decays gives the vector from element i on, of n lanes.
template <typename Decays>
float scanWith(float *s, float input, const float *b, const float *c, std::size_t n, Decays decays)
{
    const Floats in = broadcast(input);
    Floats s0 = zeros(), s1 = s0;
    std::size_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
        const std::size_t j = i + kLanes;
        const Floats x = multiplyAdd(decays(i, kLanes), load(s + i), in * load(b + i));
        const Floats y = multiplyAdd(decays(j, kLanes), load(s + j), in * load(b + j));
        store(s + i, x);
        store(s + j, y);
        s0 = multiplyAdd(x, load(c + i), s0);
        s1 = multiplyAdd(y, load(c + j), s1);
    }
    for (; i < n; i += kLanes) {
        const std::size_t count = n - i < kLanes ? n - i : kLanes;
        const Floats x = multiplyAdd(decays(i, count), load(s + i, count), in * load(b + i, count));
        store(s + i, x, count);
        s0 = multiplyAdd(x, load(c + i, count), s0);
    }
    return sumOf(s0 + s1);
}

float scan(float *s, float decay, float input, const float *b, const float *c, std::size_t n)
{
    const Floats d = broadcast(decay);
    return scanWith(s, input, b, c, n, [d](std::size_t, std::size_t) { return d; });
}

float selectiveScan(float *s, const float *a, float step, float input, const float *b,
                    const float *c, std::size_t n)
{
    const Floats t = broadcast(step);
    return scanWith(s, input, b, c, n, [a, t](std::size_t i, std::size_t count) {
        return exponential(t * load(a + i, count));
    });
}

void toHalf(std::uint16_t *out, const float *x, std::size_t n)
{
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        store(out + i, load(x + i));
    if (i < n)
        store(out + i, load(x + i, n - i), n - i);
}

void fromHalf(float *out, const std::uint16_t *x, std::size_t n)
{
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        store(out + i, load(x + i));
    if (i < n)
        store(out + i, load(x + i, n - i), n - i);
}

constexpr VectorKernels tableFor(Isa isa)
{
    return {isa,        dotF32,   dotF16, sumSquares,    scaleMul, addScaled,  addScaledF16,
            scale,      maximum,  expSum, softcap,       siluMul,  sigmoidMul, geluTanhMul,
            geluErfMul, deltaRow, scan,   selectiveScan, toHalf,   fromHalf};
}

} // namespace
} // namespace fireside
