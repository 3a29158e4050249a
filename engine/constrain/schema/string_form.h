#pragma once
#include "engine/constrain/schema/json_text.h"

#include <map>

namespace fireside::constrain {

/// Texts that parts of a schema ask for together.
struct StringForm
{
    std::uint32_t min = 0, max = kUnlimited;
    std::optional<CharDfa> dfa{}; // of all patterns and formats together; none: there are none

    bool isAny() const { return !dfa && min == 0 && max == kUnlimited; }
};

/// Patterns, each prepared once.
class Patterns
{
public:
    Patterns(const GrammarLimits &limits, bool lenient)
        : m_limits(limits)
        , m_lenient(lenient)
    {}

    const CharDfa &pattern(const SchemaPart &part, const std::string &pattern);
    StringForm formOf(const SchemaParts &parts, SchemaDocument &document);
    /// The lengths as part of the automaton.
    CharDfa dfaOf(const StringForm &form) const;

private:
    GrammarLimits m_limits;
    bool m_lenient;
    std::map<std::string, CharDfa> m_patterns;
};

/// A whole number ≥ 0 that a keyword gives; `fallback` where no part has it.
std::uint32_t countOf(const SchemaPart &part, const char *keyword, std::uint32_t fallback);

} // namespace fireside::constrain
