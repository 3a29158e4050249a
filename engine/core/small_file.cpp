#include "engine/core/small_file.h"

#include <charconv>
#include <fstream>

namespace fireside {

std::optional<std::string> readSmallFile(const std::string &path)
{
    constexpr std::size_t kLimit = std::size_t{1} << 20;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return std::nullopt;
    std::string text;
    char chunk[4096];
    while (text.size() < kLimit && (file.read(chunk, sizeof chunk) || file.gcount() > 0))
        text.append(chunk, static_cast<std::size_t>(file.gcount()));
    if (file.bad())
        return std::nullopt;
    return text;
}

std::optional<unsigned long long> parseUnsigned(const std::string &text)
{
    const std::size_t start = text.find_first_not_of(" \t\n");
    if (start == std::string::npos)
        return std::nullopt;
    unsigned long long value = 0;
    const auto result = std::from_chars(text.data() + start, text.data() + text.size(), value);
    if (result.ec != std::errc{})
        return std::nullopt;
    return value;
}

} // namespace fireside
