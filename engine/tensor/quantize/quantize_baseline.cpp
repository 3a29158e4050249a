#include "engine/tensor/quantize/types.h"

namespace fireside {

const QuantizeKernels &baselineQuantizeKernels()
{
    static constexpr QuantizeKernels kernels{Isa::Baseline, &findQuantizer};
    return kernels;
}

} // namespace fireside
