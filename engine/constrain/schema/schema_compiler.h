#pragma once
#include "engine/constrain/schema/json_text.h"
#include "engine/constrain/schema/string_form.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fireside::constrain {

/// Writes a schema as a grammar: a rule for each set of schemas that hold together, made of one
/// expression for each type that they leave.
class SchemaCompiler
{
public:
    /// exact: "oneOf" must be shown to be one; else it is read as "anyOf", which allows more.
    SchemaCompiler(SchemaDocument &document, const SchemaOptions &options,
                   const GrammarLimits &limits, bool exact = true);

    Grammar compile(SchemaParts parts);

private:
    /// The rule of all of them together; made later, so that schemas may be nested without end.
    ExprId call(SchemaParts parts);
    ExprId build(const SchemaParts &parts);
    ExprId choose(const SchemaParts &parts, std::size_t at, const char *keyword, unsigned chosen);
    void requireApart(const SchemaParts &parts, std::size_t at);
    std::optional<ExprId> withoutCondition(const SchemaParts &parts, std::size_t at);
    std::optional<ExprId> withoutDependents(const SchemaParts &parts, std::size_t at);
    ExprId values(const SchemaParts &parts);
    bool isValid(const Json &value, const SchemaParts &parts);
    bool isPossible(SchemaParts parts, const Json *value = nullptr);
    ExprId ofType(const std::string &type, const SchemaParts &parts);
    ExprId number(const SchemaParts &parts, bool integer);
    ExprId string(const SchemaParts &parts);
    ExprId list(const SchemaParts &parts);
    ExprId object(const SchemaParts &parts);

    /// What an object's members are, by name.
    struct Members
    {
        std::vector<std::string> names{}; // in the schema's order
        std::set<std::string> required{};
        std::vector<std::string> patterns{};
        SchemaParts keys{}; // "propertyNames"
        std::uint32_t min = 0, max = kUnlimited;
    };
    Members membersOf(const SchemaParts &parts);
    SchemaParts memberParts(const SchemaParts &parts, const std::string &name);
    SchemaParts otherParts(const SchemaParts &parts, const std::set<std::string> &matching);
    void addOthers(const SchemaParts &parts, const Members &members, Group &group);
    const Json *othersOf(const SchemaPart &part, const char *&keyword) const;
    CharDfa keysOf(const Members &members);

    SchemaDocument &m_document;
    const SchemaOptions m_options;
    const GrammarLimits m_limits;
    const bool m_exact;
    Grammar m_grammar;
    JsonText m_text;
    Patterns m_patterns;
    using Key = std::vector<std::pair<const Json *, unsigned>>;
    std::map<Key, RuleId> m_rules;
    std::vector<std::pair<RuleId, SchemaParts>> m_open;
};

/// The types that all parts allow, "integer" beside "number" where only it is.
std::vector<std::string> typesOf(const SchemaParts &parts);

} // namespace fireside::constrain
