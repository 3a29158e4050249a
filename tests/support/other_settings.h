#pragma once
#include "app/settings/setting.h"

// Values of settings that tests can tell apart.
namespace fireside::test {

/// An accepted value of the same kind that differs from `value`; halves and whole numbers, so that
/// every file and control holds it exactly.
inline SettingValue otherValue(const Setting &setting, const SettingValue &value)
{
    if (const auto *flag = std::get_if<bool>(&value))
        return !*flag;
    if (const auto *number = std::get_if<std::int64_t>(&value)) {
        const std::int64_t other = static_cast<std::int64_t>(setting.low) + 17;
        return other == *number ? other + 1 : other;
    }
    if (const auto *number = std::get_if<double>(&value)) {
        for (const double other : {0.75, 0.25})
            if (other != *number && isAccepted(setting, other))
                return other;
        return setting.low;
    }
    if (setting.item != nullptr)
        return std::vector<std::string>{setting.example};
    if (std::holds_alternative<std::vector<std::string>>(value))
        return std::vector<std::string>{"one", "two\nlines", "a,b"};
    for (const SettingChoice &choice : setting.choices)
        if (choice.word != std::get<std::string>(value))
            return std::string(choice.word);
    return std::string("Line 1\nLine „2“; # = %");
}

/// Every field differs from `group`'s.
template <typename Group>
Group allOther(const Group &group = {})
{
    Group other = group;
    for (const SettingOf<Group> &setting : Group::table())
        setting.write(other, otherValue(setting, setting.read(group)));
    return other;
}

} // namespace fireside::test
