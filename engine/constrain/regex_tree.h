#pragma once
#include "engine/constrain/grammar.h"

#include <string_view>
#include <vector>

namespace fireside::constrain {

/// A regular expression as it was written.
struct RegexNode
{
    enum class Kind : std::uint8_t { Chars, Sequence, Choice, Repeat, Begin, End };
    Kind kind = Kind::Sequence;
    std::uint32_t min = 0, max = 0;     // Repeat
    CharSet chars{};                    // Chars
    std::vector<std::uint32_t> parts{}; // earlier nodes
};

struct RegexTree
{
    std::vector<RegexNode> nodes; // the last one is the whole
};

/// The syntax of ECMA-262 (15th edition, section 22.2) with its flag `u`. Error(Unsupported) names
/// what is not regular or not there: look-around, back references, word boundaries, \p{…};
/// Error(BadInput) what is wrong and at which byte.
RegexTree readRegexTree(std::string_view pattern, const GrammarLimits &limits);

} // namespace fireside::constrain
