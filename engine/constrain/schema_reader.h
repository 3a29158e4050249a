#pragma once
#include "engine/constrain/grammar.h"

#include <string_view>

namespace fireside::constrain {

struct SchemaOptions
{
    /// Properties in any order; else in the one that the schema lists them in.
    bool anyOrder = true;
    /// No spaces and line ends between tokens; else as programs print JSON, for people or not.
    bool compact = false;
    /// What cannot be expressed is left out, with a note, in place of an error.
    bool lenient = false;
};

/// The JSON texts that a schema (draft 2020-12) allows. What cannot be expressed is
/// Error(Unsupported), what is wrong Error(BadInput), both with the place as a JSON pointer.
/// `format` is an assertion. Known keywords and limits: engine/README.md.
Grammar readJsonSchema(std::string_view schema, const SchemaOptions &options = {},
                       const GrammarLimits &limits = {});
/// Any JSON object, as APIs ask for with "json_object".
Grammar anyJsonObject(const SchemaOptions &options = {}, const GrammarLimits &limits = {});

} // namespace fireside::constrain
