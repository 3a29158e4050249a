#include "engine/core/memory_info.h"

#include "tests/core/fake_root.h"
#include "tests/support/require.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace fireside {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
const char *const kMeminfo = "MemTotal:        8388608 kB\nMemFree:          100 kB\n"
                             "MemAvailable:    4194304 kB\nCached:  300 kB\n";
const char *const kUnifiedMount =
    "30 20 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(MemoryInfo, UnknownIsNotZero)
{
    const FakeRoot root;
    const MemoryInfo none = queryMemory(root.path());
    EXPECT_FALSE(none.total.has_value());
    EXPECT_FALSE(none.available.has_value());

    root.write("proc/meminfo", "MemTotal: lots kB\nMemAvailable:\n");
    EXPECT_FALSE(queryMemory(root.path()).total.has_value());
    EXPECT_FALSE(queryMemory(root.path()).available.has_value());

    root.write("proc/meminfo", "MemTotal: 99999999999999999999999 kB\n");
    EXPECT_FALSE(queryMemory(root.path()).total.has_value());
}

TEST(MemoryInfo, PhysicalMemory)
{
    const FakeRoot root;
    root.write("proc/meminfo", kMeminfo);
    EXPECT_EQ(queryMemory(root.path()).total, 8192 * kMiB);
    EXPECT_EQ(queryMemory(root.path()).available, 4096 * kMiB);

    root.write("proc/meminfo", "MemTotal: 4096 kB\nMemFree: 1024 kB\nCached: 512 kB\n");
    EXPECT_EQ(queryMemory(root.path()).available, 1536u * 1024);
}

TEST(MemoryInfo, UnifiedCgroupLimitsItsDescendants)
{
    const FakeRoot root;
    root.write("proc/meminfo", kMeminfo);
    root.write("proc/self/cgroup", "0::/user/app\n");
    root.write("proc/self/mountinfo", kUnifiedMount);
    root.write("sys/fs/cgroup/user/app/memory.max", "max\n");
    EXPECT_EQ(queryMemory(root.path()).total, 8192 * kMiB);

    root.write("sys/fs/cgroup/user/memory.max", std::to_string(1024 * kMiB));
    EXPECT_EQ(queryMemory(root.path()).total, 1024 * kMiB);
    EXPECT_EQ(queryMemory(root.path()).available, 4096 * kMiB) << "use unknown: no made-up number";

    root.write("sys/fs/cgroup/user/memory.current", std::to_string(700 * kMiB));
    root.write("sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file " +
                                                     std::to_string(200 * kMiB) + "\nactive_file " +
                                                     std::to_string(100 * kMiB) + "\n");
    EXPECT_EQ(queryMemory(root.path()).available, 624 * kMiB);

    root.write("sys/fs/cgroup/user/memory.current", std::to_string(5000 * kMiB));
    EXPECT_EQ(queryMemory(root.path()).available, 0u);
}

TEST(MemoryInfo, VersionOneCgroup)
{
    const FakeRoot root;
    root.write("proc/meminfo", kMeminfo);
    root.write("proc/self/cgroup", "5:cpu:/\n4:memory:/job/7\n0::/\n");
    root.write("proc/self/mountinfo",
               "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
               "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    const std::string job = "sys/fs/cgroup/memory/job/7/";
    root.write(job + "memory.limit_in_bytes", "9223372036854771712\n");
    root.write(job + "memory.usage_in_bytes", "1\n");
    EXPECT_EQ(queryMemory(root.path()).total, 8192 * kMiB);

    root.write(job + "memory.limit_in_bytes", std::to_string(512 * kMiB));
    root.write(job + "memory.usage_in_bytes", std::to_string(500 * kMiB));
    root.write(job + "memory.stat",
               "inactive_file 1\ntotal_inactive_file " + std::to_string(100 * kMiB) + "\n");
    EXPECT_EQ(queryMemory(root.path()).total, 512 * kMiB);
    EXPECT_EQ(queryMemory(root.path()).available, 112 * kMiB);
}

TEST(MemoryInfo, GroupOutsideTheMountUsesTheMountPoint)
{
    const FakeRoot root;
    root.write("proc/meminfo", kMeminfo);
    root.write("proc/self/cgroup", "0::/../../elsewhere\n");
    root.write("proc/self/mountinfo", kUnifiedMount);
    root.write("sys/fs/cgroup/memory.max", std::to_string(256 * kMiB));
    EXPECT_EQ(queryMemory(root.path()).total, 256 * kMiB);
}

TEST(MemoryInfo, MalformedTablesAreIgnored)
{
    const FakeRoot root;
    root.write("proc/meminfo", kMeminfo);
    root.write("proc/self/cgroup", "nonsense\n::\n:\n\n0::");
    root.write("proc/self/mountinfo", "x - cgroup2\n - \n1 2 - cgroup\n - cgroup2 a b\n");
    EXPECT_EQ(queryMemory(root.path()).total, 8192 * kMiB);
}

TEST(MemoryInfo, ThisProcess)
{
    const MemoryInfo memory = queryMemory();
    ASSERT_TRUE(memory.total && memory.available);
    EXPECT_GT(*memory.available, 0u);
    EXPECT_LE(*memory.available, *memory.total);
    const auto peak = peakResidentBytes();
    const auto current = currentResidentBytes();
    ASSERT_TRUE(peak && current);
    EXPECT_GT(*current, 100'000u);
    EXPECT_GE(*peak + 4 * kMiB, *current); // the counters are batched per thread
}

TEST(MemoryInfo, AddressSpaceLimit)
{
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    if (before.rlim_cur != RLIM_INFINITY)
        FIRESIDE_SKIP("the address space is limited already");
    EXPECT_FALSE(queryMemory().addressSpace.has_value());
    rlimit limited = before;
    limited.rlim_cur = rlim_t{1} << 60; // limited, but out of the sanitizers' way
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
    const auto left = queryMemory().addressSpace;
    setrlimit(RLIMIT_AS, &before);
    ASSERT_TRUE(left.has_value());
    EXPECT_LT(*left, std::uint64_t{1} << 60);
    EXPECT_GT(*left, 0u);
}

} // namespace
} // namespace fireside
