#if defined(__AVX2__)
#include "engine/cpu/simd/vector_loops.h"

namespace fireside {

const VectorKernels &avx2VectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Avx2);
    return kTable;
}

} // namespace fireside
#endif
