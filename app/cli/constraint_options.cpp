#include "app/cli/constraint_options.h"

#include "app/cli/options.h"
#include "engine/constrain/gbnf_reader.h"
#include "engine/constrain/regex_reader.h"
#include "engine/constrain/schema_reader.h"
#include "engine/core/quote.h"

#include <cstdio>

namespace fireside::cli {
namespace {

/// Schemas begin with a brace, or are true or false; files are not called that.
bool isSchemaText(const std::string &text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return (first != std::string::npos && text[first] == '{') || text == "true" || text == "false";
}

} // namespace

void ConstraintOptions::addTo(CLI::App &command)
{
    auto *schema = command.add_option(
        "--json-schema", jsonSchema,
        "The answer is JSON that fits this schema (draft 2020-12): a file, or the schema itself");
    auto *gbnf =
        command.add_option("--grammar", grammar, "The answer fits the grammar (GBNF) in this file");
    auto *pattern = command.add_option(
        "--regex", regex, "The whole answer matches this regular expression (ECMA-262)");
    schema->excludes(gbnf)->excludes(pattern);
    gbnf->excludes(pattern);
    command.add_flag("--schema-order", listedOrder, "Properties only in the order of the schema")
        ->needs(schema);
    command
        .add_flag("--schema-lenient", lenient,
                  "What cannot be expressed of a schema is left out, with a note")
        ->needs(schema);
}

std::optional<constrain::Grammar> ConstraintOptions::read() const
{
    std::optional<constrain::Grammar> out;
    if (!jsonSchema.empty())
        out = constrain::readJsonSchema(isSchemaText(jsonSchema) ? jsonSchema
                                                                 : readTextFile(jsonSchema),
                                        {.anyOrder = !listedOrder, .lenient = lenient});
    else if (!grammar.empty())
        out = constrain::readGbnf(readTextFile(grammar));
    else if (!regex.empty())
        out = constrain::readRegexGrammar(regex);
    for (const std::string &note : out ? out->notes : std::vector<std::string>())
        std::fprintf(stderr, "Note: %s\n", printable(note).c_str());
    return out;
}

} // namespace fireside::cli
