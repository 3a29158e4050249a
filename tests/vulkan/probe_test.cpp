#include "engine/backend/backend.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/require.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"
#include "tests/vulkan/lavapipe.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace fireside {
namespace {

using test::ScopedEnv;
using Outcome = DeviceCheck::Outcome;

const DeviceCheck *find(const DeviceReport &report, std::string_view name)
{
    const auto it = std::find_if(report.checks.begin(), report.checks.end(),
                                 [&](const DeviceCheck &c) { return c.name == name; });
    return it == report.checks.end() ? nullptr : &*it;
}

TEST(ProbeVulkan, SaysWhenThereIsNoLoader)
{
    const ScopedEnv loader("FIRESIDE_VULKAN_LOADER", "/nonexistent/libvulkan.so.1");
    const auto reports = probeVulkan();
    ASSERT_EQ(reports.size(), 1U);
    const DeviceReport &report = reports[0];
    EXPECT_EQ(report.kind, BackendKind::Vulkan);
    EXPECT_EQ(report.id, "vulkan");
    EXPECT_FALSE(report.available);
    EXPECT_NE(report.reason.find("/nonexistent/libvulkan.so.1"), std::string::npos)
        << report.reason;
    EXPECT_NE(report.reason.find("apt install libvulkan1"), std::string::npos) << report.reason;
    EXPECT_EQ(find(report, "Built with Vulkan")->outcome, Outcome::Passed);
    EXPECT_EQ(find(report, "Vulkan loader")->outcome, Outcome::Failed);
    EXPECT_NE(find(report, "Vulkan loader")->rawError, "");
    EXPECT_EQ(find(report, "Driver")->outcome, Outcome::NotReached);
}

TEST(ProbeVulkan, SaysWhenTheLoaderIsNoLoader)
{
    const test::TempDir dir;
    test::writeFile(dir / "libvulkan.so.1", std::vector<std::byte>(100));
    for (const std::string &path : {(dir / "libvulkan.so.1").string(), std::string("libm.so.6")}) {
        const ScopedEnv loader("FIRESIDE_VULKAN_LOADER", path.c_str());
        const auto reports = probeVulkan();
        ASSERT_EQ(reports.size(), 1U);
        EXPECT_EQ(find(reports[0], "Vulkan loader")->outcome, Outcome::Failed);
        EXPECT_NE(reports[0].reason.find(path), std::string::npos) << reports[0].reason;
    }
}

TEST(ProbeVulkan, SaysWhenThereIsNoDriver)
{
    const test::Lavapipe lavapipe;
    if (!lavapipe.loaderPresent())
        FIRESIDE_SKIP("no Vulkan loader on this computer (apt install libvulkan1)");
    const ScopedEnv files("VK_DRIVER_FILES", "/nonexistent/icd.json");
    const ScopedEnv names("VK_ICD_FILENAMES", "/nonexistent/icd.json");
    const auto reports = probeVulkan();
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports[0].id, "vulkan");
    EXPECT_EQ(find(reports[0], "Vulkan loader")->outcome, Outcome::Passed);
    EXPECT_EQ(find(reports[0], "Driver")->outcome, Outcome::Failed) << reports[0].reason;
    EXPECT_NE(reports[0].reason.find("/nonexistent/icd.json"), std::string::npos)
        << reports[0].reason;
}

TEST(ProbeVulkan, ABrokenDriverFileIsNoDriver)
{
    const test::Lavapipe lavapipe;
    if (!lavapipe.loaderPresent())
        FIRESIDE_SKIP("no Vulkan loader on this computer (apt install libvulkan1)");
    const test::TempDir dir;
    const std::string text =
        R"({"file_format_version": "1.0.0", "ICD": {"library_path": "/nonexistent.so", )"
        R"("api_version": "1.3.0"}})";
    test::writeFile(dir / "broken.json", std::as_bytes(std::span(text)));
    const std::string path = (dir / "broken.json").string();
    const ScopedEnv files("VK_DRIVER_FILES", path.c_str());
    const ScopedEnv names("VK_ICD_FILENAMES", path.c_str());
    testing::internal::CaptureStderr();
    const auto reports = probeVulkan();
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              ""); // what the loader prints is in the report
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(find(reports[0], "Driver")->outcome, Outcome::Failed) << reports[0].reason;
    EXPECT_NE(find(reports[0], "Driver")->rawError.find("/nonexistent.so"), std::string::npos)
        << find(reports[0], "Driver")->rawError; // the loader's own words
}

TEST(ProbeVulkan, LavapipePassesEverything)
{
    const test::Lavapipe lavapipe;
    if (!lavapipe.present())
        FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)");
    const auto environment = lavapipe.select();
    const auto reports = probeVulkan();
    ASSERT_EQ(reports.size(), 1U);
    const DeviceReport &report = reports[0];
    EXPECT_EQ(report.id, "vulkan:0");
    EXPECT_NE(report.name.find("llvmpipe"), std::string::npos);
    EXPECT_TRUE(report.software);
    EXPECT_TRUE(report.unifiedMemory);
    EXPECT_TRUE(report.available) << report.reason;
    EXPECT_TRUE(report.memoryTotal.has_value());
    EXPECT_NE(report.reason.find("passed every check"), std::string::npos) << report.reason;
    for (const DeviceCheck &check : report.checks) {
        EXPECT_EQ(check.outcome, Outcome::Passed)
            << check.name << ": " << check.detail << " " << check.rawError;
        EXPECT_FALSE(check.detail.empty()) << check.name;
    }
    for (const char *key : {"Type", "Vendor", "Driver", "Vulkan version", "Subgroup size",
                            "Memory heap 0", "Variants"})
        EXPECT_TRUE(
            std::any_of(report.properties.begin(), report.properties.end(),
                        [&](const auto &row) { return row.first == key && !row.second.empty(); }))
            << key;
}

TEST(ProbeVulkan, CanBeRepeated)
{
    [[maybe_unused]] const test::IgnoreDriverLeaks leaks{};
    const auto first = probeVulkan();
    const auto second = probeVulkan();
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i)
        EXPECT_EQ(first[i].reason, second[i].reason);
}

} // namespace
} // namespace fireside
