#include "engine/core/error.h"

#include "engine/core/quote.h"

#include <array>
#include <cstdio>

namespace fireside {

void throwBadInput(const std::string &text)
{
    throw Error(ErrorKind::BadInput, printable(text));
}

void throwInternal(const std::string &text)
{
    throw Error(ErrorKind::Internal, text);
}

void throwUnsupported(const std::string &text)
{
    throw Error(ErrorKind::Unsupported, printable(text));
}

void throwCancelled()
{
    throw Error(ErrorKind::Cancelled, "cancelled");
}

std::string formatBytes(unsigned long long bytes)
{
    static constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), unit > 0 && value < 9.95 ? "%.1f %s" : "%.0f %s", value,
                  units[unit]);
    return text.data();
}

} // namespace fireside
