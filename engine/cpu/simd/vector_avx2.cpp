#if defined(__AVX2__)
#include "engine/cpu/simd/vector_loops.h"

namespace fireside {

const VectorKernels &avx2VectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Avx2);
    return kTable;
}

// AVX-VNNI adds integer dot products only: the float loops are the same.
const VectorKernels &avxVnniVectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::AvxVnni);
    return kTable;
}

} // namespace fireside
#endif
