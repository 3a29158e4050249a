#pragma once
#include "engine/constrain/grammar.h"

#include <string_view>

namespace fireside::constrain {

/// The grammars that llama.cpp reads (its grammars/README.md): `name ::= …`, "texts", [classes], .,
/// ( | ), *, +, ?, {m,n}, # comments; the rule `root` is the whole. Error(BadInput) with the line.
Grammar readGbnf(std::string_view source, const GrammarLimits &limits = {});

} // namespace fireside::constrain
