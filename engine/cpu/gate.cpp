#include "engine/cpu/kernels.h"
#include "engine/cpu/ops.h"

#include <cmath>

namespace fireside::cpu {
namespace {

/// ½x(1 + erf(x/√2)) · up, Hendrycks & Gimpel 2016. erfc keeps the small values of the left tail.
void geluErfMul(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = 0.5f * gate[i] * std::erfc(-0.70710678f * gate[i]) * up[i];
}

} // namespace

void (*gateFunction(Activation act))(float *, const float *, const float *, std::size_t)
{
    switch (act) {
    case Activation::SiLU:
        return vectorKernels().siluMul;
    case Activation::GeluTanh:
        return vectorKernels().geluTanhMul;
    default:
        break;
    }
    return geluErfMul;
}

} // namespace fireside::cpu
