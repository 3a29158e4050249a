// The kernels for AVX-VNNI with its instruction made of those of AVX2.
#define FIRESIDE_BYTE_DOTS
#include "engine/cpu/linear/linear_avx2_impl.h"

namespace fireside::cpu {

extern const LinearKernels kEmulatedAvxVnni;
const LinearKernels kEmulatedAvxVnni = makeTable(Isa::AvxVnni);

} // namespace fireside::cpu
