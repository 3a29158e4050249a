#if defined(__AVX2__)
#include "engine/cpu/simd/peak_loops.h"
#include "engine/cpu/simd/peak_rounds.h"

#include <immintrin.h>

namespace fireside::cpu {
namespace {

/// Sums of 16 bits, each of two products.
std::int64_t byteRounds(std::int64_t rounds)
{
    __m256i q = _mm256_set1_epi8(1);
    const __m256i x = _mm256_set1_epi8(1);
    return productRounds<__m256i>(rounds, 32, [&](__m256i sum) {
        forget(q); // else one product would do for all
        return _mm256_add_epi16(sum, _mm256_maddubs_epi16(q, x));
    });
}

std::int64_t floatRounds(std::int64_t rounds)
{
    const __m256 a = _mm256_set1_ps(0.5f);
    return productRounds<__m256>(rounds, 8, [&](__m256 sum) { return _mm256_fmadd_ps(a, a, sum); });
}

} // namespace

const PeakLoops &avx2PeakLoops()
{
    static constexpr PeakLoops kTable{Isa::Avx2, byteRounds, floatRounds};
    return kTable;
}

} // namespace fireside::cpu
#endif
