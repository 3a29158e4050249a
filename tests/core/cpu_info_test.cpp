#include "engine/core/cpu_info.h"

#include "tests/core/fake_root.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace fireside {
namespace {

constexpr std::uint32_t kAvxFmaF16c = (1u << 28) | (1u << 12) | (1u << 29);
constexpr std::uint32_t kAvx2Bmi2 = (1u << 5) | (1u << 8);
constexpr std::uint32_t kAvx512 = (1u << 16) | (1u << 30) | (1u << 17) | (1u << 31);

CpuidWords fullWords()
{
    CpuidWords w;
    w.leaf1Ecx = kAvxFmaF16c;
    w.leaf7Ebx = kAvx2Bmi2 | kAvx512;
    w.leaf7Ecx = 1u << 11;
    w.xcr0 = 0xe7;
    return w;
}

bool has(const std::vector<std::string> &flags, const char *flag)
{
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

Isa isaOf(const CpuidWords &words)
{
    return isasOf(words).front();
}

TEST(CpuInfo, IsaNeedsEveryFeature)
{
    EXPECT_EQ(isaOf(CpuidWords{}), Isa::Baseline);
    EXPECT_EQ(isaOf(fullWords()), Isa::Avx512Vnni);

    CpuidWords w = fullWords();
    w.leaf7Ecx = 0;
    EXPECT_EQ(isaOf(w), Isa::Avx512);
    w.leaf7Ebx &= ~(1u << 31); // no VL
    EXPECT_EQ(isaOf(w), Isa::Avx2);
    w.leaf1Ecx &= ~(1u << 29); // no F16C
    EXPECT_EQ(isaOf(w), Isa::Baseline);
}

TEST(CpuInfo, ByteProductsOf256BitsAreApartFromThoseOf512)
{
    using Isas = std::vector<Isa>;
    CpuidWords w = fullWords();
    EXPECT_EQ(isasOf(w), (Isas{Isa::Avx512Vnni, Isa::Avx512, Isa::Avx2, Isa::Baseline}));
    w.leaf7Sub1Eax = 1u << 4;
    EXPECT_EQ(isasOf(w),
              (Isas{Isa::Avx512Vnni, Isa::Avx512, Isa::AvxVnni, Isa::Avx2, Isa::Baseline}));
    w.leaf7Ebx = kAvx2Bmi2;
    EXPECT_EQ(isasOf(w), (Isas{Isa::AvxVnni, Isa::Avx2, Isa::Baseline}));
    w.leaf7Ebx = 1u << 8; // no AVX2
    EXPECT_EQ(isasOf(w), Isas{Isa::Baseline});
}

TEST(CpuInfo, TileRegistersNeedTheSystemAndAllThatTheirKernelsUse)
{
    CpuidWords w = fullWords();
    w.leaf7Edx = 1u << 22 | 1u << 24;
    w.leaf7Sub1Eax = 1u << 5;
    EXPECT_EQ(isaOf(w), Isa::Avx512Vnni) << "the system does not save them";
    w.xcr0 |= 0x60000;
    EXPECT_EQ(isaOf(w), Isa::Amx);
    EXPECT_EQ(isasOf(w)[1], Isa::Avx512Vnni);
    EXPECT_TRUE(has(flagsOf(w), "amx_bf16"));
    CpuidWords without = w;
    without.xcr0 &= ~(std::uint64_t{1} << 18); // shapes, but not contents
    EXPECT_EQ(isaOf(without), Isa::Avx512Vnni);
    without = w;
    without.leaf7Edx = 1u << 24 | 1u << 25; // bytes alone
    EXPECT_EQ(isaOf(without), Isa::Avx512Vnni);
    without = w;
    without.leaf7Sub1Eax = 0; // floats cannot be rounded
    EXPECT_EQ(isaOf(without), Isa::Avx512Vnni);
}

TEST(CpuInfo, RegistersOf128BitsNeedNothingFromTheSystem)
{
    CpuidWords w;
    w.leaf1Ecx = (1u << 9) | (1u << 19);
    EXPECT_EQ(isasOf(w), (std::vector<Isa>{Isa::Sse41, Isa::Baseline}));
    w.leaf1Ecx = 1u << 19; // no SSSE3
    EXPECT_EQ(isasOf(w), std::vector<Isa>{Isa::Baseline});
}

TEST(CpuInfo, LevelsOfArm)
{
    CpuidWords w;
    w.hwcap = 1u << 20;
    EXPECT_EQ(isasOf(w), (std::vector<Isa>{Isa::Neon, Isa::Baseline}));
    w.hwcap2 = 1u << 13;
    EXPECT_EQ(isasOf(w), (std::vector<Isa>{Isa::NeonI8mm, Isa::Neon, Isa::Baseline}));
    w.hwcap = 0; // no dot products
    EXPECT_EQ(isasOf(w), std::vector<Isa>{Isa::Baseline});
}

TEST(CpuInfo, IsaNeedsTheSystemToSaveRegisters)
{
    CpuidWords w = fullWords();
    w.xcr0 = 0x7; // YMM but not ZMM
    EXPECT_EQ(isaOf(w), Isa::Avx2);
    EXPECT_FALSE(has(flagsOf(w), "avx512f"));
    w.xcr0 = 0x3; // SSE only
    EXPECT_EQ(isaOf(w), Isa::Baseline);
    EXPECT_FALSE(has(flagsOf(w), "avx2"));
    w.xcr0 = 0; // no OSXSAVE
    EXPECT_EQ(isaOf(w), Isa::Baseline);
}

TEST(CpuInfo, CountsPhysicalCoresOfTheMask)
{
    const FakeRoot root;
    root.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU 9000 \nflags: x\n");
    for (int cpu = 0; cpu < 4; ++cpu)
        root.write("sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/topology/thread_siblings_list",
                   cpu % 2 == 0 ? "0,2\n" : "1,3\n");
    const CpuInfo all = describeCpu(fullWords(), {0, 1, 2, 3}, root.path());
    EXPECT_EQ(all.name, "Test CPU 9000");
    EXPECT_EQ(all.cores, 2);
    EXPECT_EQ(all.threads, 2);
    EXPECT_EQ(describeCpu(fullWords(), {0, 2}, root.path()).cores, 1);
}

TEST(CpuInfo, OfTwoKindsTheFastCoresWork)
{
    const FakeRoot root;
    // Two cores of two threads each, and four of one.
    for (int cpu = 0; cpu < 8; ++cpu)
        root.write("sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/topology/thread_siblings_list",
                   cpu < 2   ? "0-1\n"
                   : cpu < 4 ? "2-3\n"
                             : std::to_string(cpu) + "\n");
    const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(describeCpu({}, all, root.path()).threads, 6); // nothing says that they differ
    root.write("sys/devices/cpu_core/cpus", "0-1,2-3\n");
    root.write("sys/devices/cpu_atom/cpus", "4-7\n");
    const CpuInfo cpu = describeCpu({}, all, root.path());
    EXPECT_EQ(cpu.cores, 6);
    EXPECT_EQ(cpu.fastCores, 2);
    EXPECT_EQ(cpu.threads, 2);
    EXPECT_EQ(describeCpu({}, {3, 4, 5}, root.path()).threads, 1);
    EXPECT_EQ(describeCpu({}, {4, 5, 6}, root.path()).threads, 3); // none of the fast ones
    root.write("sys/devices/cpu_core/cpus", "what?,,-\n");
    EXPECT_EQ(describeCpu({}, all, root.path()).threads, 6);
}

TEST(CpuInfo, CapacitiesTellWhichCoresAreFast)
{
    const FakeRoot root;
    const int capacities[] = {1024, 905, 905, 430, 430, 430};
    for (int cpu = 0; cpu < 6; ++cpu)
        root.write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity",
                   std::to_string(capacities[cpu]) + "\n");
    EXPECT_EQ(describeCpu({}, {0, 1, 2, 3, 4, 5}, root.path()).threads, 3);
    EXPECT_EQ(describeCpu({}, {3, 4}, root.path()).threads, 2);
    root.write("sys/devices/system/cpu/cpu2/cpu_capacity", "\n"); // not known of all
    EXPECT_EQ(describeCpu({}, {0, 1, 2, 3, 4, 5}, root.path()).threads, 6);
}

TEST(CpuInfo, NodesAreThoseOfTheMaskThatHaveMemory)
{
    const FakeRoot root;
    const auto nodes = [&](const std::vector<int> &cpus) {
        return describeCpu({}, cpus, root.path()).memoryNodes;
    };
    EXPECT_EQ(nodes({0, 1}), std::vector<int>{}); // a kernel that knows no nodes
    root.write("sys/devices/system/node/has_memory", "0,2-3\n");
    root.write("sys/devices/system/node/node0/cpulist", "0-3,8-11\n");
    root.write("sys/devices/system/node/node1/cpulist", "4-5\n"); // without memory
    root.write("sys/devices/system/node/node2/cpulist", "6-7,12-15\n");
    root.write("sys/devices/system/node/node3/cpulist", "\n"); // without processors
    EXPECT_EQ(nodes({0, 4, 12}), (std::vector<int>{0, 2}));
    EXPECT_EQ(nodes({9, 10, 11}), std::vector<int>{0});
    EXPECT_EQ(nodes({4, 5}), std::vector<int>{});
    root.write("sys/devices/system/node/has_memory", "0-,x,-3\n");
    EXPECT_EQ(nodes({0, 6}), std::vector<int>{0});
}

TEST(CpuInfo, WithoutTopologyEachProcessorIsACore)
{
    const FakeRoot root;
    const CpuInfo cpu = describeCpu({}, {3, 4, 9}, root.path());
    EXPECT_EQ(cpu.cores, 3);
    EXPECT_EQ(cpu.threads, 3);
    EXPECT_EQ(cpu.name, "Unknown processor");
}

TEST(CpuInfo, ArmProcessorsAreNamedByDesignAndBoard)
{
    const FakeRoot root;
    const auto name = [&] { return describeCpu({}, {0}, root.path()).name; };
    const std::string small = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n";
    const std::string large = "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\n";
    root.write("proc/cpuinfo", small + small + large);
    EXPECT_EQ(name(), "Cortex-A55 and Cortex-A76");
    root.write("proc/device-tree/model", std::string("Some Board 5\0", 13));
    EXPECT_EQ(name(), "Some Board 5 (Cortex-A55 and Cortex-A76)");
    root.write("proc/cpuinfo", "CPU implementer\t: 0x99\nCPU part\t: 0xd05\n");
    EXPECT_EQ(name(), "Some Board 5");
    root.write("proc/device-tree/model", "");
    EXPECT_EQ(name(), "Unknown processor");
    root.write("proc/cpuinfo", "CPU implementer\t: 0xc0\nCPU part\t:\nCPU part\t: 0xac3\n");
    EXPECT_EQ(name(), "Ampere-1");
}

TEST(CpuInfo, QuotaLowersThreads)
{
    const FakeRoot root;
    root.write("proc/self/cgroup", "0::/app/worker\n");
    root.write("proc/self/mountinfo",
               "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
    root.write("sys/fs/cgroup/app/cpu.max", "250000 100000\n");
    root.write("sys/fs/cgroup/app/worker/cpu.max", "max 100000\n");
    const CpuInfo cpu = describeCpu({}, {0, 1, 2, 3}, root.path());
    EXPECT_EQ(cpu.cores, 4);
    EXPECT_EQ(cpu.threads, 2);

    root.write("sys/fs/cgroup/app/worker/cpu.max", "60000 20000\n"); // three, above the group's
    EXPECT_EQ(describeCpu({}, {0, 1, 2, 3}, root.path()).threads, 2);
    root.write("sys/fs/cgroup/app/cpu.max", "60000 20000\n");
    EXPECT_EQ(describeCpu({}, {0, 1, 2, 3}, root.path()).threads, 3);

    root.write("sys/fs/cgroup/app/worker/cpu.max", "20000 100000\n");
    EXPECT_EQ(describeCpu({}, {0, 1, 2, 3}, root.path()).threads, 1);
}

TEST(CpuInfo, QuotaOfVersionOne)
{
    const FakeRoot root;
    root.write("proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/docker/abc\n");
    root.write("proc/self/mountinfo",
               "30 20 0:26 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup "
               "rw,cpu,cpuacct\n");
    root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
    root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(describeCpu({}, {0, 1, 2, 3, 4}, root.path()).threads, 3);
    root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(describeCpu({}, {0, 1, 2, 3, 4}, root.path()).threads, 5);
}

TEST(CpuInfo, ThisMachine)
{
    const CpuInfo &cpu = cpuInfo();
    EXPECT_FALSE(cpu.name.empty());
    EXPECT_GE(cpu.cores, 1);
    EXPECT_GE(cpu.threads, 1);
    EXPECT_LE(cpu.threads, cpu.cores);
#if defined(__x86_64__)
    EXPECT_EQ(cpu.isa >= Isa::Avx2, __builtin_cpu_supports("avx2") &&
                                        __builtin_cpu_supports("fma") &&
                                        __builtin_cpu_supports("bmi2"));
    EXPECT_EQ(has(cpu.flags, "avx512vnni"), __builtin_cpu_supports("avx512vnni") != 0);
#endif
}

} // namespace
} // namespace fireside
