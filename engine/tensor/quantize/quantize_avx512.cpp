#include "engine/tensor/quantize/types.h"

namespace fireside {

const QuantizeKernels &avx512QuantizeKernels()
{
    static constexpr QuantizeKernels kernels{Isa::Avx512, &findQuantizer};
    return kernels;
}

} // namespace fireside
