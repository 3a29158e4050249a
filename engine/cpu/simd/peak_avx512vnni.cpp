#if defined(__AVX512VNNI__)
#include "engine/cpu/simd/peak_loops.h"
#include "engine/cpu/simd/peak_rounds.h"

#include <immintrin.h>

namespace fireside::cpu {
namespace {

std::int64_t byteRounds(std::int64_t rounds)
{
    const __m512i q = _mm512_set1_epi8(1), x = _mm512_set1_epi8(1);
    return productRounds<__m512i>(rounds, 64,
                                  [&](__m512i sum) { return _mm512_dpbusd_epi32(sum, q, x); });
}

} // namespace

const PeakLoops &avx512VnniPeakLoops()
{
    static const PeakLoops kTable{Isa::Avx512Vnni, byteRounds, avx512PeakLoops().floats};
    return kTable;
}

} // namespace fireside::cpu
#endif
