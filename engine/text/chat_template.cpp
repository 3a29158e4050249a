#include "engine/text/chat_template.h"

#include "engine/core/error.h"
#include "engine/text/jinja/builtins/strftime.h"
#include "engine/text/jinja/interpreter.h"
#include "engine/text/jinja/syntax/parser.h"
#include "engine/text/jinja/values/json_value.h"
#include "engine/text/jinja/values/operators.h"

#include <nlohmann/json.hpp>

namespace fireside {

using jinja::Value;
using Json = nlohmann::ordered_json;

struct ChatTemplate::Compiled
{
    jinja::Program program;
};

namespace {

/// Runs `prepare(interpreter, runtime)` and the program; turns what goes wrong into
/// Error(BadInput).
template <typename Prepare>
MarkedText runProgram(const jinja::Program &program, const std::tm &now, std::uint64_t *steps,
                      const Prepare &prepare)
{
    jinja::Runtime runtime(jinja::Limits{}, now);
    jinja::Interpreter interpreter(program, runtime);
    try {
        prepare(interpreter, runtime);
        MarkedText text = interpreter.run();
        if (steps)
            *steps = runtime.budget.steps();
        return text;
    } catch (const jinja::RaisedError &raised) {
        throwBadInput(raised.what());
    } catch (const jinja::TemplateError &error) {
        const jinja::Position at = interpreter.position();
        throwBadInput("The chat template failed at line " + std::to_string(at.line) + ", column " +
                      std::to_string(at.column) + ": " + error.what());
    }
}

} // namespace

ChatTemplate::ChatTemplate(std::string_view source)
    : m_source(source)
    , m_compiled(std::make_unique<const Compiled>(Compiled{jinja::parse(source)}))
{}

ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate &&) noexcept = default;
ChatTemplate &ChatTemplate::operator=(ChatTemplate &&) noexcept = default;

MarkedText ChatTemplate::render(const Json &context, std::optional<std::string> now,
                                std::uint64_t *steps) const
{
    if (!context.is_object())
        throwBadInput("The context of a chat template must be a JSON object");
    const jinja::Program &program = m_compiled->program;
    const std::tm time = now ? jinja::parseIsoTime(*now) : jinja::localTimeNow();
    return runProgram(
        program, time, steps, [&](jinja::Interpreter &interpreter, jinja::Runtime &rt) {
            for (std::size_t i = 0; i < program.symbols.size(); ++i) {
                const std::string &name = program.symbols[i];
                const auto found = context.find(name);
                if (found != context.end())
                    interpreter.define(
                        static_cast<jinja::Symbol>(i),
                        jinja::valueOfJson(rt, *found, name != "bos_token" && name != "eos_token"));
            }
        });
}

MarkedText ChatTemplate::render(const std::vector<ChatMessage> &messages, bool addGenerationPrompt,
                                const std::string &bosText, const std::string &eosText) const
{
    Json list = Json::array();
    for (const auto &message : messages)
        list.push_back({{"role", message.role}, {"content", message.content}});
    return render(Json{{"messages", std::move(list)},
                       {"add_generation_prompt", addGenerationPrompt},
                       {"bos_token", bosText},
                       {"eos_token", eosText}});
}

} // namespace fireside
