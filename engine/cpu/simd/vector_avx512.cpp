#if defined(__AVX512F__)
#include "engine/cpu/simd/vector_loops.h"

namespace fireside {

const VectorKernels &avx512VectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Avx512);
    return kTable;
}

// VNNI adds integer dot products only: the float loops are the same.
const VectorKernels &avx512VnniVectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Avx512Vnni);
    return kTable;
}

} // namespace fireside
#endif
