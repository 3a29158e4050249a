#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fireside {

/// Instruction sets the kernels can use, by preference. Of a kind, each includes those before, but
/// a processor may have AVX-512 without AVX-VNNI.
enum class Isa {
    Baseline,   // SSE2; what every processor of its kind has
    Sse41,      // SSSE3, SSE4.1
    Avx2,       // and FMA, F16C, BMI2
    AvxVnni,    // products of bytes on 256 bits
    Avx512,     // F, BW, VL, DQ
    Avx512Vnni, // products of bytes on 512 bits
    Amx,        // and of matrices of bfloat16, in tile registers
    Neon,       // of 64-bit ARM, with dot products
    NeonI8mm    // and products of matrices of bytes
};

struct CpuInfo
{
    std::string name;               // "AMD EPYC 9755", from the operating system
    Isa isa = Isa::Baseline;        // best one that processor and operating system support
    std::vector<Isa> isas;          // all of them, best first
    int cores = 1;                  // physical cores this process may run on
    int fastCores = 1;              // of them, those that are no slower than the others
    int threads = 1;                // what to start: fastCores, lowered by a cgroup CPU quota
    std::vector<int> memoryNodes;   // NUMA nodes with memory that these processors belong to
    std::vector<std::string> flags; // the relevant ones: avx2, fma, f16c, avx512f, avx512vnni, …
};
const CpuInfo &cpuInfo(); // probed once
const char *isaName(Isa isa);

// The parts of the probe, apart from each other for tests.

/// Registers of the CPUID leaves that matter, and XCR0: the register state the system saves,
/// for this process: it is asked for tile registers.
struct CpuidWords
{
    std::uint32_t leaf1Ecx = 0, leaf7Ebx = 0, leaf7Ecx = 0, leaf7Edx = 0, leaf7Sub1Eax = 0;
    std::uint64_t xcr0 = 0;
    std::uint32_t hwcap = 0, hwcap2 = 0; // on 64-bit ARM what Linux says instead
};
CpuidWords readCpuid();                           // what the architecture lacks is zero
std::vector<Isa> isasOf(const CpuidWords &words); // best first, Baseline last
std::vector<std::string> flagsOf(const CpuidWords &words);

/// `cpus` are the logical processors of the affinity mask; `root` stands in for "/".
CpuInfo describeCpu(const CpuidWords &words, const std::vector<int> &cpus, const std::string &root);

} // namespace fireside
