#if defined(__AVX512F__)
#include "engine/cpu/simd/peak_loops.h"
#include "engine/cpu/simd/peak_rounds.h"

#include <immintrin.h>

namespace fireside::cpu {
namespace {

std::int64_t byteRounds(std::int64_t rounds)
{
    __m512i q = _mm512_set1_epi8(1);
    const __m512i x = _mm512_set1_epi8(1);
    return productRounds<__m512i>(rounds, 64, [&](__m512i sum) {
        forget(q); // else one product would do for all
        return _mm512_add_epi16(sum, _mm512_maddubs_epi16(q, x));
    });
}

std::int64_t floatRounds(std::int64_t rounds)
{
    const __m512 a = _mm512_set1_ps(0.5f);
    return productRounds<__m512>(rounds, 16,
                                 [&](__m512 sum) { return _mm512_fmadd_ps(a, a, sum); });
}

} // namespace

const PeakLoops &avx512PeakLoops()
{
    static constexpr PeakLoops kTable{Isa::Avx512, byteRounds, floatRounds};
    return kTable;
}

} // namespace fireside::cpu
#endif
