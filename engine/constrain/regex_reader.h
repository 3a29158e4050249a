#pragma once
#include "engine/constrain/grammar.h"

#include <string_view>

namespace fireside::constrain {

enum class RegexMatch : std::uint8_t {
    Whole, // the expression is all of the text
    Search // it is somewhere in the text, as patterns of JSON schemas are
};

/// The texts that a regular expression matches (regex_tree.h says which syntax).
CharDfa readRegex(std::string_view pattern, RegexMatch match, const GrammarLimits &limits = {});
/// A grammar of the whole texts that match.
Grammar readRegexGrammar(std::string_view pattern, const GrammarLimits &limits = {});

} // namespace fireside::constrain
