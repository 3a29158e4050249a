#pragma once
#include "engine/core/cpu_info.h"
#include "engine/tensor/dtype.h"

#include <span>

namespace fireside {

/// Makes `blocks` blocks of a type from finite numbers.
using QuantizeBlocks = void (*)(const float *in, std::byte *out, std::size_t blocks);

/// The functions of one instruction set; all give the same bytes.
struct QuantizeKernels
{
    Isa isa;
    QuantizeBlocks (*find)(DType type); // nullptr: a type that is not made
};
const QuantizeKernels &baselineQuantizeKernels();
const QuantizeKernels &avx2QuantizeKernels();
const QuantizeKernels &avx512QuantizeKernels();

/// Best first; those that this processor can run.
std::span<const QuantizeKernels *const> availableQuantizeKernels();

} // namespace fireside
