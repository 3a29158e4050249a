#pragma once
#include <string>
#include <vector>

namespace fireside {

/// Instruction sets the kernels can use; each includes the ones before it.
enum class Isa { Baseline, Avx2, Avx512, Avx512Vnni }; // SSE2 / AVX2+FMA+F16C / F+BW+VL+DQ / +VNNI

struct CpuInfo
{
    std::string name;               // "AMD EPYC 9755", from the operating system
    Isa isa = Isa::Baseline;        // best one that processor and operating system support
    int cores = 1;                  // physical cores this process may run on
    int threads = 1;                // what to start: cores, lowered by a cgroup CPU quota
    std::vector<std::string> flags; // the relevant ones: avx2, fma, f16c, avx512f, avx512vnni, …
};
const CpuInfo &cpuInfo(); // probed once
const char *isaName(Isa isa);

} // namespace fireside
