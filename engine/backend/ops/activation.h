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
};

enum class Accumulate { Overwrite, AddToOutput };

} // namespace fireside
