#pragma once
#include "app/settings/placement_settings.h"
#include "app/settings/setting.h"

#include <array>

namespace fireside {

/// How a model is loaded. `placement` has a table of its own.
struct LoadSettings
{
    std::string backend = "auto";  // auto, cpu, vulkan
    int context = 0;               // tokens, 0: the model's own, 8192 at most
    int threads = 0;               // 0: automatic
    std::string kvType = "f16";    // f32, f16, q8_0
    std::string quantize = "keep"; // keep, or a mixture of types: q4_k_m
    PlacementSettings placement = {};
    bool operator==(const LoadSettings &) const = default;

    static std::span<const SettingOf<LoadSettings>> table();
};

inline constexpr std::array kBackendChoices{
    SettingChoice{"auto", Settings::tr("Automatic")},
    SettingChoice{"vulkan", Settings::tr("Graphics processor (Vulkan)")},
    SettingChoice{"cpu", Settings::tr("Processor (CPU)")},
};

inline constexpr std::array kCacheTypeChoices{
    SettingChoice{"f16", Settings::tr("F16 (usual)")},
    SettingChoice{"q8_0", Settings::tr("Q8_0 (half the memory)")},
    SettingChoice{"f32", Settings::tr("F32 (exact, twice the memory)")},
};

inline constexpr std::array kQuantizeChoices{
    SettingChoice{"keep", Settings::tr("Keep as they are")},
    SettingChoice{"q8_0", Settings::tr("Q8_0 (8.5 bits each)")},
    SettingChoice{"q6_k", Settings::tr("Q6_K (6.6 bits)")},
    SettingChoice{"q5_k_m", Settings::tr("Q5_K_M (5.7 bits)")},
    SettingChoice{"q4_k_m", Settings::tr("Q4_K_M (4.9 bits)")},
};

inline constexpr std::array kLoadTable{
    field<&LoadSettings::backend>(
        {.key = "backend",
         .option = "--backend",
         .label = Settings::tr("&Run on"),
         .help =
             Settings::tr("Automatic takes the graphics processor when it is usable and the model "
                          "fits, else the CPU, and always says why."),
         .choices = kBackendChoices}),
    field<&LoadSettings::context>(
        {.key = "context",
         .option = "--context",
         .label = Settings::tr("&Context"),
         .help = Settings::tr("How much of a chat the model can see. More needs more memory. "
                              "Automatic: what the model was trained for, 8,192 tokens at most."),
         .optionHelp = "Context in tokens. 0: what the model was trained for, 8,192 at most.",
         .low = 256, // less cannot hold a question and its answer
         .high = 16 << 20,
         .orZero = true,
         .step = 0,
         .lowest = Settings::tr("Automatic"),
         .unit = Settings::tr(" tokens")}),
    field<&LoadSettings::kvType>(
        {.key = "kvType",
         .option = "--kv",
         .label = Settings::tr("Context &memory"),
         .help = Settings::tr("The number format in which the model remembers the chat."),
         .choices = kCacheTypeChoices}),
    field<&LoadSettings::quantize>(
        {.key = "quantize",
         .option = "--quantize",
         .label = Settings::tr("&Weights"),
         .help = Settings::tr("What weights of 16 and 32 bits become while the model is loaded: "
                              "fewer bits need less memory and answer faster. The file stays as "
                              "it is; weights that are quantised in it do too."),
         .optionHelp = "What weights of 16 and 32 bits become while the model is loaded.",
         .choices = kQuantizeChoices}),
    field<&LoadSettings::threads>(
        {.key = "threads",
         .option = "--threads",
         .label = Settings::tr("&Threads"),
         .help = Settings::tr("Processor threads that calculate. Automatic: one for each physical "
                              "core, of several kinds the fast ones."),
         .optionHelp =
             "Processor threads that calculate. 0: one for each physical core, of several "
             "kinds the fast ones.",
         .high = 1024,
         .lowest = Settings::tr("Automatic")}),
};

inline std::span<const SettingOf<LoadSettings>> LoadSettings::table()
{
    return kLoadTable;
}

} // namespace fireside
