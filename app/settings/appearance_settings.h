#pragma once
#include "app/settings/setting.h"

#include <array>

namespace fireside {

/// How the window looks.
struct AppearanceSettings
{
    std::string theme = "system"; // system, light, dark
    int fontSize = 0;             // points, 0: the system's
    bool operator==(const AppearanceSettings &) const = default;

    static std::span<const SettingOf<AppearanceSettings>> table();
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
    field<&AppearanceSettings::fontSize>({.key = "fontSize",
                                          .label = Settings::tr("&Text size"),
                                          .low = 6,
                                          .high = 72,
                                          .orZero = true,
                                          .lowest = Settings::tr("As the desktop"),
                                          .unit = Settings::tr(" pt")}),
};

inline std::span<const SettingOf<AppearanceSettings>> AppearanceSettings::table()
{
    return kAppearanceTable;
}

} // namespace fireside
