#pragma once
#include "engine/constrain/grammar.h"

#include <span>
#include <string>

namespace fireside::constrain {

/// A tool as far as calls of it depend on it.
struct CallableTool
{
    std::string name;       // letters, digits, _ - and .
    std::string parameters; // a JSON schema of objects; empty: any object
    bool lenient = false;   // what cannot be expressed of the schema is left out
};

/// What a call's arguments may be. Errors of readJsonSchema(), with the tool's name before.
Grammar toolArguments(const CallableTool &tool, const GrammarLimits &limits = {});

/// Calls as JSON: {"name": "NAME", "arguments": {…}}, exactly so up to the arguments, which fit the
/// tool's schema. Where `several`, a list of one or more of them.
/// Errors of toolArguments().
Grammar toolCalls(std::span<const CallableTool> tools, bool several,
                  const GrammarLimits &limits = {});

} // namespace fireside::constrain
