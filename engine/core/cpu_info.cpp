#include "engine/core/cpu_info.h"

#include "engine/core/cgroup.h"
#include "engine/core/small_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <sched.h>
#include <set>
#include <sstream>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace fireside {
namespace {

constexpr std::uint32_t bit(int n)
{
    return std::uint32_t{1} << n;
}

// XCR0: SSE and AVX state; for 512-bit registers also opmask, upper halves and ZMM16–31.
constexpr std::uint64_t kSavesYmm = 0x6;
constexpr std::uint64_t kSavesZmm = 0xe6;
constexpr std::uint64_t kSavesTiles = 0x60000; // their shapes and contents

enum class State { None, Ymm, Zmm, Tiles };
struct Feature
{
    const char *name;
    std::uint32_t CpuidWords::*word;
    std::uint32_t mask;
    State needs;
};
constexpr std::array kFeatures{
    Feature{"ssse3", &CpuidWords::leaf1Ecx, bit(9), State::None},
    Feature{"sse4_1", &CpuidWords::leaf1Ecx, bit(19), State::None},
    Feature{"sse4_2", &CpuidWords::leaf1Ecx, bit(20), State::None},
    Feature{"avx", &CpuidWords::leaf1Ecx, bit(28), State::Ymm},
    Feature{"f16c", &CpuidWords::leaf1Ecx, bit(29), State::Ymm},
    Feature{"fma", &CpuidWords::leaf1Ecx, bit(12), State::Ymm},
    Feature{"avx2", &CpuidWords::leaf7Ebx, bit(5), State::Ymm},
    Feature{"bmi2", &CpuidWords::leaf7Ebx, bit(8), State::None},
    Feature{"avx_vnni", &CpuidWords::leaf7Sub1Eax, bit(4), State::Ymm},
    Feature{"avx512f", &CpuidWords::leaf7Ebx, bit(16), State::Zmm},
    Feature{"avx512bw", &CpuidWords::leaf7Ebx, bit(30), State::Zmm},
    Feature{"avx512dq", &CpuidWords::leaf7Ebx, bit(17), State::Zmm},
    Feature{"avx512vl", &CpuidWords::leaf7Ebx, bit(31), State::Zmm},
    Feature{"avx512vbmi", &CpuidWords::leaf7Ecx, bit(1), State::Zmm},
    Feature{"avx512vnni", &CpuidWords::leaf7Ecx, bit(11), State::Zmm},
    Feature{"amx_bf16", &CpuidWords::leaf7Edx, bit(22), State::Tiles},
    Feature{"amx_tile", &CpuidWords::leaf7Edx, bit(24), State::Tiles},
    Feature{"asimddp", &CpuidWords::hwcap, bit(20), State::None},
    Feature{"i8mm", &CpuidWords::hwcap2, bit(13), State::None},
    Feature{"avx512_bf16", &CpuidWords::leaf7Sub1Eax, bit(5), State::Zmm},
};

/// 64-bit ARM has no names, but numbers of designs (util-linux knows the same ones).
struct ArmDesign
{
    unsigned implementer, part;
    const char *name;
};
constexpr std::array kArmDesigns{
    ArmDesign{0x41, 0xd03, "Cortex-A53"},  ArmDesign{0x41, 0xd05, "Cortex-A55"},
    ArmDesign{0x41, 0xd07, "Cortex-A57"},  ArmDesign{0x41, 0xd08, "Cortex-A72"},
    ArmDesign{0x41, 0xd09, "Cortex-A73"},  ArmDesign{0x41, 0xd0a, "Cortex-A75"},
    ArmDesign{0x41, 0xd0b, "Cortex-A76"},  ArmDesign{0x41, 0xd0c, "Neoverse N1"},
    ArmDesign{0x41, 0xd0d, "Cortex-A77"},  ArmDesign{0x41, 0xd40, "Neoverse V1"},
    ArmDesign{0x41, 0xd41, "Cortex-A78"},  ArmDesign{0x41, 0xd44, "Cortex-X1"},
    ArmDesign{0x41, 0xd46, "Cortex-A510"}, ArmDesign{0x41, 0xd47, "Cortex-A710"},
    ArmDesign{0x41, 0xd48, "Cortex-X2"},   ArmDesign{0x41, 0xd49, "Neoverse N2"},
    ArmDesign{0x41, 0xd4d, "Cortex-A715"}, ArmDesign{0x41, 0xd4e, "Cortex-X3"},
    ArmDesign{0x41, 0xd4f, "Neoverse V2"}, ArmDesign{0x41, 0xd80, "Cortex-A520"},
    ArmDesign{0x41, 0xd81, "Cortex-A720"}, ArmDesign{0x41, 0xd82, "Cortex-X4"},
    ArmDesign{0x51, 0x001, "Oryon"},       ArmDesign{0xc0, 0xac3, "Ampere-1"},
};

std::string joinedBy(const char *between, const std::string &a, const std::string &b)
{
    return a.empty() || b.empty() ? a + b : a + between + b;
}

/// What stands behind the colon of the lines of /proc/cpuinfo that begin with `key`, each once.
std::vector<std::string> valuesOf(const std::string &key, const std::string &cpuinfo)
{
    std::vector<std::string> values;
    std::istringstream lines(cpuinfo);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        if (line.compare(0, key.size(), key) != 0 || colon == std::string::npos)
            continue;
        const std::size_t start = line.find_first_not_of(" \t", colon + 1);
        if (start == std::string::npos)
            continue;
        std::string value = line.substr(start, line.find_last_not_of(" \t\r") + 1 - start);
        if (std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(std::move(value));
    }
    return values;
}

std::string armDesigns(const std::string &cpuinfo)
{
    const auto numbers = [&](const char *key) {
        std::vector<unsigned> found;
        for (const std::string &value : valuesOf(key, cpuinfo))
            found.push_back(static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 16)));
        return found;
    };
    const auto implementers = numbers("CPU implementer"), parts = numbers("CPU part");
    std::string names;
    for (const unsigned part : parts)
        for (const ArmDesign &design : kArmDesigns)
            if (design.part == part && implementers.size() == 1 &&
                design.implementer == implementers.front())
                names = joinedBy(" and ", names, design.name);
    return names;
}

