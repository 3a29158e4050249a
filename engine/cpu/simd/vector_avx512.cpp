#if defined(__AVX512F__)
#include "engine/cpu/simd/vector_loops.h"

namespace fireside {

const VectorKernels &avx512VectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Avx512);
    return kTable;
}

// VNNI adds integer dot products only, AMX products of matrices: the float loops are the same.
const VectorKernels &avx512VnniVectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Avx512Vnni);
    return kTable;
}

const VectorKernels &amxVectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Amx);
    return kTable;
}

} // namespace fireside
#endif
