#pragma once
#include "engine/core/cpu_info.h"

#include <cstdint>

namespace fireside::cpu {

/// The product instructions of an instruction set on registers alone, as many at a time as keep
/// their latency hidden. Each returns the multiply-adds that `rounds` rounds were.
struct PeakLoops
{
    Isa isa;
    std::int64_t (*bytes)(std::int64_t rounds);
    std::int64_t (*floats)(std::int64_t rounds);
};

/// Of this one, or of the next lower one that has loops of its own.
const PeakLoops &peakLoops(Isa isa);

/// Tables of the build, each in its own file.
const PeakLoops &baselinePeakLoops();
const PeakLoops &sse41PeakLoops();
const PeakLoops &avx2PeakLoops();
const PeakLoops &avxVnniPeakLoops();
const PeakLoops &avx512PeakLoops();
const PeakLoops &avx512VnniPeakLoops();
const PeakLoops &amxPeakLoops();
const PeakLoops &neonPeakLoops();
const PeakLoops &neonI8mmPeakLoops();

} // namespace fireside::cpu
