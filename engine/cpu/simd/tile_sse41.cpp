#include "engine/cpu/simd/tile_loops.h"

namespace fireside {

const TileKernels &sse41TileKernels()
{
    static constexpr TileKernels kTable = tableFor(Isa::Sse41);
    return kTable;
}

} // namespace fireside
