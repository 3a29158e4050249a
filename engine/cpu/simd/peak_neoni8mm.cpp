#include "engine/cpu/simd/peak_loops.h"
#include "engine/cpu/simd/peak_rounds.h"

#include <arm_neon.h>

namespace fireside::cpu {
namespace {

/// Products of two rows of eight bytes with two.
std::int64_t byteRounds(std::int64_t rounds)
{
    const int8x16_t q = vdupq_n_s8(1);
    return productRounds<int32x4_t>(rounds, 32,
                                    [&](int32x4_t sum) { return vmmlaq_s32(sum, q, q); });
}

} // namespace

const PeakLoops &neonI8mmPeakLoops()
{
    static const PeakLoops kTable{Isa::NeonI8mm, byteRounds, neonPeakLoops().floats};
    return kTable;
}

} // namespace fireside::cpu
