#include "engine/constrain/schema/schema_compiler.h"
#include "engine/core/error.h"

#include <algorithm>

namespace fireside::constrain {
namespace {

constexpr std::size_t kMostPatterns = 5; // of "patternProperties" of one object

bool has(const SchemaPart &part, const char *keyword, const std::string &name)
{
    const Json *map = SchemaDocument::find(part, keyword);
    if (map && !map->is_object())
        failSchema(part, "'" + std::string(keyword) + "' is no object");
    return map && map->contains(name);
}

} // namespace

SchemaCompiler::Members SchemaCompiler::membersOf(const SchemaParts &parts)
{
    Members members;
    const auto addName = [&](const std::string &name) {
        if (std::find(members.names.begin(), members.names.end(), name) == members.names.end())
            members.names.push_back(name);
    };
    for (const SchemaPart &part : parts) {
        if (const Json *properties = SchemaDocument::find(part, "properties")) {
            if (!properties->is_object())
                failSchema(part, "'properties' is no object");
            for (const auto &[name, schema] : properties->items())
                addName(name);
        }
        if (const Json *patterns = SchemaDocument::find(part, "patternProperties")) {
            if (!patterns->is_object())
                failSchema(part, "'patternProperties' is no object");
            for (const auto &[pattern, schema] : patterns->items())
                if (std::find(members.patterns.begin(), members.patterns.end(), pattern) ==
                    members.patterns.end())
                    members.patterns.push_back(pattern);
        }
        if (SchemaDocument::find(part, "propertyNames"))
            members.keys.push_back(SchemaDocument::member(part, "propertyNames"));
        members.min = std::max(members.min, countOf(part, "minProperties", 0));
        members.max = std::min(members.max, countOf(part, "maxProperties", kUnlimited));
    }
    for (const SchemaPart &part : parts)
        if (const Json *required = SchemaDocument::find(part, "required")) {
            if (!required->is_array())
                failSchema(part, "'required' is no list");
            for (const Json &name : *required) {
                if (!name.is_string())
                    failSchema(part, "'required' names no property");
                addName(name.get<std::string>());
                members.required.insert(name.get<std::string>());
            }
        }
    return members;
}

/// What says something about properties that are not named: nullptr where nothing does.
const Json *SchemaCompiler::othersOf(const SchemaPart &part, const char *&keyword) const
{
    keyword = "additionalProperties";
    if (const Json *others = SchemaDocument::find(part, keyword))
        return others;
    keyword = "unevaluatedProperties";
    const Json *others = SchemaDocument::find(part, keyword);
    if (!others || *others == Json(true))
        return nullptr;
    for (const char *other : {"allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas"})
        if (SchemaDocument::find(part, other)) {
            if (!m_options.lenient)
                refuseSchema(part, "'unevaluatedProperties' beside '" + std::string(other) + "'");
            return nullptr;
        }
    return others;
}

/// What a property of this name must be.
SchemaParts SchemaCompiler::memberParts(const SchemaParts &parts, const std::string &name)
{
    SchemaParts out;
    for (const SchemaPart &part : parts) {
        bool named = has(part, "properties", name);
        if (named)
            out.push_back(SchemaDocument::member(part, "properties", name));
        if (const Json *patterns = SchemaDocument::find(part, "patternProperties"))
            for (const auto &[pattern, schema] : patterns->items())
                if (m_patterns.pattern(part, pattern).accepts(name)) {
                    out.push_back(SchemaDocument::member(part, "patternProperties", pattern));
                    named = true;
                }
        const char *keyword = nullptr;
        if (!named && othersOf(part, keyword))
            out.push_back(SchemaDocument::member(part, keyword));
    }
    return out;
}

/// What a property must be whose name matches these patterns and no others, and is not listed.
SchemaParts SchemaCompiler::otherParts(const SchemaParts &parts,
                                       const std::set<std::string> &matching)
{
    SchemaParts out;
    for (const SchemaPart &part : parts) {
        bool named = false;
        for (const std::string &pattern : matching)
            if (has(part, "patternProperties", pattern)) {
                out.push_back(SchemaDocument::member(part, "patternProperties", pattern));
                named = true;
            }
        const char *keyword = nullptr;
        if (!named && othersOf(part, keyword))
            out.push_back(SchemaDocument::member(part, keyword));
    }
    return out;
}

/// The names that "propertyNames" allows.
CharDfa SchemaCompiler::keysOf(const Members &members)
{
    CharDfa all = CharDfa::anything();
    SchemaParts keys = members.keys;
    if (!m_document.flatten(keys))
        return {};
    for (const SchemaPart &part : keys)
        for (const char *keyword : {"anyOf", "oneOf", "if"})
            if (SchemaDocument::find(part, keyword))
                refuseSchema(part, "'" + std::string(keyword) + "' in 'propertyNames'");
    const auto types = typesOf(keys);
    if (std::find(types.begin(), types.end(), "string") == types.end())
        return {};
    for (const SchemaPart &part : keys) {
        std::vector<std::string> texts;
        const Json *one = SchemaDocument::find(part, "const"),
                   *several = SchemaDocument::find(part, "enum");
        for (const Json &value : several ? *several : one ? Json::array({*one}) : Json::array())
            if (value.is_string())
                texts.push_back(value.get<std::string>());
        if (one || several)
            all = all.both(CharDfa::ofTexts(texts), m_limits);
    }
    return all.both(m_patterns.dfaOf(m_patterns.formOf(keys, m_document)), m_limits);
}

/// Properties that are not listed: a repeatable item for each set of patterns that names may match.
void SchemaCompiler::addOthers(const SchemaParts &parts, const Members &members, Group &group)
{
    if (members.patterns.size() > kMostPatterns)
        refuseSchema(parts[0],
                     "more than " + std::to_string(kMostPatterns) + " 'patternProperties'");
    const bool anyName = members.names.empty() && members.patterns.empty() && members.keys.empty();
    std::optional<CharDfa> names;
    for (unsigned set = 0; set < 1u << members.patterns.size(); ++set) {
        std::set<std::string> matching;
        for (std::size_t i = 0; i < members.patterns.size(); ++i)
            if (set >> i & 1)
                matching.insert(members.patterns[i]);
        SchemaParts with = otherParts(parts, matching);
        if (!m_document.flatten(with))
            continue;
        ExprId key = 0;
        if (anyName) {
            key = m_text.string();
        } else {
            if (!names)
                names = keysOf(members).without(CharDfa::ofTexts(members.names), m_limits);
            CharDfa these = *names;
            for (const std::string &pattern : members.patterns) {
                const CharDfa &matched = m_patterns.pattern(parts[0], pattern);
                these = matching.contains(pattern) ? these.both(matched, m_limits)
                                                   : these.without(matched, m_limits);
            }
            if (these.isEmpty())
                continue;
            const RuleId rule = m_grammar.addRule(parts[0].place + ", a name", true);
            m_grammar.define(rule, m_text.string(std::move(these)));
            key = m_grammar.call(rule);
        }
        group.items.push_back(
            {m_grammar.sequence({key, m_text.colon(), call(std::move(with))}), false, true});
    }
}

ExprId SchemaCompiler::object(const SchemaParts &parts)
{
    const Members members = membersOf(parts);
    Group group{.separator = m_text.comma(),
                .anyOrder = m_options.anyOrder,
                .min = members.min,
                .max = members.max};
    const std::optional<CharDfa> keys =
        members.keys.empty() ? std::nullopt : std::optional(keysOf(members));
    for (const std::string &name : members.names) {
        const bool allowed = !keys || keys->accepts(name);
        const ExprId value = allowed ? call(memberParts(parts, name)) : m_grammar.nothing();
        group.items.push_back({m_grammar.sequence({m_text.key(name), value}),
                               members.required.contains(name), false});
    }
    addOthers(parts, members, group);
    const bool repeats = group.items.size() > members.names.size();
    if (group.min > members.required.size()) {
        // A name may come twice and count once.
        if (repeats && group.min > 1)
            refuseSchema(parts[0],
                         "'minProperties' above what is required, beside properties of any name,");
        group.anyOrder = true;
    }
    if (group.min > group.max)
        return m_grammar.nothing();
    const ExprId inside = m_grammar.group(std::move(group));
    return m_grammar.sequence(
        {m_grammar.text("{"), m_text.space(), inside, m_text.space(), m_grammar.text("}")});
}

} // namespace fireside::constrain
