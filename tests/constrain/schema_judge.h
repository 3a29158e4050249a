#pragma once
#include <nlohmann/json.hpp>

#include <cmath>
#include <regex>
#include <string>

namespace fireside::test {

/// A plain validator of JSON schemas, for what the tests' schemas use; format and $anchor are not
/// looked at. It knows nothing of grammars.
class SchemaJudge
{
public:
    using Json = nlohmann::ordered_json;
    explicit SchemaJudge(const Json &root)
        : m_root(root)
    {}
    bool isValid(const Json &value) const { return fits(m_root, value); }

private:
    static bool same(const Json &a, const Json &b)
    {
        return nlohmann::json(a) == nlohmann::json(b);
    }
    static std::size_t length(const std::string &text)
    {
        std::size_t count = 0;
        for (const char c : text)
            count += (c & 0xC0) != 0x80;
        return count;
    }
    static bool isType(const std::string &type, const Json &v)
    {
        const bool whole = v.is_number() && v.get<double>() == std::floor(v.get<double>());
        return type == "integer"   ? whole
               : type == "number"  ? v.is_number()
               : type == "string"  ? v.is_string()
               : type == "object"  ? v.is_object()
               : type == "array"   ? v.is_array()
               : type == "boolean" ? v.is_boolean()
                                   : v.is_null();
    }
    std::size_t fitting(const Json &list, const Json &v) const
    {
        std::size_t count = 0;
        for (const Json &one : list)
            count += fits(one, v);
        return count;
    }

    bool fits(const Json &s, const Json &v) const
    {
        if (s.is_boolean())
            return s.get<bool>();
        const auto number = [&](const char *key, double fallback) {
            return s.contains(key) ? s[key].template get<double>() : fallback;
        };
        if (s.contains("$ref")) {
            const auto ref = s["$ref"].get<std::string>();
            if (!fits(ref == "#" ? m_root : m_root.at(Json::json_pointer(ref.substr(1))), v))
                return false;
        }
        if (s.contains("type")) {
            const Json types = s["type"].is_array() ? s["type"] : Json::array({s["type"]});
            bool any = false;
            for (const Json &type : types)
                any = any || isType(type.get<std::string>(), v);
            if (!any)
                return false;
        }
        if (s.contains("const") && !same(s["const"], v))
            return false;
        if (s.contains("enum") && std::none_of(s["enum"].begin(), s["enum"].end(),
                                               [&](const Json &one) { return same(one, v); }))
            return false;
        if ((s.contains("allOf") && fitting(s["allOf"], v) != s["allOf"].size()) ||
            (s.contains("anyOf") && fitting(s["anyOf"], v) == 0) ||
            (s.contains("oneOf") && fitting(s["oneOf"], v) != 1))
            return false;
        if (v.is_number()) {
            const double n = v.get<double>();
            return n >= number("minimum", -INFINITY) && n <= number("maximum", INFINITY) &&
                   n > number("exclusiveMinimum", -INFINITY) &&
                   n < number("exclusiveMaximum", INFINITY) &&
                   (!s.contains("multipleOf") || std::fmod(n, number("multipleOf", 1)) == 0);
        }
        if (v.is_string()) {
            const auto text = v.get<std::string>();
            const auto size = static_cast<double>(length(text));
            return size >= number("minLength", 0) && size <= number("maxLength", INFINITY) &&
                   (!s.contains("pattern") ||
                    std::regex_search(text, std::regex(s["pattern"].get<std::string>())));
        }
        if (v.is_array())
            return fitsList(s, v, number("minItems", 0), number("maxItems", INFINITY));
        return !v.is_object() ||
               fitsObject(s, v, number("minProperties", 0), number("maxProperties", INFINITY));
    }

    bool fitsList(const Json &s, const Json &v, double min, double max) const
    {
        const std::size_t first = s.contains("prefixItems") ? s["prefixItems"].size() : 0;
        for (std::size_t i = 0; i < v.size(); ++i) {
            if (i < first && !fits(s["prefixItems"][i], v[i]))
                return false;
            if (i >= first && s.contains("items") && !fits(s["items"], v[i]))
                return false;
        }
        return static_cast<double>(v.size()) >= min && static_cast<double>(v.size()) <= max;
    }

    bool fitsObject(const Json &s, const Json &v, double min, double max) const
    {
        for (const auto &[name, value] : v.items()) {
            bool named = false;
            if (s.contains("properties") && s["properties"].contains(name)) {
                named = true;
                if (!fits(s["properties"][name], value))
                    return false;
            }
            if (s.contains("patternProperties"))
                for (const auto &[pattern, schema] : s["patternProperties"].items())
                    if (std::regex_search(name, std::regex(pattern))) {
                        named = true;
                        if (!fits(schema, value))
                            return false;
                    }
            if (!named && s.contains("additionalProperties") &&
                !fits(s["additionalProperties"], value))
                return false;
            if (s.contains("propertyNames") && !fits(s["propertyNames"], Json(name)))
                return false;
            if (s.contains("dependentRequired") && s["dependentRequired"].contains(name))
                for (const Json &other : s["dependentRequired"][name])
                    if (!v.contains(other.get<std::string>()))
                        return false;
            if (s.contains("dependentSchemas") && s["dependentSchemas"].contains(name) &&
                !fits(s["dependentSchemas"][name], v))
                return false;
        }
        if (s.contains("required"))
            for (const Json &name : s["required"])
                if (!v.contains(name.get<std::string>()))
                    return false;
        return static_cast<double>(v.size()) >= min && static_cast<double>(v.size()) <= max;
    }

    const Json &m_root;
};

} // namespace fireside::test
