#include "engine/text/reply/schema_types.h"

#include "engine/text/reply/call_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fireside {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kMaxSchemaDepth = 16;

/// "string", and what clients write instead.
unsigned typeNamed(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    static constexpr std::array<std::pair<std::string_view, unsigned>, 18> kNames{{
        {"string", kJsonString},
        {"str", kJsonString},
        {"text", kJsonString},
        {"integer", kJsonInteger},
        {"int", kJsonInteger},
        {"number", kJsonInteger | kJsonFraction},
        {"float", kJsonInteger | kJsonFraction},
        {"double", kJsonInteger | kJsonFraction},
        {"boolean", kJsonBoolean},
        {"bool", kJsonBoolean},
        {"array", kJsonArray},
        {"list", kJsonArray},
        {"tuple", kJsonArray},
        {"object", kJsonObject},
        {"dict", kJsonObject},
        {"map", kJsonObject},
        {"null", kJsonNull},
        {"none", kJsonNull},
    }};
    for (const auto &[known, type] : kNames)
        if (known == name)
            return type;
    return kJsonAny;
}

unsigned typeOf(const Json &value)
{
    switch (value.type()) {
    case Json::value_t::null:
        return kJsonNull;
    case Json::value_t::boolean:
        return kJsonBoolean;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
        return kJsonInteger;
    case Json::value_t::number_float:
        return kJsonFraction;
    case Json::value_t::array:
        return kJsonArray;
    case Json::value_t::object:
        return kJsonObject;
    default:
        return kJsonString;
    }
}

const Json *memberOf(const Json *node, const char *name)
{
    if (node == nullptr || !node->is_object())
        return nullptr;
    const auto found = node->find(name);
    return found == node->end() ? nullptr : &*found;
}

/// Part of a JSON pointer, without its escapes.
std::string unescaped(std::string part)
{
    for (const auto &[from, to] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}})
        for (std::size_t at = 0; (at = part.find(from, at)) != std::string::npos; ++at)
            part.replace(at, 2, to);
    return part;
}

/// 3.0 as 3, where only integers are allowed.
void useInteger(Json &value, unsigned types)
{
    if (typeOf(value) != kJsonFraction || (types & kJsonFraction) || !(types & kJsonInteger))
        return;
    const double number = value.get<double>();
    if (std::nearbyint(number) == number && std::fabs(number) < 9e15)
        value = static_cast<std::int64_t>(number);
}

} // namespace

const Json *SchemaView::resolved(const Json *node, int depth) const
{
    const Json *const reference = memberOf(node, "$ref");
    if (reference == nullptr || !reference->is_string())
        return node;
    const std::string &path = reference->get_ref<const std::string &>();
    if (depth > kMaxSchemaDepth || !path.starts_with('#'))
        return nullptr;
    const Json *target = m_root;
    for (std::size_t at = path.find('/'); at != std::string::npos && target != nullptr;) {
        const std::size_t end = path.find('/', at + 1);
        const std::string part = unescaped(path.substr(at + 1, end - at - 1));
        target = memberOf(target, part.c_str());
        at = end;
    }
    return resolved(target, depth + 1);
}

unsigned SchemaView::typesOf(const Json *node, int depth) const
{
    node = resolved(node);
    if (node == nullptr || !node->is_object() || depth > kMaxSchemaDepth)
        return kJsonAny;
    unsigned types = kJsonAny;
    if (const Json *type = memberOf(node, "type"); type != nullptr && type->is_string()) {
        types = typeNamed(type->get<std::string>());
    } else if (type != nullptr && type->is_array()) {
        types = 0;
        for (const Json &one : *type)
            types |= one.is_string() ? typeNamed(one.get<std::string>()) : 0u;
    } else if (memberOf(node, "properties") != nullptr) {
        types = kJsonObject;
    } else if (memberOf(node, "items") != nullptr) {
        types = kJsonArray;
    }
    const auto restrict = [&](unsigned other) {
        if ((types & other) != 0)
            types &= other;
    };
    if (const Json *listed = memberOf(node, "enum"); listed != nullptr && listed->is_array()) {
        unsigned found = 0;
        for (const Json &one : *listed)
            found |= typeOf(one);
        restrict(found);
    }
    if (const Json *only = memberOf(node, "const"))
        restrict(typeOf(*only));
    for (const char *list : {"anyOf", "oneOf", "allOf"}) {
        const Json *const branches = memberOf(node, list);
        if (branches == nullptr || !branches->is_array())
            continue;
        const bool all = std::string_view(list) == "allOf";
        unsigned either = 0;
        for (const Json &branch : *branches) {
            const unsigned one = typesOf(&branch, depth + 1);
            either |= one;
            if (all)
                restrict(one);
        }
        if (!all)
            restrict(either);
    }
    const Json *const nullable = memberOf(node, "nullable");
    if (nullable != nullptr && *nullable == true)
        types |= kJsonNull;
    return types == 0 ? kJsonAny : types;
}

