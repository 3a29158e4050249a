#include "engine/cpu/simd/kernels.h"
#include "engine/tensor/half.h"

#include <algorithm>
#include <bit>
#include <limits>

// Plain loops in lanes of eight, which any compiler turns into the vectors of its default target.
namespace fireside {
namespace {

constexpr std::size_t kLanes = 8;

float sumOf(const float (&lanes)[kLanes])
{
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
           ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/// eˣ = 2ⁿ·eʳ with |r| ≤ ln2/2; eʳ = 1 + r + r²·p(r), p fitted on Chebyshev nodes.
float exponential(float x)
{
    x = x < -104.0f ? -104.0f : x;        // smaller still is 0; NaN passes
    x = x > 89.0f ? 89.0f : x;            // larger still is ∞
    constexpr float kRound = 12582912.0f; // 1.5·2²³: adding it rounds to an integer
    const float n = (x * 1.44269504f + kRound) - kRound;
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.392618359e-3f;
    p = p * r + 8.363179053e-3f;
    p = p * r + 4.166655462e-2f;
    p = p * r + 1.666657699e-1f;
    p = p * r + 0.5f;
    const float e = 1.0f + (r + r * r * p);
    // In two factors, each a normal number: the product may be subnormal or infinite. NaN has no n.
    const int power = n == n ? static_cast<int>(n) : 0;
    const int half = power / 2;
    const float first = std::bit_cast<float>((half + 127) << 23);
    const float second = std::bit_cast<float>((power - half + 127) << 23);
    return e * first * second;
}

float dotF32(const float *a, const float *b, std::size_t n)
{
    float lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t l = 0; l < kLanes; ++l)
            lanes[l] += a[i + l] * b[i + l];
    float sum = sumOf(lanes);
    for (; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

float dotF16(const std::uint16_t *a, const float *b, std::size_t n)
{
    float lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t l = 0; l < kLanes; ++l)
            lanes[l] += halfToFloat(a[i + l]) * b[i + l];
    float sum = sumOf(lanes);
    for (; i < n; ++i)
        sum += halfToFloat(a[i]) * b[i];
    return sum;
}

float sumSquares(const float *x, std::size_t n)
{
    return dotF32(x, x, n);
}

void scaleMul(float *out, const float *x, const float *w, float scale, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = x[i] * scale * w[i];
}

void addScaled(float *out, const float *x, float scale, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] += scale * x[i];
}

void addScaledF16(float *out, const std::uint16_t *x, float scale, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] += scale * halfToFloat(x[i]);
}

void scale(float *x, float factor, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        x[i] *= factor;
}

float maximum(const float *x, std::size_t n)
{
    float lanes[kLanes];
    std::fill_n(lanes, kLanes, -std::numeric_limits<float>::infinity());
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t l = 0; l < kLanes; ++l)
            lanes[l] = x[i + l] > lanes[l] ? x[i + l] : lanes[l];
    for (; i < n; ++i)
        lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
    return *std::max_element(lanes, lanes + kLanes);
}

float expSum(float *x, float subtract, std::size_t n)
{
    float lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t l = 0; l < kLanes; ++l) {
            x[i + l] = exponential(x[i + l] - subtract);
            lanes[l] += x[i + l];
        }
    float sum = sumOf(lanes);
    for (; i < n; ++i) {
        x[i] = exponential(x[i] - subtract);
        sum += x[i];
    }
    return sum;
}

void softcap(float *x, float cap, std::size_t n)
{
    const float twice = 2.0f / cap;
    for (std::size_t i = 0; i < n; ++i)
        x[i] = cap * (1.0f - 2.0f / (exponential(x[i] * twice) + 1.0f));
}

void siluMul(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = gate[i] / (1.0f + exponential(-gate[i])) * up[i];
}

void sigmoidMul(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = up[i] / (1.0f + exponential(-gate[i]));
}

void geluTanhMul(float *out, const float *gate, const float *up, std::size_t n)
{
    // ½x(1 + tanh u) = x / (1 + e^(−2u)), u = √(2/π)·(x + 0.044715x³)
    for (std::size_t i = 0; i < n; ++i) {
        const float x = gate[i];
        const float minusTwoU = -1.59576912f * (x + 0.044715f * x * x * x);
        out[i] = x / (1.0f + exponential(minusTwoU)) * up[i];
    }
}

/// erfc keeps the small values of the left tail.
void geluErfMul(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = 0.5f * gate[i] * __builtin_erfcf(-0.70710678f * gate[i]) * up[i];
}

void deltaRow(float *S, std::size_t stride, std::size_t keys, const DeltaRow &row,
              const float *value, float *out, std::size_t n)
{
    for (std::size_t first = 0; first < n; first += kLanes) {
        const std::size_t count = std::min(kLanes, n - first);
        float seen[kLanes] = {}, asked[kLanes] = {};
        for (std::size_t i = 0; i < keys; ++i)
            for (std::size_t l = 0; l < count; ++l) {
                const float s = S[i * stride + first + l];
                seen[l] += s * row.decayedKey[i];
                asked[l] += s * row.decayedQuery[i];
            }
        for (std::size_t l = 0; l < count; ++l) {
            const float delta = row.rate * (value[first + l] - seen[l]);
            out[first + l] = asked[l] + row.overlap * delta;
            seen[l] = delta;
        }
        for (std::size_t i = 0; i < keys; ++i)
            for (std::size_t l = 0; l < count; ++l) {
                float &s = S[i * stride + first + l];
                s = row.decay[i] * s + row.key[i] * seen[l];
            }
    }
}

float scan(float *s, float decay, float input, const float *b, const float *c, std::size_t n)
{
    float lanes[kLanes] = {};
    for (std::size_t i = 0; i < n; ++i) {
        s[i] = decay * s[i] + input * b[i];
        lanes[i % kLanes] += s[i] * c[i];
    }
    return sumOf(lanes);
}

float selectiveScan(float *s, const float *a, float step, float input, const float *b,
                    const float *c, std::size_t n)
{
    float lanes[kLanes] = {};
    for (std::size_t i = 0; i < n; ++i) {
        s[i] = exponential(step * a[i]) * s[i] + input * b[i];
        lanes[i % kLanes] += s[i] * c[i];
    }
    return sumOf(lanes);
}

void toHalf(std::uint16_t *out, const float *x, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = floatToHalf(x[i]);
}

void fromHalf(float *out, const std::uint16_t *x, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = halfToFloat(x[i]);
}

} // namespace

const VectorKernels &baselineVectorKernels()
{
    static constexpr VectorKernels kTable{
        Isa::Baseline, dotF32,   dotF16, sumSquares,    scaleMul, addScaled,  addScaledF16,
        scale,         maximum,  expSum, softcap,       siluMul,  sigmoidMul, geluTanhMul,
        geluErfMul,    deltaRow, scan,   selectiveScan, toHalf,   fromHalf};
    return kTable;
}

} // namespace fireside
