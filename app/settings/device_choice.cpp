#include "app/settings/device_choice.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace fireside {
namespace {

constexpr std::size_t kLongestId = 64;

bool isId(std::string_view id)
{
    return !id.empty() && id.size() <= kLongestId &&
           std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

std::optional<double> gigabytes(std::string_view digits)
{
    double number = -1;
    const char *const end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, number);
    const bool good = error == std::errc{} && at == end; // NaN is in no range
    return good && number >= 0 && number <= DeviceChoice::kMost ? std::optional(number)
                                                                : std::nullopt;
}

std::string digits(double gigabytes)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.15g", std::round(gigabytes * 100) / 100);
    return text;
}

} // namespace

std::optional<DeviceChoice> parseDeviceChoice(const std::string &text)
{
    const std::size_t equals = text.find('=');
    DeviceChoice choice{.id = text.substr(0, equals)};
    if (!isId(choice.id))
        return std::nullopt;
    if (equals == std::string::npos)
        return choice;
    const std::string_view sizes = std::string_view(text).substr(equals + 1);
    const std::size_t minus = sizes.find('-');
    if (minus != 0) {
        choice.limit = gigabytes(sizes.substr(0, minus));
        if (!choice.limit)
            return std::nullopt;
    }
    if (minus != std::string_view::npos) {
        const auto reserve = gigabytes(sizes.substr(minus + 1));
        if (!reserve)
            return std::nullopt;
        choice.reserve = *reserve;
    }
    return choice;
}

bool isDeviceChoice(const std::string &text)
{
    return parseDeviceChoice(text).has_value();
}

std::string toText(const DeviceChoice &choice)
{
    std::string text = choice.id;
    if (choice.limit || choice.reserve > 0)
        text += '=';
    if (choice.limit)
        text += digits(*choice.limit);
    if (choice.reserve > 0)
        text += '-' + digits(choice.reserve);
    return text;
}

} // namespace fireside