unsigned SchemaView::types() const
{
    return typesOf(m_node, 0);
}

/// properties.NAME, items, … of the schema or of one of its alternatives.
const Json *SchemaView::find(const Json *node, const char *list, const std::string &name,
                             int depth) const
{
    node = resolved(node);
    if (node == nullptr || !node->is_object() || depth > kMaxSchemaDepth)
        return nullptr;
    const Json *found = memberOf(node, list);
    if (found != nullptr && !name.empty())
        found = memberOf(found, name.c_str());
    if (found != nullptr)
        return found;
    for (const char *others : {"anyOf", "oneOf", "allOf"}) {
        const Json *const branches = memberOf(node, others);
        if (branches == nullptr || !branches->is_array())
            continue;
        for (const Json &branch : *branches)
            if (const Json *inner = find(&branch, list, name, depth + 1))
                return inner;
    }
    return nullptr;
}

SchemaView SchemaView::member(const std::string &name) const
{
    const Json *found = name.empty() ? nullptr : find(m_node, "properties", name, 0);
    if (found == nullptr)
        found = find(m_node, "additionalProperties", {}, 0);
    return {m_root, found};
}

SchemaView SchemaView::items() const
{
    return {m_root, find(m_node, "items", {}, 0)};
}

bool SchemaView::hasMembers() const
{
    const Json *const members = find(m_node, "properties", {}, 0);
    return members != nullptr && members->is_object() && !members->empty();
}

bool SchemaView::hasMember(const std::string &name) const
{
    return !name.empty() && find(m_node, "properties", name, 0) != nullptr;
}

bool SchemaView::hasEnumText(const std::string &text) const
{
    const Json *const listed = find(m_node, "enum", {}, 0);
    return listed != nullptr && listed->is_array() &&
           std::find(listed->begin(), listed->end(), Json(text)) != listed->end();
}

Json typedText(std::string_view text, const SchemaView &schema)
{
    const unsigned types = schema.types();
    const std::string_view inner = trimmed(text);
    if (types == kJsonString) {
        std::string word(inner);
        return schema.hasEnumText(word) ? Json(std::move(word)) : Json(std::string(text));
    }
    const bool mayBeText = (types & kJsonString) != 0;
    auto value = readValue(inner);
    if (value && value->is_string() && !mayBeText) // a quoted number or list
        value = readValue(trimmed(value->get_ref<const std::string &>()));
    if (!value || value->is_string())
        return std::string(text);
    fitToSchema(*value, schema);
    return (types & typeOf(*value)) != 0 || !mayBeText ? *value : Json(std::string(text));
}

void fitToSchema(Json &value, const SchemaView &schema)
{
    const unsigned types = schema.types();
    if (value.is_object())
        for (const auto &[name, one] : value.items())
            fitToSchema(one, schema.member(name));
    if (value.is_array())
        for (Json &one : value)
            fitToSchema(one, schema.items());
    useInteger(value, types);
    if ((types & typeOf(value)) != 0 || value.is_null())
        return;
    if (!value.is_string()) {
        if ((types & kJsonString) != 0)
            value = value.dump(-1, ' ', false, Json::error_handler_t::replace);
        return;
    }
    const Json typed = typedText(value.get<std::string>(), schema);
    if ((types & typeOf(typed)) != 0)
        value = typed;
}

} // namespace fireside