std::string modelName(const std::string &root)
{
    const std::string cpuinfo = readSmallFile(root + "/proc/cpuinfo").value_or("");
    if (const auto names = valuesOf("model name", cpuinfo); !names.empty())
        return names.front();
    std::string board = readSmallFile(root + "/proc/device-tree/model").value_or("");
    board.resize(std::min(board.find('\0'), board.size())); // as the tree stores texts
    const std::string designs = armDesigns(cpuinfo);
    if (!board.empty() && !designs.empty())
        return board + " (" + designs + ")";
    const std::string name = board + designs;
    return name.empty() ? "Unknown processor" : name;
}

/// Logical processors that share a core list the same siblings; without topology each is a core.
int physicalCores(const std::vector<int> &cpus, const std::string &root)
{
    std::set<std::string> cores;
    for (const int cpu : cpus) {
        const std::string folder =
            root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
        cores.insert(
            readSmallFile(folder + "thread_siblings_list").value_or("cpu" + std::to_string(cpu)));
    }
    return std::max(1, static_cast<int>(cores.size()));
}

/// Whether a list of the kernel's, "0-3,8", names a processor or node.
bool names(const std::string &list, int cpu)
{
    std::istringstream ranges(list);
    for (std::string range; std::getline(ranges, range, ',');) {
        std::istringstream ends(range);
        int first = 0, last = 0;
        char dash = 0;
        if (!(ends >> first))
            continue;
        if (!(ends >> dash >> last) || dash != '-')
            last = first;
        if (cpu >= first && cpu <= last)
            return true;
    }
    return false;
}

