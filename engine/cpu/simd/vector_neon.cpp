#include "engine/cpu/simd/vector_loops.h"

namespace fireside {

const VectorKernels &neonVectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Neon);
    return kTable;
}

// Products of matrices are of integers only: the float loops are the same.
const VectorKernels &neonI8mmVectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::NeonI8mm);
    return kTable;
}

} // namespace fireside
