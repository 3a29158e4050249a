#include "engine/tensor/quantize/types.h"

namespace fireside {

const QuantizeKernels &avx2QuantizeKernels()
{
    static constexpr QuantizeKernels kernels{Isa::Avx2, &findQuantizer};
    return kernels;
}

} // namespace fireside
