#include "engine/constrain/schema/schema_document.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <array>

namespace fireside::constrain {
namespace {

/// Keywords of the draft, and of older ones, that say something about instances but are not
/// understood here.
constexpr std::array kRefused{"$dynamicRef", "$recursiveRef",    "contains",     "minContains",
                              "maxContains", "unevaluatedItems", "dependencies", "additionalItems",
                              "divisibleBy", "disallow",         "extends",      "not"};
/// Keywords that say something about instances, all of which are understood.
constexpr std::array kKnown{"type",
                            "enum",
                            "const",
                            "anyOf",
                            "oneOf",
                            "if",
                            "properties",
                            "required",
                            "additionalProperties",
                            "propertyNames",
                            "items",
                            "patternProperties",
                            "minItems",
                            "prefixItems",
                            "maxItems",
                            "minLength",
                            "maxLength",
                            "pattern",
                            "format",
                            "minimum",
                            "maximum",
                            "multipleOf",
                            "minProperties",
                            "exclusiveMinimum",
                            "maxProperties",
                            "uniqueItems",
                            "exclusiveMaximum",
                            "dependentRequired",
                            "dependentSchemas",
                            "unevaluatedProperties"};

std::string escaped(std::string name)
{
    for (std::size_t i = 0; i < name.size(); ++i)
        if (name[i] == '~' || name[i] == '/')
            name.replace(i, 1, name[i] == '~' ? "~0" : "~1"), ++i;
    return name;
}

std::string unescaped(std::string_view text)
{
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto hex = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
        if (text[i] == '~' && i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1'))
            name += text[++i] == '0' ? '~' : '/';
        else if (text[i] == '%' && i + 2 < text.size() &&
                 std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                 std::isxdigit(static_cast<unsigned char>(text[i + 2])))
            name += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2])), i += 2;
        else
            name += text[i];
    }
    return name;
}

std::string placed(const SchemaPart &part)
{
    return "JSON schema, " + printable(part.place, 200) + ": ";
}

} // namespace

void refuseSchema(const SchemaPart &part, const std::string &what)
{
    throwUnsupported(placed(part) + what + " cannot be constrained to");
}

void failSchema(const SchemaPart &part, const std::string &what)
{
    throwBadInput(placed(part) + what);
}

SchemaDocument::SchemaDocument(std::string_view text, const GrammarLimits &limits, bool lenient)
    : m_lenient(lenient)
{
    if (text.size() > limits.sourceBytes)
        throwBadInput("a JSON schema is longer than " + std::to_string(limits.sourceBytes) +
                      " bytes");
    const auto shallow = [&](int depth, Json::parse_event_t, Json &) {
        if (depth > 4 * limits.nesting)
            throwBadInput("a JSON schema is nested too deep");
        return true;
    };
    try {
        m_root = Json::parse(text, shallow);
    } catch (const nlohmann::json::exception &e) {
        throwBadInput(std::string("the JSON schema is no valid JSON: ") + e.what());
    }
    collectNames();
}

const Json *SchemaDocument::find(const SchemaPart &part, const char *keyword)
{
    const auto found = part.schema->find(keyword);
    return found == part.schema->end() ? nullptr : &*found;
}

SchemaPart SchemaDocument::member(const SchemaPart &part, const std::string &key)
{
    return {&part.schema->at(key), part.place + "/" + escaped(key), 0};
}

SchemaPart SchemaDocument::member(const SchemaPart &part, const std::string &key,
                                  const std::string &name)
{
    return {&part.schema->at(key).at(name), part.place + "/" + key + "/" + escaped(name), 0};
}

SchemaPart SchemaDocument::member(const SchemaPart &part, const std::string &key, std::size_t index)
{
    return {&part.schema->at(key).at(index), part.place + "/" + key + "/" + std::to_string(index),
            0};
}

SchemaPart SchemaDocument::made(Json schema, const std::string &place)
{
    m_made.push_back(std::make_unique<Json>(std::move(schema)));
    return {m_made.back().get(), place, 0};
}

/// Anchors and ids anywhere in the document.
void SchemaDocument::collectNames()
{
    std::vector<std::pair<const Json *, std::string>> open{{&m_root, "#"}};
    while (!open.empty()) {
        const auto [at, place] = open.back();
        open.pop_back();
        if (at->is_object()) {
            for (const auto &[key, prefix] : {std::pair("$anchor", "#"), std::pair("$id", "")})
                if (const auto name = at->find(key); name != at->end() && name->is_string())
                    m_names.emplace(prefix + name->get<std::string>(), std::pair(at, place));
            for (const auto &[key, value] : at->items())
                if (value.is_structured() && key != "enum" && key != "const")
                    open.emplace_back(&value, place + "/" + escaped(key));
        } else if (at->is_array()) {
            for (std::size_t i = 0; i < at->size(); ++i)
                if ((*at)[i].is_structured())
                    open.emplace_back(&(*at)[i], place + "/" + std::to_string(i));
        }
    }
}

