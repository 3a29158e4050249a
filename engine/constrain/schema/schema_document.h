#pragma once
#include "engine/constrain/grammar.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fireside::constrain {

using Json = nlohmann::ordered_json;

/// A schema within the document, and alternatives that were already chosen in it.
struct SchemaPart
{
    const Json *schema = nullptr;
    std::string place;   // a JSON pointer, for errors
    unsigned chosen = 0; // Chosen
};
enum Chosen : unsigned { kAnyOf = 1, kOneOf = 2, kDependents = 4, kCondition = 8, kEnum = 16 };

/// What all of them ask together.
using SchemaParts = std::vector<SchemaPart>;

[[noreturn]] void refuseSchema(const SchemaPart &part, const std::string &what);
[[noreturn]] void failSchema(const SchemaPart &part, const std::string &what);

/// A schema as text, parsed and with its names found.
class SchemaDocument
{
public:
    SchemaDocument(std::string_view text, const GrammarLimits &limits, bool lenient);

    SchemaPart root() const { return {&m_root, "#", 0}; }
    /// Both by key: a member of the schema that is a schema itself, or one of a list or map of
    /// them.
    static SchemaPart member(const SchemaPart &part, const std::string &key);
    static SchemaPart member(const SchemaPart &part, const std::string &key,
                             const std::string &name);
    static SchemaPart member(const SchemaPart &part, const std::string &key, std::size_t index);
    /// nullptr where the schema has no such keyword.
    static const Json *find(const SchemaPart &part, const char *keyword);

    /// With $ref and allOf replaced by what they stand for, without those that allow everything.
    /// False where one allows nothing.
    bool flatten(SchemaParts &parts);
    /// A schema that was made, not read.
    SchemaPart made(Json schema, const std::string &place);
    const std::vector<std::string> &notes() const { return m_notes; }
    void note(std::string text) { m_notes.push_back(std::move(text)); }
    bool isLenient() const { return m_lenient; }

private:
    struct Resource
    {
        const Json *schema;
        std::string place, id;
    };
    const Resource *resource(const SchemaPart &part, const std::string &id) const;
    SchemaPart resolve(const SchemaPart &part, const std::string &reference) const;
    void collectNames();
    void check(const SchemaPart &part);

    bool m_lenient;
    Json m_root;
    std::vector<Resource> m_resources; // the whole document first
    /// Anchors, each behind its resource's place.
    std::map<std::string, std::pair<const Json *, std::string>> m_names;
    std::set<const Json *> m_checked;
    std::vector<std::unique_ptr<Json>> m_made;
    std::vector<std::string> m_notes;
};

} // namespace fireside::constrain
