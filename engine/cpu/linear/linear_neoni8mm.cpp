#include "engine/cpu/linear/linear_lanes128_impl.h"

namespace fireside::cpu {

extern const LinearKernels kLinearNeonI8mm;
const LinearKernels kLinearNeonI8mm = makeTable(Isa::NeonI8mm);

} // namespace fireside::cpu
