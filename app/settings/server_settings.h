#pragma once
#include "app/settings/setting.h"

#include <array>

namespace fireside {

/// Whether and how other programs may use the window's model. The key lies in a file of its own.
struct ServerSettings
{
    bool on = false;
    int port = 8080;
    std::string host = "127.0.0.1";
    std::vector<std::string> origins; // of web pages
    int sequences = 4;
    bool operator==(const ServerSettings &) const = default;

    static std::span<const SettingOf<ServerSettings>> table();
};

namespace detail {

inline constexpr std::array kServerHosts{
    SettingChoice{"127.0.0.1", Settings::tr("This computer only")},
    SettingChoice{"0.0.0.0", Settings::tr("Other computers, too (needs a key)")},
};

/// "http://localhost:3000": what browsers send as Origin.
inline bool isOrigin(const std::string &text)
{
    const bool web = text.starts_with("http://") || text.starts_with("https://");
    const std::size_t host = text.find("//") + 2;
    return web && host < text.size() && text.find('/', host) == std::string::npos &&
           text.find(' ') == std::string::npos;
}

} // namespace detail

inline constexpr std::array kServerTable{
    field<&ServerSettings::on>(
        {.key = "on",
         .label = Settings::tr("&Let other programs use the model"),
         .help = Settings::tr("They can ask the model that is loaded here, in the way of OpenAI's "
                              "and Anthropic's APIs. They see none of your chats, and nothing of "
                              "what they ask is stored or logged. Your own chats come first.")}),
    field<&ServerSettings::host>(
        {.key = "host",
         .label = Settings::tr("&Reachable from"),
         .help = Settings::tr("Other computers on the network are let in only with a key of at "
                              "least 16 characters. What they send is not encrypted."),
         .choices = detail::kServerHosts}),
    field<&ServerSettings::port>({.key = "port",
                                  .label = Settings::tr("&Port"),
                                  .help = Settings::tr("Where programs look for the server."),
                                  .low = 1024,
                                  .high = 65535}),
    field<&ServerSettings::sequences>(
        {.key = "sequences",
         .label = Settings::tr("Replies at &once"),
         .help = Settings::tr("Besides the one in the window. Further requests wait for their "
                              "turn."),
         .low = 1,
         .high = 64}),
    field<&ServerSettings::origins>(
        {.key = "origins",
         .label = Settings::tr("&Web pages that may ask"),
         .help =
             Settings::tr("Where such a page comes from, one to a line. All others are refused, "
                          "so that no page you visit can use the model."),
         .lines = 3,
         .example = Settings::tr("http://localhost:3000"),
         .item = detail::isOrigin}),
};

inline std::span<const SettingOf<ServerSettings>> ServerSettings::table()
{
    return kServerTable;
}

} // namespace fireside
