#include "engine/cpu/simd/peak_loops.h"

#include "engine/cpu/simd/peak_rounds.h"

#include <algorithm>
#include <iterator>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace fireside::cpu {
namespace {

using Floats [[gnu::vector_size(16)]] = float;

#if defined(__SSE2__)
std::int64_t byteRounds(std::int64_t rounds)
{
    __m128i q = _mm_set1_epi16(1); // bytes as numbers of 16 bits
    const __m128i x = _mm_set1_epi16(1);
    return productRounds<__m128i>(rounds, 8, [&](__m128i sum) {
        forget(q); // else one product would do for all
        return _mm_add_epi32(sum, _mm_madd_epi16(q, x));
    });
}
#else
using Integers [[gnu::vector_size(16)]] = std::int32_t;
std::int64_t byteRounds(std::int64_t rounds)
{
    Integers q = {1, 1, 1, 1};
    return productRounds<Integers>(rounds, 4, [&](Integers sum) {
        forget(q);
        return sum + q * q;
    });
}
#endif

std::int64_t floatRounds(std::int64_t rounds)
{
    Floats a = {0.5f, 0.5f, 0.5f, 0.5f};
    return productRounds<Floats>(rounds, 4, [&](Floats sum) {
        forget(a);
        return sum + a * a;
    });
}

struct LoopsOf
{
    Isa isa;
    const PeakLoops &(*loops)();
};
// Best first.
constexpr LoopsOf kLoops[] = {
#if defined(__x86_64__)
    {Isa::Amx, amxPeakLoops},           {Isa::Avx512Vnni, avx512VnniPeakLoops},
    {Isa::Avx512, avx512PeakLoops},     {Isa::AvxVnni, avxVnniPeakLoops},
    {Isa::Avx2, avx2PeakLoops},         {Isa::Sse41, sse41PeakLoops},
#elif defined(__aarch64__)
    {Isa::NeonI8mm, neonI8mmPeakLoops},
    {Isa::Neon, neonPeakLoops},
#endif
    {Isa::Baseline, baselinePeakLoops},
};

} // namespace

const PeakLoops &baselinePeakLoops()
{
    static constexpr PeakLoops kTable{Isa::Baseline, byteRounds, floatRounds};
    return kTable;
}

const PeakLoops &peakLoops(Isa isa)
{
    const auto it = std::find_if(std::begin(kLoops), std::end(kLoops),
                                 [&](const LoopsOf &each) { return each.isa <= isa; });
    return it == std::end(kLoops) ? baselinePeakLoops() : it->loops();
}

} // namespace fireside::cpu
