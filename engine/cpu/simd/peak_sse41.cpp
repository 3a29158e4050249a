#include "engine/cpu/simd/peak_loops.h"
#include "engine/cpu/simd/peak_rounds.h"

#include <smmintrin.h>

namespace fireside::cpu {
namespace {

/// Sums of 16 bits, each of two products.
std::int64_t byteRounds(std::int64_t rounds)
{
    __m128i q = _mm_set1_epi8(1);
    const __m128i x = _mm_set1_epi8(1);
    return productRounds<__m128i>(rounds, 16, [&](__m128i sum) {
        forget(q); // else one product would do for all
        return _mm_add_epi16(sum, _mm_maddubs_epi16(q, x));
    });
}

} // namespace

const PeakLoops &sse41PeakLoops()
{
    static const PeakLoops kTable{Isa::Sse41, byteRounds, baselinePeakLoops().floats};
    return kTable;
}

} // namespace fireside::cpu
