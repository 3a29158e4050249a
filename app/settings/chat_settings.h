#pragma once
#include "app/settings/setting.h"

#include <array>

namespace fireside {

/// What holds for every chat.
struct ChatSettings
{
    int idleMinutes = 30;  // until the model is unloaded; 0: never
    bool nameChats = true; // titles by the model
    int toolRounds = 12;   // replies to one message that may call tools
    int toolSeconds = 120; // until a call that gives no sign counts as failed
    bool operator==(const ChatSettings &) const = default;

    static std::span<const SettingOf<ChatSettings>> table();
};

inline constexpr std::array kChatTable{
    field<&ChatSettings::idleMinutes>(
        {.key = "idleMinutes",
         .label = Settings::tr("Unload an unused mode&l after"),
         .help = Settings::tr("Its memory, on graphics cards above all, is then free for other "
                              "programs. It comes back with the next message."),
         .high = 1440,
         .step = 5,
         .lowest = Settings::tr("Never"),
         .unit = Settings::tr(" minutes")}),
    field<&ChatSettings::nameChats>(
        {.key = "nameChats",
         .label = Settings::tr("&Name chats"),
         .help = Settings::tr("After its first reply the model gives a chat a title, when it has "
                              "nothing else to do. Titles that you write stay. Models with fewer "
                              "than half a billion parameters do not name chats.")}),
    field<&ChatSettings::toolRounds>(
        {.key = "toolRounds",
         .label = Settings::tr("&Rounds of tools"),
         .help = Settings::tr("How often in a row the model may call tools before it has to answer "
                              "a message."),
         .low = 1,
         .high = 100,
         .step = 1}),
    field<&ChatSettings::toolSeconds>(
        {.key = "toolSeconds",
         .label = Settings::tr("&Wait for a tool"),
         .help = Settings::tr("A call that gives no sign for so long is given up."),
         .low = 5,
         .high = 3600,
         .step = 5,
         .unit = Settings::tr(" seconds")}),
};

inline std::span<const SettingOf<ChatSettings>> ChatSettings::table()
{
    return kChatTable;
}

} // namespace fireside
