#include "engine/cpu/linear/linear_avx2_impl.h"

namespace fireside::cpu {

extern const LinearKernels kLinearAvx2;
const LinearKernels kLinearAvx2 = makeTable(Isa::Avx2);

} // namespace fireside::cpu
