#pragma once
#include <cstdint>
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

// The parts of the probe, apart from each other for tests.

/// Registers of the CPUID leaves that matter, and XCR0: the register state the system saves.
struct CpuidWords
{
    std::uint32_t leaf1Ecx = 0, leaf7Ebx = 0, leaf7Ecx = 0, leaf7Sub1Eax = 0;
    std::uint64_t xcr0 = 0;
};
CpuidWords readCpuid(); // all zero on other architectures
Isa isaOf(const CpuidWords &words);
std::vector<std::string> flagsOf(const CpuidWords &words);

/// `cpus` are the logical processors of the affinity mask; `root` stands in for "/".
CpuInfo describeCpu(const CpuidWords &words, const std::vector<int> &cpus, const std::string &root);

} // namespace fireside
