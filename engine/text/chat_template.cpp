#include "engine/text/chat_template.h"

#include "engine/core/error.h"
#include "engine/text/jinja/builtins/strftime.h"
#include "engine/text/jinja/interpreter.h"
#include "engine/text/jinja/syntax/parser.h"
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

/// A JSON value as a template value; `untrusted` marks every string in it, keys included.
Value toValue(jinja::Runtime &rt, const Json &json, bool untrusted)
{
    const jinja::LevelGuard guard(rt.budget.calls);
    const auto text = [&](std::string s) {
        return rt.string(untrusted ? MarkedText::fromUser(std::move(s))
                                   : MarkedText::trusted(std::move(s)));
    };
    switch (json.type()) {
    case Json::value_t::boolean:
        return Value::boolean(json.get<bool>());
    case Json::value_t::number_integer:
        return Value::integer(json.get<std::int64_t>());
    case Json::value_t::number_unsigned: {
        const auto number = json.get<std::uint64_t>();
        return number <= INT64_MAX ? Value::integer(static_cast<std::int64_t>(number))
                                   : Value::number(static_cast<double>(number));
    }
    case Json::value_t::number_float:
        return Value::number(json.get<double>());
    case Json::value_t::string:
        return text(json.get<std::string>());
    case Json::value_t::array: {
        std::vector<Value> items;
        for (const auto &item : json)
            items.push_back(toValue(rt, item, untrusted));
        return rt.heap.list(std::move(items));
    }
    case Json::value_t::object: {
        const Value dict = rt.heap.dict();
        for (const auto &entry : json.items())
            jinja::setItem(rt, dict.asDict(), text(entry.key()),
                           toValue(rt, entry.value(), untrusted));
        return dict;
    }
    default:
        return {};
    }
}

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
                        toValue(rt, *found, name != "bos_token" && name != "eos_token"));
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
