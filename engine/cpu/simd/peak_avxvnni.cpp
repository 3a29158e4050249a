#if defined(__AVXVNNI__)
#include "engine/cpu/simd/peak_loops.h"
#include "engine/cpu/simd/peak_rounds.h"

#include <immintrin.h>

namespace fireside::cpu {
namespace {

std::int64_t byteRounds(std::int64_t rounds)
{
    const __m256i q = _mm256_set1_epi8(1), x = _mm256_set1_epi8(1);
    return productRounds<__m256i>(rounds, 32,
                                  [&](__m256i sum) { return _mm256_dpbusd_avx_epi32(sum, q, x); });
}

} // namespace

const PeakLoops &avxVnniPeakLoops()
{
    static const PeakLoops kTable{Isa::AvxVnni, byteRounds, avx2PeakLoops().floats};
    return kTable;
}

} // namespace fireside::cpu
#endif
