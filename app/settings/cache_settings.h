#pragma once
#include "app/settings/setting.h"

#include <array>

namespace fireside {

/// What is kept of computed chats, so that they need not be computed again.
struct CacheSettings
{
    int gigabytes = 8; // on the disk, at most; 0: nothing
    bool operator==(const CacheSettings &) const = default;

    static std::span<const SettingOf<CacheSettings>> table();
};

inline constexpr std::array kCacheTable{
    field<&CacheSettings::gigabytes>(
        {.key = "gigabytes",
         .label = Settings::tr("&At most"),
         .help = Settings::tr("What a model has computed of a chat is kept, so that the chat "
                              "answers at once when it is opened again. What was used longest ago "
                              "goes first. 0: nothing is kept on the disk."),
         .high = 10'000,
         .lowest = Settings::tr("Nothing"),
         .unit = Settings::tr(" GB")}),
};

inline std::span<const SettingOf<CacheSettings>> CacheSettings::table()
{
    return kCacheTable;
}

} // namespace fireside
