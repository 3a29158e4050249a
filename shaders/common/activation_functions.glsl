// The nonlinear functions of Activation (engine/backend/ops/activation.h), good to F32 and without overflow for
// any finite x. Which one is a specialisation constant of the shader, so that the others vanish.
#ifndef FIRESIDE_ACTIVATION_FUNCTIONS_GLSL
#define FIRESIDE_ACTIVATION_FUNCTIONS_GLSL
#include "shaders/common/activation_kinds.h"

/// `value`, or `x` where that is NaN: min, max and clamp may make a number of it.
float keepingNaN(float x, float value)
{
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : value;
}

/// eˣ to about one unit in the last place. Vulkan lets exp() be off by 3 + 2|x| units, too much for
/// the tail of GELU. Reduction by multiples of ln 2 in two parts, then the power series.
float preciseExp(float x)
{
    if (x < -103.0)
        return 0.0; // below half the smallest subnormal
    x = min(x, 100.0); // infinite from here on
    const float n = round(x * 1.44269504);
    // `precise`: or the two parts are put together again. Their products with n are exact.
    precise float r = x - n * 0.693145752;
    r = r - n * 1.42860677e-6;
    float p = 1.0 / 5040.0;
    p = fma(p, r, 1.0 / 720.0);
    p = fma(p, r, 1.0 / 120.0);
    p = fma(p, r, 1.0 / 24.0);
    p = fma(p, r, 1.0 / 6.0);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    p = fma(p, r, 1.0);
    // In two steps: 2ⁿ alone may be below the smallest normal number.
    const int part = int(n) / 2;
    return p * uintBitsToFloat(uint(part + 127) << 23) *
           uintBitsToFloat(uint(int(n) - part + 127) << 23);
}

/// ½ erfc(z/√2) for z ≥ 0, the upper tail of the normal distribution, with a relative error below
/// 5e-7 wherever the result is a normal number. (1 + z)·e^(z²/2)·½erfc(z/√2) is a polynomial in
/// (z − c)/(z + c), after Shepherd and Laframboise, Math. Comp. 36 (1981); the coefficients are a
/// Chebyshev fit over 0 ≤ z ≤ 14 with c = 3.75 (relative error 2e-8).
float normalTail(float z)
{
    if (z > 14.0)
        return 0.0;
    const float t = (z - 3.75) / (z + 3.75);
    float p = 1.772939536e-4;
    p = fma(p, t, 4.962740755e-4);
    p = fma(p, t, -1.201325494e-3);
    p = fma(p, t, -2.218295401e-3);
    p = fma(p, t, 1.450081692e-2);
    p = fma(p, t, -3.180874228e-2);
    p = fma(p, t, 3.344929538e-2);
    p = fma(p, t, 7.859121658e-3);
    p = fma(p, t, -9.74114728e-2);
    p = fma(p, t, 4.751862504e-1);
    // z² = s² + (z − s)(z + s) with s² exact: the rounding of z² would be multiplied by z²/2.
    const float s = uintBitsToFloat(floatBitsToUint(z) & 0xfffff000u);
    precise const float low = z - s;
    precise const float rest = -0.5 * low * (z + s);
    return preciseExp(-0.5 * s * s) * preciseExp(rest) * p / (1.0 + z);
}

/// tanh with a small relative error for small x too; GLSL's own only has a small absolute one and
/// overflows on some drivers.
float safeTanh(float x)
{
    const float y = abs(x);
    if (y < 0.6) {
        const float s = x * x;
        float p = 2.370765362e-3; // Chebyshev fit of (tanh x − x)/x³ in x², error 1e-9
        p = fma(p, s, -8.410070525e-3);
        p = fma(p, s, 2.17883219e-2);
        p = fma(p, s, -5.396155177e-2);
        p = fma(p, s, 1.333331287e-1);
        p = fma(p, s, -3.333333323e-1);
        return fma(x * s, p, x);
    }
    const float t = 1.0 - 2.0 / (exp(2.0 * min(y, 10.0)) + 1.0);
    return x < 0.0 ? -t : t;
}

float sigmoid(float x)
{
    return 1.0 / (1.0 + exp(-x)); // e^−x may become infinite: the quotient is 0 then
}

/// eˣ − 1 with a small relative error for small x too.
float safeExpm1(float x)
{
    if (abs(x) > 0.5)
        return preciseExp(x) - 1.0;
    float p = 1.0 / 40320.0;
    p = fma(p, x, 1.0 / 5040.0);
    p = fma(p, x, 1.0 / 720.0);
    p = fma(p, x, 1.0 / 120.0);
    p = fma(p, x, 1.0 / 24.0);
    p = fma(p, x, 1.0 / 6.0);
    p = fma(p, x, 0.5);
    return fma(p * x, x, x);
}

/// ln(1 + u) for 0 ≤ u ≤ 1: 2 artanh(s) with s = u / (2 + u) ≤ ⅓. GLSL's own log() may be off by
/// 5e-7 near 1.
float smallLog1p(float u)
{
    const float s = u / (2.0 + u), q = s * s;
    float p = 1.0 / 15.0;
    p = fma(p, q, 1.0 / 13.0);
    p = fma(p, q, 1.0 / 11.0);
    p = fma(p, q, 1.0 / 9.0);
    p = fma(p, q, 1.0 / 7.0);
    p = fma(p, q, 1.0 / 5.0);
    p = fma(p, q, 1.0 / 3.0);
    p = fma(p, q, 1.0);
    return 2.0 * s * p;
}

/// ln(1 + eˣ) = max(x, 0) + ln(1 + e^−|x|)
float softplus(float x)
{
    return keepingNaN(x, max(x, 0.0) + smallLog1p(preciseExp(-abs(x))));
}

/// The function `kind` of one value.
float activation(uint kind, float x)
{
    if (kind == kActivationSiLU)
        return x / (1.0 + exp(-x));
    if (kind == kActivationGeluErf) {
        const float tail = normalTail(abs(x));
        return x * (x < 0.0 ? tail : 1.0 - tail);
    }
    if (kind == kActivationGeluTanh) {
        // ½(1 + tanh u) = σ(2u), 2u = 2√(2/π)(x + 0.044715x³)
        return x * sigmoid(1.59576912 * x * fma(0.044715 * x, x, 1.0));
    }
    if (kind == kActivationReluSquared || kind == kActivationRelu) {
        const float positive = keepingNaN(x, max(x, 0.0));
        return kind == kActivationRelu ? positive : positive * positive;
    }
    if (kind == kActivationSigmoid)
        return sigmoid(x);
    if (kind == kActivationTanh)
        return keepingNaN(x, safeTanh(x));
    if (kind == kActivationQuickGelu)
        return x * sigmoid(1.702 * x);
    return x;
}

/// act(g) ⊙ u
float gatedActivation(uint kind, float g, float u)
{
    if (kind == kActivationClampedSwiGlu) {
        const float gate = keepingNaN(g, min(g, 7.0));
        return gate * sigmoid(1.702 * gate) * (keepingNaN(u, clamp(u, -7.0, 7.0)) + 1.0);
    }
    return activation(kind, g) * u;
}

#endif
