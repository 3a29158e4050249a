#include "engine/cpu/linear/linear_lanes128_impl.h"

namespace fireside::cpu {

extern const LinearKernels kLinearNeon;
const LinearKernels kLinearNeon = makeTable(Isa::Neon);

} // namespace fireside::cpu