/// Of processors of several kinds, the fast ones: those of at least three quarters of the greatest
/// capacity that the kernel gives, else those that Intel's driver calls cores (and not atoms).
std::vector<int> fastOnes(const std::vector<int> &cpus, const std::string &root)
{
    std::vector<int> capacities, fast;
    for (const int cpu : cpus) {
        const auto text = readSmallFile(root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                                        "/cpu_capacity");
        int capacity = 0;
        if (text && std::istringstream(*text) >> capacity && capacity > 0)
            capacities.push_back(capacity);
    }
    if (!cpus.empty() && capacities.size() == cpus.size()) {
        const int most = *std::max_element(capacities.begin(), capacities.end());
        for (std::size_t i = 0; i < cpus.size(); ++i)
            if (capacities[i] >= most - most / 4)
                fast.push_back(cpus[i]);
    } else if (const auto cores = readSmallFile(root + "/sys/devices/cpu_core/cpus")) {
        for (const int cpu : cpus)
            if (names(*cores, cpu))
                fast.push_back(cpu);
    }
    return fast.empty() ? cpus : fast;
}

std::vector<int> nodesOf(const std::vector<int> &cpus, const std::string &root)
{
    constexpr int kMostNodes = 64; // bits of a mask
    const std::string folder = root + "/sys/devices/system/node/";
    const auto withMemory = readSmallFile(folder + "has_memory");
    std::vector<int> nodes;
    for (int node = 0; withMemory && node < kMostNodes; ++node) {
        if (!names(*withMemory, node))
            continue;
        const auto list = readSmallFile(folder + "node" + std::to_string(node) + "/cpulist");
        if (list &&
            std::any_of(cpus.begin(), cpus.end(), [&list](int cpu) { return names(*list, cpu); }))
            nodes.push_back(node);
    }
    return nodes;
}

#if defined(__x86_64__)
/// Linux keeps the contents of tile registers, 8 KiB, for processes that ask for it once.
bool mayUseTiles()
{
    constexpr int kRequestPermission = 0x1023, kTileData = 18; // asm/prctl.h; a component of XCR0
    return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

std::vector<int> affinity()
{
    std::vector<int> cpus;
    for (int capacity = 1024; capacity <= (1 << 18); capacity *= 4) {
        const auto free = [](cpu_set_t *set) { CPU_FREE(set); };
        const std::unique_ptr<cpu_set_t, decltype(free)> set(CPU_ALLOC(capacity), free);
        const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
        if (!set)
            break;
        CPU_ZERO_S(bytes, set.get());
        if (sched_getaffinity(0, bytes, set.get()) != 0)
            continue; // the kernel's mask is larger
        for (int cpu = 0; cpu < capacity; ++cpu)
            if (CPU_ISSET_S(cpu, bytes, set.get()))
                cpus.push_back(cpu);
        break;
    }
    if (cpus.empty())
        for (unsigned cpu = 0; cpu < std::max(1u, std::thread::hardware_concurrency()); ++cpu)
            cpus.push_back(static_cast<int>(cpu));
    return cpus;
}

} // namespace

CpuidWords readCpuid()
{
    CpuidWords words;
#if defined(__x86_64__)
    std::uint32_t a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d))
        words.leaf1Ecx = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        words.leaf7Ebx = b;
        words.leaf7Ecx = c;
        words.leaf7Edx = d;
        const std::uint32_t subleaves = a;
        if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
            words.leaf7Sub1Eax = a;
    }
    if (words.leaf1Ecx & bit(27)) { // OSXSAVE: xgetbv may be executed
        std::uint32_t low = 0, high = 0;
        asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        words.xcr0 = (static_cast<std::uint64_t>(high) << 32) | low;
        if (!mayUseTiles())
            words.xcr0 &= ~kSavesTiles;
    }
