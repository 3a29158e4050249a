#include "engine/cpu/simd/vector_loops.h"

namespace fireside {

const VectorKernels &sse41VectorKernels()
{
    static constexpr VectorKernels kTable = tableFor(Isa::Sse41);
    return kTable;
}

} // namespace fireside
