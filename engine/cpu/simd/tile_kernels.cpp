#include "engine/cpu/simd/tile_kernels.h"

#include "engine/cpu/simd/kernels.h"

namespace fireside {

const TileKernels &tileKernels()
{
#if defined(__x86_64__)
    if (selectedIsa() >= Isa::Avx512)
        return avx512TileKernels();
    if (selectedIsa() >= Isa::Avx2)
        return avx2TileKernels();
    if (selectedIsa() >= Isa::Sse41)
        return sse41TileKernels();
#elif defined(__aarch64__)
    if (selectedIsa() >= Isa::Neon)
        return neonTileKernels();
#endif
    return baselineTileKernels();
}

} // namespace fireside