#elif defined(__aarch64__)
    words.hwcap = static_cast<std::uint32_t>(getauxval(AT_HWCAP));
    words.hwcap2 = static_cast<std::uint32_t>(getauxval(AT_HWCAP2));
#endif
    return words;
}

std::vector<std::string> flagsOf(const CpuidWords &words)
{
    const bool ymm = (words.xcr0 & kSavesYmm) == kSavesYmm;
    const bool zmm = (words.xcr0 & kSavesZmm) == kSavesZmm;
    const bool tiles = (words.xcr0 & kSavesTiles) == kSavesTiles;
    std::vector<std::string> flags;
    for (const Feature &f : kFeatures) {
        const bool saved = f.needs == State::None || (f.needs == State::Ymm   ? ymm
                                                      : f.needs == State::Zmm ? zmm
                                                                              : tiles);
        if (saved && (words.*f.word & f.mask))
            flags.emplace_back(f.name);
    }
    return flags;
}

std::vector<Isa> isasOf(const CpuidWords &words)
{
    const std::vector<std::string> flags = flagsOf(words);
    const auto has = [&flags](std::initializer_list<const char *> wanted) {
        return std::all_of(wanted.begin(), wanted.end(), [&flags](const char *flag) {
            return std::find(flags.begin(), flags.end(), flag) != flags.end();
        });
    };
    std::vector<Isa> isas;
    if (has({"asimddp"})) {
        if (has({"i8mm"}))
            isas.push_back(Isa::NeonI8mm);
        isas.push_back(Isa::Neon);
    }
    if (has({"avx", "avx2", "fma", "f16c", "bmi2"})) {
        if (has({"avx512f", "avx512bw", "avx512dq", "avx512vl"})) {
            if (has({"avx512vnni", "avx512_bf16", "amx_tile", "amx_bf16"}))
                isas.push_back(Isa::Amx);
            if (has({"avx512vnni"}))
                isas.push_back(Isa::Avx512Vnni);
            isas.push_back(Isa::Avx512);
        }
        if (has({"avx_vnni"}))
            isas.push_back(Isa::AvxVnni);
        isas.push_back(Isa::Avx2);
    }
    if (has({"ssse3", "sse4_1"}))
        isas.push_back(Isa::Sse41);
    isas.push_back(Isa::Baseline);
    return isas;
}

CpuInfo describeCpu(const CpuidWords &words, const std::vector<int> &cpus, const std::string &root)
{
    CpuInfo cpu;
    cpu.name = modelName(root);
    cpu.isas = isasOf(words);
    cpu.isa = cpu.isas.front();
    cpu.flags = flagsOf(words);
    cpu.cores = physicalCores(cpus, root);
    cpu.memoryNodes = nodesOf(cpus, root);
    // Slow cores hold up the others at the end of each region, many times a token.
    cpu.fastCores = physicalCores(fastOnes(cpus, root), root);
    cpu.threads = cpu.fastCores;
    // A thread that the quota puts to sleep holds up all others at the end of a region: round down.
    if (const auto quota = queryCgroups(root).cpus; quota && *quota + 0.05 < cpu.threads)
        cpu.threads = std::max(1, static_cast<int>(*quota + 0.05));
    return cpu;
}

const CpuInfo &cpuInfo()
{
    static const CpuInfo info = describeCpu(readCpuid(), affinity(), "");
    return info;
}

const char *isaName(Isa isa)
{
    switch (isa) {
    case Isa::Baseline:
        return "baseline";
    case Isa::Sse41:
        return "SSE4.1";
    case Isa::Avx2:
        return "AVX2";
    case Isa::AvxVnni:
        return "AVX-VNNI";
    case Isa::Avx512:
        return "AVX-512";
    case Isa::Avx512Vnni:
        return "AVX-512 VNNI";
    case Isa::Amx:
        return "AMX";
    case Isa::Neon:
        return "NEON";
    case Isa::NeonI8mm:
        return "NEON I8MM";
    }
    return "unknown";
}

} // namespace fireside
