#include "engine/constrain/schema_reader.h"

#include "engine/constrain/schema/schema_compiler.h"

namespace fireside::constrain {

Grammar readJsonSchema(std::string_view schema, const SchemaOptions &options,
                       const GrammarLimits &limits)
{
    SchemaDocument document(schema, limits, options.lenient);
    return SchemaCompiler(document, options, limits).compile({document.root()});
}

Grammar anyJsonObject(const SchemaOptions &options, const GrammarLimits &limits)
{
    return readJsonSchema(R"({"type": "object"})", options, limits);
}

} // namespace fireside::constrain
