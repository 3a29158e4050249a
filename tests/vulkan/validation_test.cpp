#include "engine/backend/backend.h"
#include "engine/vulkan/device.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"
#include "tests/vulkan/lavapipe.h"

#include <gtest/gtest.h>

// The Khronos validation layer, with synchronisation checks, must have nothing to say.
namespace fireside {
namespace {

using test::ScopedEnv;

bool layerPresent()
{
    return std::filesystem::exists(
        "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json");
}

/// What the layer logs while `action` runs.
template <typename Action>
std::string validationLog(Action action)
{
    const test::TempDir dir;
    const std::string log = (dir / "log.txt").string();
    const std::string settings = "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
                                 "khronos_validation.log_filename = " +
                                 log +
                                 "\n"
                                 "khronos_validation.report_flags = error,warn,perf\n"
                                 "khronos_validation.enables = "
                                 "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n";
    test::writeFile(dir / "vk_layer_settings.txt", std::as_bytes(std::span(settings)));
    {
        const test::Lavapipe lavapipe;
        const auto environment = lavapipe.select();
        const ScopedEnv layers("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation");
        const ScopedEnv path("VK_LAYER_SETTINGS_PATH", (dir / "vk_layer_settings.txt").c_str());
        action();
    }
    if (!std::filesystem::exists(log))
        return "the layer did not run";
    const auto bytes = test::readFile(log);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

TEST(VulkanValidation, TheLayerSeesMistakes)
{
    if (!layerPresent() || !test::Lavapipe().present())
        GTEST_SKIP() << "needs lavapipe and the validation layer (apt install mesa-vulkan-drivers "
                        "vulkan-validationlayers)";
    const std::string log = validationLog([] {
        vulkan::Instance instance(vulkan::Loader::open());
        const auto devices = vulkan::physicalDevices(instance);
        vulkan::LogicalDevice device(instance, devices.at(0));
        // A semaphore that nobody destroys before its device.
        VkSemaphoreCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
        VkSemaphore forgotten = VK_NULL_HANDLE;
        device.functions().CreateSemaphore(device.handle(), &info, nullptr, &forgotten);
    });
    EXPECT_NE(log.find("VUID-vkDestroyDevice-device"), std::string::npos) << log;
}

TEST(VulkanValidation, TheChecksAreClean)
{
    if (!layerPresent() || !test::Lavapipe().present())
        GTEST_SKIP() << "needs lavapipe and the validation layer (apt install mesa-vulkan-drivers "
                        "vulkan-validationlayers)";
    std::vector<DeviceReport> reports;
    const std::string log = validationLog([&] { reports = probeVulkan(); });
    EXPECT_EQ(log, "");
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_NE(reports[0].reason.find("passed every check"), std::string::npos) << reports[0].reason;
}

} // namespace
} // namespace fireside
