#include "engine/text/reply/call_syntaxes.h"

#include "engine/core/error.h"
#include "engine/text/reply/call_values.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fireside {
namespace {

using Json = nlohmann::ordered_json;
using Calls = std::optional<std::vector<ToolCall>>;

std::string dumped(const Json &value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The first of these members; nullptr when there is none.
const Json *member(const Json &object, std::initializer_list<const char *> keys)
{
    for (const char *key : keys)
        if (const auto found = object.find(key); found != object.end())
            return &*found;
    return nullptr;
}

/// An object, a text that holds one, or nothing.
std::optional<std::string> argumentsOf(const Json *value)
{
    if (value == nullptr || value->is_null())
        return "{}";
    if (value->is_object())
        return dumped(*value);
    if (!value->is_string())
        return std::nullopt;
    const auto inner = parseJson(value->get_ref<const std::string &>());
    return inner && inner->is_object() ? std::optional(dumped(*inner)) : std::nullopt;
}

std::optional<ToolCall> callOf(const Json &value)
{
    if (!value.is_object())
        return std::nullopt;
    const Json *inner = member(value, {"function"});
    const Json &object = inner != nullptr && inner->is_object() ? *inner : value;
    const Json *name = member(object, {"name", "tool_name"});
    const auto arguments = argumentsOf(member(object, {"arguments", "parameters", "args"}));
    if (name == nullptr || !name->is_string() || !arguments ||
        !isToolName(name->get_ref<const std::string &>()))
        return std::nullopt;
    ToolCall call{name->get<std::string>(), *arguments, {}};
    const Json *id = member(value, {"id", "tool_call_id", "call_id"});
    if (id != nullptr && id->is_string())
        call.id = id->get<std::string>();
    return call;
}

bool addCalls(const Json &value, std::vector<ToolCall> &calls)
{
    if (!value.is_array()) {
        const auto call = callOf(value);
        if (call)
            calls.push_back(*call);
        return call.has_value();
    }
    return std::all_of(value.begin(), value.end(),
                       [&](const Json &one) { return one.is_object() && addCalls(one, calls); });
}

Calls orNone(std::vector<ToolCall> calls)
{
    return calls.empty() ? Calls() : Calls(std::move(calls));
}

/// {"name": …, "arguments": {…}}, several of them, or lists of them.
Calls readJson(std::string_view body)
{
    std::vector<ToolCall> calls;
    for (body = trimmed(body); !body.empty(); body = trimmed(body)) {
        const auto value = takeJson(body);
        if (!value || !addCalls(*value, calls))
            return std::nullopt;
        skipSpace(body);
        if (!take(body, ";"))
            take(body, ",");
    }
    return orNone(std::move(calls));
}

/// [{"NAME": {…}}]
Calls readKeyed(std::string_view body)
{
    const auto list = parseJson(trimmed(body));
    if (!list || !list->is_array())
        return std::nullopt;
    std::vector<ToolCall> calls;
    for (const Json &entry : *list) {
        if (!entry.is_object() || entry.size() != 1 || !isToolName(entry.begin().key()))
            return std::nullopt;
        const auto arguments = argumentsOf(&*entry.begin());
        if (!arguments)
            return std::nullopt;
        calls.push_back({entry.begin().key(), *arguments, {}});
    }
    return orNone(std::move(calls));
}

/// A name and, behind it, its arguments as JSON.
std::optional<ToolCall> namedCall(std::string_view name, std::string_view arguments)
{
    const auto value = parseJson(arguments = trimmed(arguments));
    if (!isToolName(name = trimmed(name)) || !value || !value->is_object())
        return std::nullopt;
    return ToolCall{std::string(name), dumped(*value), {}};
}

/// A list as readJson() takes it, or NAME[CALL_ID]ID[ARGS]{…} again and again.
Calls readMistral(std::string_view body)
{
    body = trimmed(body);
    if (body.starts_with('[') || body.starts_with('{'))
        return readJson(body);
    std::vector<ToolCall> calls;
    while (!body.empty()) {
        const std::size_t brace = body.find('{');
        if (brace == std::string_view::npos)
            return std::nullopt;
        std::string_view head = body.substr(0, brace);
        body.remove_prefix(brace);
        const auto arguments = takeJson(body);
        std::string_view id;
        if (!head.ends_with("[ARGS]") && head.find('[') != std::string_view::npos)
            return std::nullopt;
        if (head.ends_with("[ARGS]"))
            head.remove_suffix(6);
        if (const auto name = takeUntil(head, "[CALL_ID]"))
            id = std::exchange(head, *name);
        head = trimmed(head);
        if (!arguments || !arguments->is_object() || !isToolName(head))
            return std::nullopt;
        calls.push_back({std::string(head), dumped(*arguments), std::string(trimmed(id))});
        skipSpace(body);
        take(body, "[TOOL_CALLS]");
        skipSpace(body);
    }
    return orNone(std::move(calls));
}

/// Calls between markers of their own, each read by `one`.
template <typename One>
Calls readEach(std::string_view body, std::string_view begin, std::string_view end, const One &one)
{
    std::vector<ToolCall> calls;
    for (skipSpace(body); !body.empty(); skipSpace(body)) {
        if (!take(body, begin))
            return std::nullopt;
        const auto inner = takeUntil(body, end);
        const auto call = inner ? one(*inner) : std::nullopt;
        if (!call)
            return std::nullopt;
        calls.push_back(*call);
    }
    return orNone(std::move(calls));
}

/// NAME<sep>{…}, or KIND<sep>NAME and the arguments in a fence.
Calls readDeepSeek(std::string_view body)
{
    const auto one = [](std::string_view inner) -> std::optional<ToolCall> {
        const auto left = takeUntil(inner, "<｜tool▁sep｜>");
        if (!left)
            return std::nullopt;
        if (const auto name = takeUntil(inner, "```json")) {
            const auto arguments = takeUntil(inner, "\n```");
            return arguments ? namedCall(*name, *arguments) : std::nullopt;
        }
        return namedCall(*left, inner);
    };
    return readEach(body, "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", one);
}

/// functions.NAME:0, which is the id, and {…}
Calls readKimi(std::string_view body)
{
    const auto one = [](std::string_view inner) -> std::optional<ToolCall> {
        const auto id = takeUntil(inner, "<|tool_call_argument_begin|>");
        if (!id)
            return std::nullopt;
        std::string_view name = trimmed(*id);
        take(name, "functions.");
        auto call = namedCall(name.substr(0, name.find(':')), inner);
        if (call)
            call->id = trimmed(*id);
        return call;
    };
    return readEach(body, "<|tool_call_begin|>", "<|tool_call_end|>", one);
}

/// What a tag holds: one line break at each end belongs to the tags.
std::string_view withoutBreaks(std::string_view text)
{
    take(text, "\n");
    if (text.ends_with('\n'))
        text.remove_suffix(1);
    return text;
}

/// NAME in quotes or bare, up to the tag's end.
std::optional<std::string_view> tagName(std::string_view &text)
{
    auto name = takeUntil(text, ">");
    if (name && name->size() >= 2 && name->front() == '"' && name->back() == '"')
        name = name->substr(1, name->size() - 2);
    return name;
}

struct Tags
{
    std::string_view call, callEnd, parameter, parameterEnd;
};

/// <function=NAME><parameter=KEY>VALUE</parameter>…</function>, and the same with other tags.
Calls readTags(std::string_view body, const Tags &tags)
{
    const auto one = [&](std::string_view inner) -> std::optional<ToolCall> {
        const auto name = tagName(inner);
        if (!name || !isToolName(*name))
            return std::nullopt;
        Json arguments = Json::object();
        for (skipSpace(inner); !inner.empty(); skipSpace(inner)) {
            if (!take(inner, tags.parameter))
                return std::nullopt;
            const auto key = tagName(inner);
            const auto value = takeUntil(inner, tags.parameterEnd);
            if (!key || !value)
                return std::nullopt;
            arguments[std::string(*key)] = taggedValue(withoutBreaks(*value));
        }
        return ToolCall{std::string(*name), dumped(arguments), {}};
    };
    return readEach(body, tags.call, tags.callEnd, one);
}

Calls readFunctionTags(std::string_view body)
{
    return readTags(body, {"<function=", "</function>", "<parameter=", "</parameter>"});
}

/// What follows "<function=", where no other tag is around it.
Calls readBareFunctionTag(std::string_view body)
{
    return readFunctionTags("<function=" + std::string(body) + "</function>");
}

Calls readMiniMax(std::string_view body)
{
    return readTags(body, {"<invoke name=", "</invoke>", "<parameter name=", "</parameter>"});
}

/// NAME>{…}
Calls readFunctionary(std::string_view body)
{
    const auto name = takeUntil(body, ">");
    const auto call = name ? namedCall(*name, body) : std::nullopt;
    return call ? Calls({*call}) : std::nullopt;
}

/// NAME <arg_key>KEY</arg_key> <arg_value>VALUE</arg_value> …
Calls readGlm(std::string_view body)
{
    const std::string_view name = trimmed(body.substr(0, body.find("<arg_key>")));
    if (!isToolName(name))
        return std::nullopt;
    body.remove_prefix(std::min(body.find("<arg_key>"), body.size()));
    Json arguments = Json::object();
    for (skipSpace(body); !body.empty(); skipSpace(body)) {
        if (!take(body, "<arg_key>"))
            return std::nullopt;
        const auto key = takeUntil(body, "</arg_key>");
        skipSpace(body);
        if (!key || !take(body, "<arg_value>"))
            return std::nullopt;
        const auto value = takeUntil(body, "</arg_value>");
        if (!value)
            return std::nullopt;
        arguments[std::string(trimmed(*key))] = taggedValue(withoutBreaks(*value));
    }
    return Calls({{std::string(name), dumped(arguments), {}}});
}

/// call:NAME{…}
Calls readGemma(std::string_view body)
{
    body = trimmed(body);
    if (!take(body, "call:"))
        return std::nullopt;
    const std::string_view name = body.substr(0, body.find('{'));
    body.remove_prefix(name.size());
    const auto arguments = takeGemma(body);
    if (!isToolName(name) || !arguments || !trimmed(body).empty())
        return std::nullopt;
    return Calls({{std::string(name), dumped(*arguments), {}}});
}

/// name(key=value, …) at the front.
std::optional<ToolCall> takePythonCall(std::string_view &text)
{
    const auto name = takeUntil(text, "(");
    if (!name || !isToolName(*name))
        return std::nullopt;
    Json arguments = Json::object();
    for (skipSpace(text); !take(text, ")"); skipSpace(text)) {
        const auto key = takeUntil(text, "=");
        skipSpace(text);
        auto value = key && isToolName(trimmed(*key)) ? takePython(text) : std::nullopt;
        if (!value)
            return std::nullopt;
        arguments[std::string(trimmed(*key))] = std::move(*value);
        skipSpace(text);
        if (!take(text, ",") && !text.starts_with(')'))
            return std::nullopt;
    }
    return ToolCall{std::string(*name), dumped(arguments), {}};
}

/// [name(key="value", …), …], or JSON.
Calls readPython(std::string_view body)
{
    body = trimmed(body);
    if (Calls calls = readJson(body))
        return calls;
    const bool list = take(body, "[");
    std::vector<ToolCall> calls;
    do {
        skipSpace(body);
        const auto call = takePythonCall(body);
        if (!call)
            return std::nullopt;
        calls.push_back(*call);
        skipSpace(body);
    } while (take(body, ","));
    if ((list && !take(body, "]")) || !trimmed(body).empty())
        return std::nullopt;
    return calls;
}

/// Llama's <|python_tag|>: JSON, tool.call(…), or a program.
Calls readPythonTag(std::string_view body)
{
    body = trimmed(body);
    if (Calls calls = readPython(body)) {
        for (ToolCall &call : *calls)
            if (call.name.ends_with(".call"))
                call.name.resize(call.name.size() - 5);
        return calls;
    }
    if (body.empty() || body.front() == '{')
        return std::nullopt;
    return Calls({{"python", dumped(Json{{"code", std::string(body)}}), {}}});
}

/// A list in a fence of which the last bracket may be missing: it belongs to the close.
Calls readCommandR(std::string_view body)
{
    body = trimmed(body);
    if (take(body, "```json"))
        if (const std::size_t fence = body.rfind("```"); fence != std::string_view::npos)
            body = body.substr(0, fence);
    if (Calls calls = readJson(body))
        return calls;
    return readJson(std::string(body) + ']');
}

constexpr std::string_view kJsonStart = "{[";

constexpr std::array kSyntaxes{
    CallSyntax{"qwen-xml", "<tool_call>", "</tool_call>", "<", readFunctionTags, "<parameter="},
    CallSyntax{"glm", "<tool_call>", "</tool_call>", "", readGlm, "<arg_key>"},
    CallSyntax{"hermes", "<tool_call>", "</tool_call>", kJsonStart, readJson, ""},
    CallSyntax{"seed", "<seed:tool_call>", "</seed:tool_call>", "<", readFunctionTags, ""},
    CallSyntax{"minimax", "<minimax:tool_call>", "</minimax:tool_call>", "<", readMiniMax, ""},
    CallSyntax{"functionary", "<function=", "</function>", "", readFunctionary, ""},
    CallSyntax{"bare-xml", "<function=", "</function>", "", readBareFunctionTag, ""},
    CallSyntax{"deepseek", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<", readDeepSeek, ""},
    CallSyntax{"kimi", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<", readKimi,
               ""},
    CallSyntax{"mistral", "[TOOL_CALLS]", "", "", readMistral, ""},
    CallSyntax{"command-r7b", "<|START_ACTION|>", "<|END_ACTION|>", kJsonStart, readJson, ""},
    CallSyntax{"command-r", "Action:", "]```", "`", readCommandR, "Action:\\n```json"},
    CallSyntax{"apertus", "<|tools_prefix|>", "<|tools_suffix|>", "[", readKeyed, ""},
    CallSyntax{"gemma", "<|tool_call>", "<tool_call|>", "c", readGemma, ""},
    CallSyntax{"lfm2", "<|tool_call_start|>", "<|tool_call_end|>", "", readPython,
               "List of tools: "},
    CallSyntax{"phi", "<|tool_call|>", "<|/tool_call|>", kJsonStart, readJson, "<|/tool_call|>"},
    CallSyntax{"granite", "<|tool_call|>", "", kJsonStart, readJson, ""},
    CallSyntax{"tool-calls", "<tool_calls>", "</tool_calls>", kJsonStart, readJson, ""},
    CallSyntax{"nemotron", "<TOOLCALL>", "</TOOLCALL>", kJsonStart, readJson, ""},
    CallSyntax{"internlm", "<|action_start|><|plugin|>", "<|action_end|>", kJsonStart, readJson,
               ""},
    CallSyntax{"gigachat", "<|function_call|>", "", kJsonStart, readJson, ""},
    CallSyntax{"gigachat-roles", "<|message_sep|>\n\nfunction call<|role_sep|>\n", "", kJsonStart,
               readJson, "function call<|role_sep|>"},
    CallSyntax{"functools", "functools", "", "[", readJson, " functools["},
    CallSyntax{"python-tag", "<|python_tag|>", "", "", readPythonTag, ""},
    CallSyntax{"json", "", "", kJsonStart, readJson, "{\"name\": function name, \"parameters\":"},
};

} // namespace

std::span<const CallSyntax> callSyntaxes()
{
    return kSyntaxes;
}

const CallSyntax &callSyntax(std::string_view name)
{
    for (const CallSyntax &syntax : kSyntaxes)
        if (syntax.name == name)
            return syntax;
    throw Error(ErrorKind::Internal, "no syntax of calls is called " + std::string(name));
}

} // namespace fireside
