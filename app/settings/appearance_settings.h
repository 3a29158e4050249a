#pragma once
#include "app/settings/setting.h"

#include <array>

namespace fireside {

/// How the window looks.
struct AppearanceSettings
{
    std::string language = "system"; // or a word of kLanguageChoices
    std::string theme = "system";    // system, light, dark
    std::string contrast = "system"; // system, high
    int fontSize = 0;                // points, 0: the system's
    bool still = false;              // nothing moves or blinks by itself
    bool operator==(const AppearanceSettings &) const = default;

    static std::span<const SettingOf<AppearanceSettings>> table();
};

/// Each in its own words: who reads none of the others finds it.
inline constexpr std::array kLanguageChoices{
    SettingChoice{"system", Settings::tr("As the desktop")},
    SettingChoice{"en", Settings::tr("English")},
    SettingChoice{"de", Settings::tr("Deutsch")},
    SettingChoice{"ar", Settings::tr("العربية")},
};

inline constexpr std::array kContrastChoices{
    SettingChoice{"system", Settings::tr("As the desktop")},
    SettingChoice{"high", Settings::tr("High")},
};

inline constexpr std::array kThemeChoices{
    SettingChoice{"system", Settings::tr("As the &desktop")},
    SettingChoice{"light", Settings::tr("&Light")},
    SettingChoice{"dark", Settings::tr("Dar&k")},
};

inline constexpr std::array kAppearanceTable{
    field<&AppearanceSettings::theme>({.key = "theme",
                                       .label = Settings::tr("Colours"),
                                       .asButtons = true,
                                       .choices = kThemeChoices}),
    field<&AppearanceSettings::contrast>(
        {.key = "contrast", .label = Settings::tr("&Contrast"), .choices = kContrastChoices}),
    field<&AppearanceSettings::language>(
        {.key = "language", .label = Settings::tr("Lan&guage"), .choices = kLanguageChoices}),
    field<&AppearanceSettings::fontSize>({.key = "fontSize",
                                          .label = Settings::tr("&Text size"),
                                          .low = 6,
                                          .high = 72,
                                          .orZero = true,
                                          .lowest = Settings::tr("As the desktop"),
                                          .unit = Settings::tr(" pt")}),
    field<&AppearanceSettings::still>(
        {.key = "still",
         .label = Settings::tr("&Nothing moves or blinks by itself"),
         .help = Settings::tr("The caret, the dots of a reply that begins, and menus "
                              "that fade in stand still.")}),
};

inline std::span<const SettingOf<AppearanceSettings>> AppearanceSettings::table()
{
    return kAppearanceTable;
}

} // namespace fireside
