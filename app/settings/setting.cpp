#include "app/settings/setting.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace fireside {
namespace {

template <typename Number>
bool inRange(const Setting &setting, Number value)
{
    if (setting.orZero && value == Number{0})
        return true;
    const auto number = static_cast<double>(value); // NaN is in no range
    return number >= setting.low && number <= setting.high;
}

bool isChoice(const Setting &setting, std::string_view word)
{
    return setting.choices.empty() ||
           std::any_of(setting.choices.begin(), setting.choices.end(),
                       [&](const SettingChoice &choice) { return choice.word == word; });
}

template <typename Number>
Number nearest(const Setting &setting, Number value, Number fallback)
{
    if (inRange(setting, value))
        return value;
    if (std::isnan(static_cast<double>(value)))
        return fallback;
    if (setting.orZero && value < Number{0})
        return Number{0};
    return static_cast<double>(value) < setting.low ? static_cast<Number>(setting.low)
                                                    : static_cast<Number>(setting.high);
}

} // namespace

bool isAccepted(const Setting &setting, const SettingValue &value)
{
    if (const auto *list = std::get_if<std::vector<std::string>>(&value))
        return setting.item == nullptr || std::all_of(list->begin(), list->end(), setting.item);
    if (const auto *number = std::get_if<std::int64_t>(&value))
        return inRange(setting, *number);
    if (const auto *number = std::get_if<double>(&value))
        return inRange(setting, *number);
    const auto *word = std::get_if<std::string>(&value);
    return !word || isChoice(setting, *word);
}

SettingValue accepted(const Setting &setting, SettingValue value, const SettingValue &fallback)
{
    if (auto *number = std::get_if<std::int64_t>(&value))
        *number = nearest(setting, *number, std::get<std::int64_t>(fallback));
    else if (auto *real = std::get_if<double>(&value))
        *real = nearest(setting, *real, std::get<double>(fallback));
    else if (auto *list = std::get_if<std::vector<std::string>>(&value))
        std::erase_if(*list, [&](const std::string &text) {
            return text.empty() || (setting.item != nullptr && !setting.item(text));
        });
    else if (!isAccepted(setting, value))
        return fallback;
    return value;
}

} // namespace fireside
