#include "engine/text/readers/json_fields.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <nlohmann/json.hpp>

namespace fireside {

using nlohmann::json;

const json &jsonMember(const json &object, const char *key)
{
    static const json null;
    if (!object.is_object())
        return null;
    const auto it = object.find(key);
    return it == object.end() ? null : *it;
}

std::string jsonString(const json &object, const char *key, const std::string &where)
{
    const json &value = jsonMember(object, key);
    if (!value.is_string())
        throwBadInput(where + ": '" + key + "' is no string");
    return value.get<std::string>();
}

std::string jsonStringOr(const json &object, const char *key, std::string fallback,
                         const std::string &where)
{
    return jsonMember(object, key).is_null() ? std::move(fallback) : jsonString(object, key, where);
}

bool jsonBoolOr(const json &object, const char *key, bool fallback, const std::string &where)
{
    const json &value = jsonMember(object, key);
    if (value.is_null())
        return fallback;
    if (!value.is_boolean())
        throwBadInput(where + ": '" + key + "' is neither true nor false");
    return value.get<bool>();
}

std::size_t jsonCountOr(const json &object, const char *key, std::size_t fallback,
                        const std::string &where)
{
    const json &value = jsonMember(object, key);
    if (value.is_null())
        return fallback;
    if (!value.is_number_unsigned())
        throwBadInput(where + ": '" + key + "' is no count");
    return value.get<std::size_t>();
}

std::string quotedJson(const json &value)
{
    return printable(value.dump(-1, ' ', false, json::error_handler_t::replace), kLongestQuote);
}

std::size_t jsonId(const json &value, const std::string &place)
{
    if (!value.is_number_unsigned())
        throwBadInput(place + " has a bad id: " + quotedJson(value));
    return value.get<std::size_t>();
}

} // namespace fireside
