#pragma once
#include "engine/core/cpu_info.h"
#include "engine/cpu/linear/blas.h"
#include "engine/cpu/linear/linear.h"

#include <cstddef>
#include <string>
#include <string_view>

// Which float products OpenBLAS computes, by measurement.
namespace fireside::cpu {

struct BlasRule
{
    Isa isa;                // our own kernels in use
    BlasKernels atLeast;    // the library's
    std::size_t fromTokens; // as many at once or more
    const char *reason;
};

/// Pure: the rule for this pair; nullptr where our own kernels are never slower.
const BlasRule *blasRule(Isa isa, BlasKernels kernels);

/// The library where it should multiply `tokens` rows of F32, F16 or BF16 weights on `callers`
/// threads, else nullptr. Opens the library when a product may want it.
const Blas *blasFor(FloatProducts asked, Isa isa, std::size_t tokens, std::size_t callers);

/// FIRESIDE_BLAS: "off" → Own, "on" → Blas, not set → Measured; anything else → Measured and a
/// sentence.
struct FloatProductsChoice
{
    FloatProducts asked = FloatProducts::Measured;
    std::string problem;
};
FloatProductsChoice parseFloatProducts(std::string_view word);
const FloatProductsChoice &floatProductsAsked();

/// For the device report: the library and what it is used for, or why it is not.
std::string describeBlas(const Blas &library, const FloatProductsChoice &choice, Isa isa);

} // namespace fireside::cpu
