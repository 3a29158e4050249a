#include "engine/backend/backend.h"
#include "engine/core/error.h"

#include <gtest/gtest.h>

namespace fireside {

TEST(VulkanAbsent, OneHonestReport)
{
    const auto reports = probeVulkan();
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports[0].kind, BackendKind::Vulkan);
    EXPECT_EQ(reports[0].id, "vulkan");
    EXPECT_FALSE(reports[0].available);
    ASSERT_EQ(reports[0].checks.size(), 1U);
    EXPECT_EQ(reports[0].checks[0].outcome, DeviceCheck::Outcome::Failed);
    EXPECT_NE(reports[0].reason.find("no Vulkan support"), std::string::npos);
}

TEST(VulkanAbsent, NothingCanBeOpened)
{
    try {
        openVulkan({});
        FAIL() << "opened";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
    }
}

} // namespace fireside
