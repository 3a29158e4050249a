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

/// Anchors and ids anywhere in the document. A schema with an id is a resource of its own: anchors
/// in it, and references without a base, are within it (section 8.2.1).
void SchemaDocument::collectNames()
{
    struct Open
    {
        const Json *schema;
        std::string place;
        std::size_t resource; // that it is in
    };
    const auto text = [](const Json &object, const char *key) {
        const auto it = object.find(key);
        return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    m_resources.push_back({&m_root, "#", m_root.is_object() ? text(m_root, "$id") : ""});
    std::vector<Open> open{{&m_root, "#", 0}};
    while (!open.empty()) {
        Open at = std::move(open.back());
        open.pop_back();
        if (at.schema->is_object()) {
            const std::string id = text(*at.schema, "$id"), anchor = text(*at.schema, "$anchor");
            if (!id.empty() && id[0] != '#' && at.schema != &m_root) {
                at.resource = m_resources.size();
                m_resources.push_back({at.schema, at.place, id});
            }
            const std::string &resource = m_resources[at.resource].place;
            for (const std::string &name : {anchor.empty() ? anchor : "#" + anchor, id})
                if (!name.empty() && name[0] == '#')
                    m_names.emplace(resource + " " + name, std::pair(at.schema, at.place));
            for (const auto &[key, value] : at.schema->items())
                if (value.is_structured() && key != "enum" && key != "const")
                    open.push_back({&value, at.place + "/" + escaped(key), at.resource});
        } else if (at.schema->is_array()) {
            for (std::size_t i = 0; i < at.schema->size(); ++i)
                if ((*at.schema)[i].is_structured())
                    open.push_back(
                        {&(*at.schema)[i], at.place + "/" + std::to_string(i), at.resource});
        }
    }
}

/// With this id, or where it is empty the one that the part is in; nullptr: there is none.
const SchemaDocument::Resource *SchemaDocument::resource(const SchemaPart &part,
                                                         const std::string &id) const
{
    const Resource *found = nullptr;
    for (const Resource &one : m_resources) {
        if (!id.empty() && one.id == id)
            return &one;
        const bool within = part.place == one.place || part.place.starts_with(one.place + "/");
        if (id.empty() && within && (!found || one.place.size() > found->place.size()))
            found = &one;
    }
    return id.empty() && !found ? &m_resources.front() : found;
}

SchemaPart SchemaDocument::resolve(const SchemaPart &part, const std::string &reference) const
{
    const std::size_t hash = reference.find('#');
    const std::string base = reference.substr(0, hash);
    const std::string fragment = hash == std::string::npos ? "" : reference.substr(hash + 1);
    const Resource *const in = resource(part, base);
    if (in == nullptr)
        refuseSchema(part,
                     "$ref " + fireside::quoted(reference) + ", which is outside of the schema,");
    SchemaPart at{in->schema, in->place, 0};
    if (fragment.empty())
        return at;
    if (fragment[0] != '/') {
        const auto named = m_names.find(in->place + " #" + unescaped(fragment));
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
