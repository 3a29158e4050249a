#include "engine/cpu/simd/peak_loops.h"
#include "engine/cpu/simd/peak_rounds.h"

#include <arm_neon.h>

namespace fireside::cpu {
namespace {

std::int64_t byteRounds(std::int64_t rounds)
{
    const int8x16_t q = vdupq_n_s8(1);
    return productRounds<int32x4_t>(rounds, 16,
                                    [&](int32x4_t sum) { return vdotq_s32(sum, q, q); });
}

std::int64_t floatRounds(std::int64_t rounds)
{
    const float32x4_t a = vdupq_n_f32(0.5f);
    return productRounds<float32x4_t>(rounds, 4,
                                      [&](float32x4_t sum) { return vfmaq_f32(sum, a, a); });
}

} // namespace

const PeakLoops &neonPeakLoops()
{
    static constexpr PeakLoops kTable{Isa::Neon, byteRounds, floatRounds};
    return kTable;
}

} // namespace fireside::cpu
