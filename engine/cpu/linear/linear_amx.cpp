#include "engine/cpu/linear/linear_amx_matrix.h"

namespace fireside::cpu {

extern const LinearKernels kLinearAmx;
const LinearKernels kLinearAmx = withMatrix(makeTable(Isa::Amx));

} // namespace fireside::cpu
