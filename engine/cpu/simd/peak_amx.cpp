#if defined(__AMX_BF16__) || defined(__AMXBF16__) // as GCC and older clang call it
#include "engine/cpu/simd/peak_loops.h"
#include "engine/cpu/simd/tile_registers.h"

#include <immintrin.h>

namespace fireside::cpu {
namespace {

/// What weights of whole numbers are multiplied with as well: four sums that do not wait for each
/// other.
std::int64_t matrixRounds(std::int64_t rounds)
{
    _tile_loadconfig(&kWholeTiles);
    _tile_zero(4);
    _tile_zero(5);
    _tile_zero(6);
    _tile_zero(7);
    for (std::int64_t i = 0; i < rounds; ++i) {
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_release();
    return rounds * 4 * 16 * 16 * 32;
}

} // namespace

const PeakLoops &amxPeakLoops()
{
    static const PeakLoops kTable{Isa::Amx, matrixRounds, avx512PeakLoops().floats};
    return kTable;
}

} // namespace fireside::cpu
#endif
