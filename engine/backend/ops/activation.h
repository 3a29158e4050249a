#pragma once

namespace fireside {

/// The nonlinear functions. GELU comes in two forms that differ by up to 4.7e-4: a model says
/// which.
enum class Activation {
    SiLU,          // x·σ(x)
    GeluErf,       // ½x(1 + erf(x/√2)), arXiv 1606.08415
    GeluTanh,      // ½x(1 + tanh(√(2/π)(x + 0.044715x³)))
    ReluSquared,   // max(x, 0)², arXiv 2109.08668
    ClampedSwiGlu, // gated only: g·σ(1.702 g)·(u + 1), g ≤ 7, |u| ≤ 7 (gpt-oss)
    Relu,          // max(x, 0)
    Sigmoid,       // σ(x)
    Tanh,
    QuickGelu, // x·σ(1.702x)
    XIelu,     // of Activate only, as it has numbers
};

/// x > 0: alphaP·x² + beta·x, else (expm1(min(x, eps)) − x)·alphaN + beta·x, arXiv 2411.13010.
/// Files store a and b of alphaP = softplus(a) and alphaN = beta + softplus(b).
struct XIelu
{
    float alphaP = 0.8f, alphaN = 0.8f, beta = 0.5f, eps = -1e-6f;
};

enum class Accumulate { Overwrite, AddToOutput };

} // namespace fireside
