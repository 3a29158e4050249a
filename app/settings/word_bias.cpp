#include "app/settings/word_bias.h"

#include <charconv>
#include <string_view>

namespace fireside {
namespace {

template <typename Number>
std::optional<Number> numberOf(std::string_view text)
{
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

} // namespace

std::optional<WordBias> parseWordBias(const std::string &text)
{
    constexpr double kLargest = 100;
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
        return std::nullopt;
    std::string_view number = std::string_view(text).substr(equals + 1);
    if (number.starts_with('+'))
        number.remove_prefix(1);
    const auto bias = numberOf<double>(number);
    if (!bias || !(*bias >= -kLargest && *bias <= kLargest))
        return std::nullopt;
    WordBias word{.text = text.substr(0, equals), .token = std::nullopt, .bias = *bias};
    if (word.text.size() > 1 && word.text.front() == '#')
        if (const auto id = numberOf<std::int32_t>(std::string_view(word.text).substr(1));
            id && *id >= 0)
            word.token = id;
    return word;
}

} // namespace fireside
