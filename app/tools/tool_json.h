#pragma once
#include "engine/text/reply/call_values.h"

#include <QByteArray>
#include <QString>
#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

// JSON of tools, with its members in the order in which they were written, as schemas go into
// prompts so. Whatever comes from outside may be broken: nothing here throws.
namespace fireside {

using ToolJson = nlohmann::ordered_json;

inline std::optional<ToolJson> parsedJson(const QByteArray &text)
{
    return parseJson(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
}

inline QByteArray bytesOf(const ToolJson &json, int indent = -1)
{
    return QByteArray::fromStdString(
        json.dump(indent, ' ', false, ToolJson::error_handler_t::replace));
}

/// The member of an object; nullptr: there is none.
inline const ToolJson *memberOf(const ToolJson &json, const char *name)
{
    if (!json.is_object())
        return nullptr;
    const auto found = json.find(name);
    return found == json.end() ? nullptr : &*found;
}

/// A member that is text, else nothing.
inline QString textIn(const ToolJson &json, const char *name)
{
    const ToolJson *const value = memberOf(json, name);
    return value && value->is_string()
               ? QString::fromStdString(value->get_ref<const std::string &>())
               : QString();
}

} // namespace fireside
