#include "engine/backend/backend.h"
#include "tests/support/scoped_env.h"
#include "tests/vulkan/fake_vulkan.h"

#include <algorithm>
#include <gtest/gtest.h>

// The checks against a driver that fails in every way it can: fake_loader.cpp.
namespace fireside {
namespace {

using Fake = test::FakeVulkan;
using test::ScopedEnv;
using Outcome = DeviceCheck::Outcome;

DeviceReport probeFake(const char *behaviour)
{
    const ScopedEnv loader("FIRESIDE_VULKAN_LOADER", FAKE_VULKAN_LOADER);
    const ScopedEnv scenario("FIRESIDE_FAKE_VULKAN", behaviour);
    const auto reports = probeVulkan();
    EXPECT_EQ(reports.size(), 1U);
    return reports.at(0);
}

std::string firstFailure(const DeviceReport &report)
{
    for (const DeviceCheck &check : report.checks)
        if (check.outcome == Outcome::Failed)
            return check.name;
    return {};
}

TEST(FakeVulkan, AGoodDevicePasses)
{
    const Fake fake;
    const DeviceReport report = probeFake(nullptr);
    EXPECT_EQ(report.id, "vulkan:0");
    EXPECT_TRUE(report.available);
    EXPECT_FALSE(report.software);
    EXPECT_EQ(firstFailure(report), "");
    EXPECT_EQ(std::count_if(report.checks.begin(), report.checks.end(),
                            [](const DeviceCheck &c) { return c.outcome == Outcome::Passed; }),
              static_cast<std::ptrdiff_t>(report.checks.size()));
    EXPECT_EQ(report.memoryTotal, 8'000'000'000U); // the largest device heap
    EXPECT_EQ(report.memoryFree, 6'000'000'000U);  // its budget minus what is used
    EXPECT_EQ(report.name, std::string(255, 'F')); // cut where the driver forgot to end it
    EXPECT_EQ(fake.alive(), 0);
}

TEST(FakeVulkan, UsageAboveTheBudgetIsNothingFree)
{
    EXPECT_EQ(probeFake("overcommitted").memoryFree, 0U);
}

struct Row
{
    const char *behaviour;
    const char *failing;               // check
    std::vector<std::string> mentions; // in the reason
};

TEST(FakeVulkan, EveryRungFailsWithItsReason)
{
    const std::vector<Row> rows{
        {"lacks-vkCreateInstance", "Vulkan loader", {"no function vkCreateInstance", "libvulkan1"}},
        {"lacks-vkEnumerateInstanceVersion", "Vulkan 1.2", {"1.0.0"}},
        {"old-loader", "Vulkan 1.2", {"1.1.0", "update"}},
        {"no-driver",
         "Driver",
         {"no Vulkan driver was found", "VK_ERROR_INCOMPATIBLE_DRIVER (-9)"}},
        {"broken-driver", "Driver", {"VK_ERROR_INITIALIZATION_FAILED (-3)"}},
        {"lacks-vkEnumeratePhysicalDevices", "Driver", {"no function vkEnumeratePhysicalDevices"}},
        {"lacks-vkDestroyInstance", "Driver", {"no function vkDestroyInstance"}},
        {"no-device", "Device", {"no Vulkan device was found"}},
        {"old-device", "Vulkan 1.2 on the device", {"lacks", "Vulkan 1.2"}},
        {"no-compute", "Compute queue", {"Compute queue"}},
        {"no-addresses", "Buffer device addresses", {"Buffer device addresses"}},
        {"no-16bit", "16-bit storage", {"16-bit storage"}},
        {"no-8bit", "8-bit storage", {"8-bit storage"}},
        {"no-scalar", "Scalar block layout", {"Scalar block layout"}},
        {"no-timeline", "Timeline semaphores", {"Timeline semaphores"}},
        {"no-subgroups", "Subgroup arithmetic in compute shaders", {"Subgroup arithmetic"}},
        {"lacks-vkQueueSubmit", "Self-test", {"no function vkQueueSubmit"}},
        {"no-host-memory", "Self-test", {"no memory that the host can write"}},
        {"no-address", "Self-test", {"vkGetBufferDeviceAddress"}},
        {"lost-at-submit", "Self-test", {"vkQueueSubmit failed: VK_ERROR_DEVICE_LOST (-4)"}},
        {"lost-at-wait", "Self-test", {"vkWaitSemaphores failed: VK_ERROR_DEVICE_LOST (-4)"}},
        {"wrong-value", "Self-test", {"value 4098"}},
        {"wrong-half", "Self-test", {"16-bit value 17"}},
        {"wrong-sum", "Self-test", {"sum"}},
    };
    const Fake fake;
    for (const Row &row : rows) {
        SCOPED_TRACE(row.behaviour);
        const DeviceReport report = probeFake(row.behaviour);
        EXPECT_FALSE(report.available);
        EXPECT_EQ(firstFailure(report), row.failing);
        for (const std::string &mention : row.mentions)
            EXPECT_NE(report.reason.find(mention), std::string::npos)
                << mention << " in: " << report.reason;
        EXPECT_EQ(report.checks.back().outcome, Outcome::NotReached);
        const auto failed =
            std::find_if(report.checks.begin(), report.checks.end(),
                         [](const DeviceCheck &c) { return c.outcome == Outcome::Failed; });
        EXPECT_FALSE(failed->detail.empty());
        EXPECT_FALSE(failed->advice.empty());
        // A loader without its destroy function cannot be cleaned up; everything else is.
        EXPECT_EQ(fake.alive(), std::string(row.behaviour) == "lacks-vkDestroyInstance" ? 1 : 0);
    }
}

TEST(FakeVulkan, AHangingDeviceIsAbandonedNotDestroyed)
{
    const Fake fake;
    const DeviceReport report = probeFake("hang");
    EXPECT_EQ(firstFailure(report), "Self-test");
    EXPECT_NE(report.reason.find("VK_TIMEOUT (2)"), std::string::npos) << report.reason;
    // Instance, device, timeline, 5 buffers with memory, pipeline of 3 objects, command pool.
    EXPECT_EQ(fake.alive(), 1 + 1 + 1 + 10 + 3 + 1);
}

TEST(FakeVulkan, AbsurdNumbersAreBounded)
{
    EXPECT_TRUE(probeFake("absurd-counts").available);
    EXPECT_TRUE(probeFake("endless-devices").available);
}

TEST(FakeVulkan, EveryCallFailingInTurnLeavesNothingBehind)
{
    const Fake fake;
    probeFake(nullptr);
    const int calls = fake.calls();
    EXPECT_GT(calls, 25);
    fake.waits();
    int repeated = 0;
    for (int n = 1; n <= calls; ++n) {
        const ScopedEnv fail("FIRESIDE_FAKE_FAIL", std::to_string(n).c_str());
        const DeviceReport report = probeFake(nullptr);
        // The one wait says nothing of the work, so it is repeated.
        if (fake.waits() == 2) {
            ++repeated;
            EXPECT_TRUE(report.available) << n << ": " << report.reason;
        } else {
            EXPECT_NE(report.reason.find("VK_ERROR_OUT_OF_DEVICE_MEMORY (-2)"), std::string::npos)
                << n << ": " << report.reason;
            EXPECT_FALSE(report.available);
        }
        EXPECT_EQ(fake.alive(), 0) << "call " << n;
        fake.calls();
    }
    EXPECT_EQ(repeated, 1);
}

} // namespace
} // namespace fireside
