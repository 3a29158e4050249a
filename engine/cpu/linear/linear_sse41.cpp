#include "engine/cpu/linear/linear_lanes128_impl.h"

namespace fireside::cpu {

extern const LinearKernels kLinearSse41;
const LinearKernels kLinearSse41 = makeTable(Isa::Sse41);

} // namespace fireside::cpu
