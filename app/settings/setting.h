#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// Settings as data. A group of settings is a plain struct and, beside it, the table of its fields:
// the file of settings, the records of chats, the command line, the pages of the window and the
// tests are made from the table. No Qt: the command line reads it too.
namespace fireside {

/// One word that a setting may be.
struct SettingChoice
{
    const char *word;  // as it is stored and typed
    const char *label; // as the window calls it
};

/// A setting without its value. Texts stand in English inside Settings::tr().
struct Setting
{
    const char *key;          // in files, and the name of its control
    const char *option = "";  // on the command line; empty: not there
    const char *label = "";   // with its mnemonic
    const char *section = ""; // of its page; rows of a section stand together
    bool advanced = false;    // the section is folded until somebody asks for it
    const char *help = "";
    const char *optionHelp = ""; // where the command line has other words for it
    double low = 0, high = 0;    // of numbers, both included
    bool orZero = false;         // 0 is allowed too, below `low`
    double step = 1;             // of the control; 0: doubles
    const char *lowest = "";     // what the control shows for the lowest number, or an empty text
    const char *unit = "";       // behind the number
    int lines = 0;               // of a text's control
    const char *example = "";    // shown while a text is empty
    bool asButtons = false;      // choices stand side by side instead of in a list
    bool asDevices = false;      // a list of this computer's devices
    bool (*item)(const std::string &text) = nullptr; // what a list may hold; nullptr: any text
    std::span<const SettingChoice> choices = {};
};

/// Marks texts for translation; the window asks for them in this context.
struct Settings
{
    static constexpr const char *kContext = "Settings";
    static constexpr const char *tr(const char *text) { return text; }
};

/// The value of a setting of any kind.
using SettingValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// A number within its range, a word among its choices, a list of its items, any other text. NaN is
/// not.
bool isAccepted(const Setting &setting, const SettingValue &value);
/// The nearest accepted number; `fallback` for NaN and unknown words. Lists lose empty texts and
/// what they may not hold.
SettingValue accepted(const Setting &setting, SettingValue value, const SettingValue &fallback);

/// A field of the struct Group.
template <typename Group>
struct SettingOf : Setting
{
    SettingValue (*read)(const Group &group);
    void (*write)(Group &group, const SettingValue &value); // of the kind that read() gives
};

namespace detail {

template <typename Group, typename Type>
Group groupOf(Type Group::*);

/// Whole numbers of any size are one kind.
template <typename Type>
using KindOf = std::conditional_t<std::is_same_v<Type, int>, std::int64_t, Type>;

} // namespace detail

/// The row of a member: field<&Group::member>({…}).
template <auto member>
constexpr auto field(const Setting &setting)
{
    using Group = decltype(detail::groupOf(member));
    using Type = std::remove_cvref_t<decltype(std::declval<Group>().*member)>;
    using Kind = detail::KindOf<Type>;
    return SettingOf<Group>{setting,
                            [](const Group &group) -> SettingValue { return Kind{group.*member}; },
                            [](Group &group, const SettingValue &value) {
                                group.*member = static_cast<Type>(std::get<Kind>(value));
                            }};
}

/// Every field brought into its range.
template <typename Group>
Group accepted(const Group &group)
{
    const Group defaults;
    Group result = group;
    for (const SettingOf<Group> &setting : Group::table())
        setting.write(result, accepted(setting, setting.read(group), setting.read(defaults)));
    return result;
}

} // namespace fireside