SchemaPart SchemaDocument::resolve(const SchemaPart &part, const std::string &reference) const
{
    const std::size_t hash = reference.find('#');
    const std::string base = reference.substr(0, hash);
    const std::string fragment = hash == std::string::npos ? "" : reference.substr(hash + 1);
    SchemaPart at = root();
    if (const auto named = m_names.find(base); !base.empty()) {
        if (named == m_names.end())
            refuseSchema(part, "$ref " + fireside::quoted(reference) +
                                   ", which is outside of the schema,");
        at = {named->second.first, named->second.second, 0};
    }
    if (fragment.empty())
        return at;
    if (fragment[0] != '/') {
        const auto named = m_names.find("#" + unescaped(fragment));
        if (named == m_names.end())
            failSchema(part, "there is no " + fireside::quoted(reference));
        return {named->second.first, named->second.second, 0};
    }
    for (std::size_t begin = 1; begin <= fragment.size();) {
        const std::size_t end = std::min(fragment.find('/', begin), fragment.size());
        const std::string name = unescaped(fragment.substr(begin, end - begin));
        const bool index =
            !name.empty() && name.size() < 9 &&
            std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (at.schema->is_object() && at.schema->contains(name))
            at.schema = &at.schema->at(name);
        else if (at.schema->is_array() && index && std::stoul(name) < at.schema->size())
            at.schema = &at.schema->at(std::stoul(name));
        else
            failSchema(part, "there is no " + fireside::quoted(reference));
        at.place += "/" + escaped(name);
        begin = end + 1;
    }
    return at;
}

void SchemaDocument::check(const SchemaPart &part)
{
    if (!m_checked.insert(part.schema).second)
        return;
    for (const char *keyword : kRefused) {
        if (find(part, keyword) == nullptr)
            continue;
        if (!m_lenient)
            refuseSchema(part, "'" + std::string(keyword) + "'");
        note(part.place + ": '" + keyword + "' is left out");
    }
    for (const char *keyword : {"exclusiveMinimum", "exclusiveMaximum"})
        if (const Json *value = find(part, keyword); value && value->is_boolean())
            failSchema(part, "'" + std::string(keyword) + "' is a number since draft 6");
    if (const Json *items = find(part, "items"); items && items->is_array())
        failSchema(part, "a list of 'items' is called 'prefixItems' since draft 2020-12");
    if (const Json *unique = find(part, "uniqueItems"); unique && *unique == Json(true)) {
        if (!m_lenient)
            refuseSchema(part, "'uniqueItems'");
        note(part.place + ": 'uniqueItems' is left out");
    }
}

bool SchemaDocument::flatten(SchemaParts &parts)
{
    SchemaParts out;
    std::map<const Json *, unsigned> chosen; // wherever a schema is met again
    for (const SchemaPart &part : parts)
        chosen[part.schema] |= part.chosen;
    std::set<const Json *> seen;
    SchemaParts open(parts.rbegin(), parts.rend());
    while (!open.empty()) {
        SchemaPart part = open.back();
        open.pop_back();
        if (part.schema->is_boolean()) {
            if (!part.schema->get<bool>())
                return false;
            continue;
        }
        if (!part.schema->is_object())
            failSchema(part, "a schema is an object, true or false");
        if (!seen.insert(part.schema).second)
            continue;
        if (const auto known = chosen.find(part.schema); known != chosen.end())
            part.chosen = known->second;
        check(part);
        if (const Json *all = find(part, "allOf")) {
            if (!all->is_array())
                failSchema(part, "'allOf' is no list");
            for (std::size_t i = all->size(); i-- > 0;)
                open.push_back(member(part, "allOf", i));
        }
        if (const Json *reference = find(part, "$ref")) {
            if (!reference->is_string())
                failSchema(part, "'$ref' is no text");
            open.push_back(resolve(part, reference->get<std::string>()));
        }
        if (std::any_of(kKnown.begin(), kKnown.end(),
                        [&](const char *keyword) { return find(part, keyword) != nullptr; }))
            out.push_back(part);
    }
    parts = std::move(out);
    return true;
}

} // namespace fireside::constrain
