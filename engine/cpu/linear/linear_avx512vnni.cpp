#include "engine/cpu/linear/linear_avx512_impl.h"

namespace fireside::cpu {

extern const LinearKernels kLinearAvx512Vnni;
const LinearKernels kLinearAvx512Vnni = makeTable(Isa::Avx512Vnni);

} // namespace fireside::cpu
