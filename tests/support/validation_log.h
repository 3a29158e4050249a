#pragma once
#include "tests/support/gguf_builder.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

#include <filesystem>
#include <string>

namespace fireside::test {

/// While it exists, Vulkan instances run under the Khronos validation layer with its checks of
/// synchronisation.
class ValidationLog
{
public:
    static bool layerPresent()
    {
        return std::filesystem::exists(
            "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json");
    }

    ValidationLog()
        : m_log((m_dir / "log.txt").string())
        , m_layers("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
        , m_path("VK_LAYER_SETTINGS_PATH", (m_dir / "vk_layer_settings.txt").c_str())
    {
        const std::string settings =
            "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
            "khronos_validation.log_filename = " +
            m_log +
            "\n"
            "khronos_validation.report_flags = error,warn,perf\n"
            "khronos_validation.enables = "
            "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n";
        writeFile(m_dir / "vk_layer_settings.txt", std::as_bytes(std::span(settings)));
    }

    /// What the layer said so far: nothing, if all is well.
    std::string text() const
    {
        if (!std::filesystem::exists(m_log))
            return "the layer did not run";
        const auto bytes = readFile(m_log);
        return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
    }

private:
    TempDir m_dir;
    std::string m_log;
    ScopedEnv m_layers, m_path;
};

} // namespace fireside::test
