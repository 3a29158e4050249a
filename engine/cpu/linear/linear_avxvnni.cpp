#include "engine/cpu/linear/linear_avx2_impl.h"

namespace fireside::cpu {

extern const LinearKernels kLinearAvxVnni;
const LinearKernels kLinearAvxVnni = makeTable(Isa::AvxVnni);

} // namespace fireside::cpu
