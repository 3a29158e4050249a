// Parameters that servers want as headers of HTTP, too ("x-mcp-header").
#include "app/tools/mcp/protocol.h"

#include <QSet>

#include <algorithm>

namespace fireside::mcp {
namespace {

constexpr int kDeepestHeader = 16;
using HeaderPlaces = QList<QPair<QByteArray, QStringList>>;

bool isToken(const std::string &text)
{
    static const std::string marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && text.size() <= 100 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               marks.find(c) != std::string::npos;
    });
}

/// Anywhere in a value.
bool mentionsHeader(const ToolJson &value)
{
    if (value.is_object() && value.contains("x-mcp-header"))
        return true;
    return value.is_structured() && std::any_of(value.begin(), value.end(), mentionsHeader);
}

/// Follows `properties` only: elsewhere no header may be asked for.
bool collect(const ToolJson &schema, const QStringList &path, HeaderPlaces &places)
{
    for (const auto &[key, value] : schema.items()) {
        if (key == "x-mcp-header" && !path.isEmpty())
            continue; // checked below
        if (key != "properties") {
            if (mentionsHeader(value) || key == "x-mcp-header")
                return false;
            continue;
        }
        if (!value.is_object() || path.size() > kDeepestHeader)
            return !mentionsHeader(value);
        for (const auto &[name, property] : value.items()) {
            if (!property.is_object()) {
                if (mentionsHeader(property))
                    return false;
                continue;
            }
            const QStringList here = path + QStringList{QString::fromStdString(name)};
            if (const ToolJson *const header = memberOf(property, "x-mcp-header")) {
                const QString type = textIn(property, "type");
                const bool primitive = type == QLatin1String("string") ||
                                       type == QLatin1String("integer") ||
                                       type == QLatin1String("boolean");
                if (!primitive || !header->is_string() ||
                    !isToken(header->get_ref<const std::string &>()))
                    return false;
                places.append({QByteArray::fromStdString(header->get<std::string>()), here});
            }
            if (!collect(property, here, places))
                return false;
        }
    }
    return true;
}

} // namespace

std::optional<HeaderPlaces> headerPlaces(const ToolJson &schema)
{
    HeaderPlaces places;
    if (!mentionsHeader(schema))
        return places;
    if (!schema.is_object() || !collect(schema, {}, places))
        return std::nullopt;
    QSet<QByteArray> names;
    for (const auto &place : places)
        names.insert(place.first.toLower());
    return names.size() == places.size() ? std::optional(places) : std::nullopt;
}

QByteArray headerValue(const std::string &text)
{
    const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return (c >= 0x20 && c < 0x7f) || c == '\t';
    });
    const auto isSpace = [](char c) { return c == ' ' || c == '\t'; };
    const bool padded = !text.empty() && (isSpace(text.front()) || isSpace(text.back()));
    const bool marked = text.starts_with("=?base64?") && text.ends_with("?=");
    const QByteArray bytes = QByteArray::fromStdString(text);
    return plain && !padded && !marked ? bytes : "=?base64?" + bytes.toBase64() + "?=";
}

QList<QPair<QByteArray, QByteArray>> parameterHeaders(const ToolJson &schema,
                                                      const ToolJson &arguments)
{
    QList<QPair<QByteArray, QByteArray>> headers;
    const auto places = headerPlaces(schema);
    if (!places)
        return headers;
    for (const auto &[name, path] : *places) {
        const ToolJson *value = &arguments;
        for (const QString &key : path)
            value = value ? memberOf(*value, key.toUtf8().constData()) : nullptr;
        if (!value || !(value->is_string() || value->is_number_integer() || value->is_boolean()))
            continue;
        const std::string text = value->is_string() ? value->get<std::string>() : value->dump();
        headers.append({"Mcp-Param-" + name, headerValue(text)});
    }
    return headers;
}

} // namespace fireside::mcp
