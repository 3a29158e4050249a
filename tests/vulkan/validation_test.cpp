#include "engine/backend/backend.h"
#include "engine/backend/op.h"
#include "engine/vulkan/platform/device.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/require.h"
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
        FIRESIDE_SKIP("needs lavapipe and the validation layer (apt install mesa-vulkan-drivers "
                      "vulkan-validationlayers)");
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
        FIRESIDE_SKIP("needs lavapipe and the validation layer (apt install mesa-vulkan-drivers "
                      "vulkan-validationlayers)");
    std::vector<DeviceReport> reports;
    const std::string log = validationLog([&] { reports = probeVulkan(); });
    EXPECT_EQ(log, "");
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_NE(reports[0].reason.find("passed every check"), std::string::npos) << reports[0].reason;
}

/// Weights on both ways, values across, a recorded and a replayed pass.
void useDevice(bool stagedUploads)
{
    DeviceReport report;
    report.id = "vulkan:0";
    VulkanOptions options;
    options.stagedUploads = stagedUploads;
    const auto device = openVulkan(report, options);
    const auto table = device->allocate(4096, "a table"), copy = device->allocate(4096, "a copy");
    const std::vector<float> values(2048, 0.5f);
    const auto matrix =
        device->addWeight({"matrix", DType::F32, 64, 32, 1, std::as_bytes(std::span(values)), {}});
    const auto norm = device->addWeight(
        {"norm", DType::F32, 1, 32, 1, std::as_bytes(std::span(values)).subspan(0, 128), {}});
    device->finishWeights();
    const auto commands = device->commands(1 << 16, 8);
    const std::int32_t ids[] = {1, 2, 3};
    const BatchItem items[] = {{{}, 0, 3, 0}};
    PassOptions recorded;
    recorded.recording = 1;
    for (const PassOptions &pass : {PassOptions(), recorded, recorded, recorded}) {
        if (commands->begin({ids, ids, items, ids}, pass) == Commands::Begin::Record) {
            const Tensor rows{table.get(), 0, DType::F32, 32, 32, 32};
            const Tensor x = commands->scratch(3, 32);
            commands->record(op::GatherRows{rows, commands->ids(), x});
            commands->record(op::RmsNorm{x, norm.get(), 1e-5f, x});
            commands->record(op::Add{x, x, x});
            commands->keep(0, x);
            if (pass.recording == 0)
                commands->upload(std::span<const float>(values).subspan(0, 96), x);
        }
        commands->sync();
        std::vector<float> back(96);
        commands->read(commands->kept(0), std::span<float>(back));
        device->copy(*table, 0, *copy, 128, 1024);
        commands->takeOpTimes();
    }
}

TEST(VulkanValidation, PassesAreClean)
{
    if (!layerPresent() || !test::Lavapipe().present())
        FIRESIDE_SKIP("needs lavapipe and the validation layer (apt install mesa-vulkan-drivers "
                      "vulkan-validationlayers)");
    // In one go: a layer that stays loaded may keep the settings it read first.
    const std::string log = validationLog([] {
        for (const bool staged : {false, true})
            useDevice(staged);
    });
    EXPECT_EQ(log, "");
}

} // namespace
} // namespace fireside
