#include "engine/cpu/linear/linear_avx512_impl.h"

namespace fireside::cpu {

extern const LinearKernels kLinearAvx512;
const LinearKernels kLinearAvx512 = makeTable(Isa::Avx512);

} // namespace fireside::cpu
