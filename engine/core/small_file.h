#pragma once
#include <optional>
#include <string>

namespace fireside {

/// Contents of a file of /proc or /sys (at most 1 MiB of it); nullopt when it cannot be read.
std::optional<std::string> readSmallFile(const std::string &path);

/// "123" → 123 after leading blanks, ignoring what follows; nullopt without a digit or on overflow.
std::optional<unsigned long long> parseUnsigned(const std::string &text);

} // namespace fireside
