#include "engine/cpu/simd/tile_loops.h"

namespace fireside {

const TileKernels &neonTileKernels()
{
    static constexpr TileKernels kTable = tableFor(Isa::Neon);
    return kTable;
}

} // namespace fireside
