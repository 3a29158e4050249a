#pragma once
#include <cctype>
#include <string>
#include <string_view>

namespace fireside::server {

/// ASCII letters only, as names in HTTP are compared.
inline std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char &c : lower)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

inline bool hasControlCharacter(std::string_view text)
{
    for (const char c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            return true;
    return false;
}

} // namespace fireside::server
