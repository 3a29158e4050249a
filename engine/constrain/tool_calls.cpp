#include "engine/constrain/tool_calls.h"

#include "engine/constrain/schema_reader.h"
#include "engine/core/error.h"

#include <vector>

namespace fireside::constrain {
namespace {

constexpr std::uint32_t kMostCalls = 64; // of one reply

} // namespace

Grammar toolArguments(const CallableTool &tool, const GrammarLimits &limits)
{
    const SchemaOptions options{.lenient = tool.lenient};
    try {
        return tool.parameters.empty() ? anyJsonObject(options, limits)
                                       : readJsonSchema(tool.parameters, options, limits);
    } catch (const Error &error) {
        throw Error(error.kind(), "the parameters of " + tool.name + ": " + error.what());
    }
}

Grammar toolCalls(std::span<const CallableTool> tools, bool several, const GrammarLimits &limits)
{
    Grammar grammar(limits);
    const RuleId root = grammar.addRule("calls"), one = grammar.addRule("call");
    std::vector<ExprId> calls;
    for (const CallableTool &tool : tools)
        calls.push_back(
            grammar.sequence({grammar.text("{\"name\": \"" + tool.name + "\", \"arguments\": "),
                              grammar.embed(toolArguments(tool, limits)), grammar.text("}")}));
    grammar.define(one, grammar.choice(std::move(calls)));
    const auto call = [&] { return grammar.call(one); };
    grammar.define(
        root, several
                  ? grammar.sequence({grammar.text("["), call(),
                                      grammar.repeat(grammar.sequence({grammar.text(", "), call()}),
                                                     0, kMostCalls - 1),
                                      grammar.text("]")})
                  : call());
    grammar.setRoot(root);
    return grammar;
}

} // namespace fireside::constrain
