#include "engine/text/reply/call_syntaxes.h"

#include "engine/core/error.h"
#include "engine/text/reply/call_scan.h"
#include "engine/text/reply/call_values.h"
#include "engine/text/reply/tagged_calls.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fireside {
namespace {

using Json = nlohmann::ordered_json;
using Calls = std::optional<std::vector<ToolCall>>;

/// The first of these members; nullptr when there is none.
const Json *member(const Json &object, std::initializer_list<const char *> keys)
{
    for (const char *key : keys)
        if (const auto found = object.find(key); found != object.end())
            return &*found;
    return nullptr;
}

/// An object, a text that holds one, or nothing.
std::optional<Json> argumentsOf(const Json *value)
{
    if (value == nullptr || value->is_null() || (value->is_array() && value->empty()))
        return Json::object();
    if (value->is_object())
        return *value;
    if (!value->is_string())
        return std::nullopt;
    const std::string &text = value->get_ref<const std::string &>();
    if (trimmed(text).empty())
        return Json::object();
    auto inner = readStructure(text);
    return inner && inner->is_object() ? inner : std::nullopt;
}

std::optional<ToolCall> callOf(const Json &value, const OfferedTools &tools)
{
    if (!value.is_object())
        return std::nullopt;
    const Json *inner = member(value, {"function"});
    const Json &object = inner != nullptr && inner->is_object() ? *inner : value;
    const Json *name = member(object, {"name", "tool_name"});
    auto arguments = argumentsOf(member(object, {"arguments", "parameters", "args"}));
    if (name == nullptr || !name->is_string() || !arguments)
        return std::nullopt;
    auto call = makeCall(name->get_ref<const std::string &>(), std::move(*arguments), tools);
    const Json *id = member(value, {"id", "tool_call_id", "call_id"});
    if (call && id != nullptr && id->is_string())
        call->id = id->get<std::string>();
    return call;
}

bool addCalls(const Json &value, const OfferedTools &tools, std::vector<ToolCall> &calls)
{
    if (!value.is_array()) {
        const auto call = callOf(value, tools);
        if (call)
            calls.push_back(*call);
        return call.has_value();
    }
    return std::all_of(value.begin(), value.end(), [&](const Json &one) {
        return one.is_object() && addCalls(one, tools, calls);
    });
}

Calls orNone(std::vector<ToolCall> calls)
{
    return calls.empty() ? Calls() : Calls(std::move(calls));
}

/// {"name": …, "arguments": {…}}, several of them, or lists of them.
Calls readJson(std::string_view body, const OfferedTools &tools)
{
    std::vector<ToolCall> calls;
    for (body = trimmed(body); !body.empty(); body = trimmed(body)) {
        auto value = takeStructure(body);
        if (!value)
            value = readStructure(std::exchange(body, {}));
        if (!value || !addCalls(*value, tools, calls))
            return std::nullopt;
        skipSpace(body);
        if (body.find_first_not_of(" \n\t\r}]") == std::string_view::npos)
            break; // brackets too many
        if (!take(body, ";"))
            take(body, ",");
    }
    return orNone(std::move(calls));
}

/// The same without marks around it: an object that only happens to have a name is none.
Calls readBareJson(std::string_view body, const OfferedTools &tools)
{
    std::string_view rest = trimmed(body);
    const auto first = takeStructure(rest);
    const Json *call = first && first->is_array() && !first->empty() ? &first->front()
                       : first                                       ? &*first
                                                                     : nullptr;
    if (call != nullptr && call->is_object()) {
        const bool says = member(*call, {"arguments", "parameters", "args", "function"}) != nullptr;
        const bool onlyName = call->size() == 1 && tools.areKnown();
        const Json *const type = member(*call, {"type"});
        if (!says && !onlyName && (type == nullptr || *type != "function"))
            return std::nullopt;
    }
    return readJson(body, tools);
}

/// [{"NAME": {…}}]
Calls readKeyed(std::string_view body, const OfferedTools &tools)
{
    const auto list = readStructure(body);
    if (!list || !list->is_array())
        return std::nullopt;
    std::vector<ToolCall> calls;
    for (const Json &entry : *list) {
        if (!entry.is_object() || entry.size() != 1)
            return std::nullopt;
        auto arguments = argumentsOf(&*entry.begin());
        auto call =
            arguments ? makeCall(entry.begin().key(), std::move(*arguments), tools) : std::nullopt;
        if (!call)
            return std::nullopt;
        calls.push_back(std::move(*call));
    }
    return orNone(std::move(calls));
}

/// A name and, behind it, its arguments as JSON; nothing counts as none.
std::optional<ToolCall> namedCall(std::string_view name, std::string_view arguments,
                                  const OfferedTools &tools)
{
    auto value =
        trimmed(arguments).empty() ? std::optional(Json::object()) : readStructure(arguments);
    return value ? makeCall(name, std::move(*value), tools) : std::nullopt;
}

/// A list as readJson() takes it, or NAME[CALL_ID]ID[ARGS]{…} again and again.
Calls readMistral(std::string_view body, const OfferedTools &tools)
{
    body = trimmed(body);
    if (body.starts_with('[') || body.starts_with('{'))
        return readJson(body, tools);
    std::vector<ToolCall> calls;
    while (!body.empty()) {
        const std::size_t brace = body.find('{');
        if (brace == std::string_view::npos)
            return std::nullopt;
        std::string_view head = trimmed(body.substr(0, brace));
        body.remove_prefix(brace);
        auto arguments = takeStructure(body);
        if (!arguments)
            arguments = readStructure(std::exchange(body, {}));
        std::string_view id;
        if (!head.ends_with("[ARGS]") && head.find('[') != std::string_view::npos)
            return std::nullopt;
        if (head.ends_with("[ARGS]"))
            head.remove_suffix(6);
        if (const auto name = takeUntil(head, "[CALL_ID]"))
            id = std::exchange(head, *name);
        auto call = arguments ? makeCall(head, std::move(*arguments), tools) : std::nullopt;
        if (!call)
            return std::nullopt;
        call->id = trimmed(id);
        calls.push_back(std::move(*call));
        skipSpace(body);
        take(body, "[TOOL_CALLS]");
        skipSpace(body);
    }
    return orNone(std::move(calls));
}

/// Calls between markers of their own, of which the last may lack its end: a head up to `separator`
/// and the arguments behind it, made a call by `make`.
template <typename Make>
Calls readEach(std::string_view body, std::string_view begin, std::string_view separator,
               std::string_view end, const Make &make)
{
    std::vector<ToolCall> calls;
    for (skipSpace(body); !body.empty(); skipSpace(body)) {
        if (take(body, end))
            continue; // one too many
        const auto head = take(body, begin) ? takeUntil(body, separator) : std::nullopt;
        if (!head)
            return std::nullopt;
        CallScan scan(CallBody::Json); // the end may be a part of a text
        std::size_t at = 0;
        for (;; at += end.size()) {
            at = std::min(body.find(end, at), body.size());
            scan.follow(body.substr(0, at));
            if (at == body.size() || scan.state({}) == CallScan::State::Ended)
                break;
        }
        const auto call = make(*head, body.substr(0, at));
        body.remove_prefix(at);
        if (!call)
            return std::nullopt;
        calls.push_back(*call);
    }
    return orNone(std::move(calls));
}

/// NAME<sep>{…}, or KIND<sep>NAME and the arguments in a fence.
Calls readDeepSeek(std::string_view body, const OfferedTools &tools)
{
    const auto make = [&](std::string_view head, std::string_view arguments) {
        std::string_view rest = arguments;
        const auto name = takeUntil(rest, "```json");
        if (!name || name->find('{') != std::string_view::npos)
            return namedCall(head, arguments, tools);
        const std::size_t fence = rest.rfind("```");
        return namedCall(*name, rest.substr(0, fence), tools);
    };
    return readEach(body, "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", make);
}

/// functions.NAME:0, which is the id, and {…}
Calls readKimi(std::string_view body, const OfferedTools &tools)
{
    const auto make = [&](std::string_view head, std::string_view arguments) {
        const std::string_view id = trimmed(head);
        std::string_view name = id;
        take(name, "functions.");
        auto call = namedCall(name.substr(0, name.rfind(':')), arguments, tools);
        if (call)
            call->id = id;
        return call;
    };
    return readEach(body, "<|tool_call_begin|>", "<|tool_call_argument_begin|>",
                    "<|tool_call_end|>", make);
}

constexpr CallTags kFunctionTags{.call = "<function=",
                                 .callEnd = "</function>",
                                 .parameter = "<parameter=",
                                 .parameterEnd = "</parameter>",
                                 .ownLines = true};

Calls readFunctionTags(std::string_view body, const OfferedTools &tools)
{
    return readTagged(body, kFunctionTags, tools);
}

/// What follows "<function=", where no other tag is around it.
Calls readBareFunctionTag(std::string_view body, const OfferedTools &tools)
{
    return readFunctionTags("<function=" + std::string(body) + "</function>", tools);
}

Calls readMiniMax(std::string_view body, const OfferedTools &tools)
{
    static constexpr CallTags tags{.call = "<invoke name=",
                                   .callEnd = "</invoke>",
                                   .parameter = "<parameter name=",
                                   .parameterEnd = "</parameter>"};
    return readTagged(body, tags, tools);
}

Calls readDsml(std::string_view body, const OfferedTools &tools)
{
    static constexpr CallTags tags{.call = "<｜DSML｜invoke name=",
                                   .callEnd = "</｜DSML｜invoke>",
                                   .parameter = "<｜DSML｜parameter name=",
                                   .parameterEnd = "</｜DSML｜parameter>"};
    return readTagged(body, tags, tools);
}

/// NAME>{…}
Calls readFunctionary(std::string_view body, const OfferedTools &tools)
{
    const auto name = takeUntil(body, ">");
    const auto call =
        name && trimmed(body).starts_with('{') ? namedCall(*name, body, tools) : std::nullopt;
    return call ? Calls({*call}) : std::nullopt;
}

/// NAME <arg_key>KEY</arg_key> <arg_value>VALUE</arg_value> …
Calls readGlm(std::string_view body, const OfferedTools &tools)
{
    static constexpr CallTags tags{.parameter = "<arg_key>",
                                   .parameterEnd = "</arg_value>",
                                   .keyEnd = "</arg_key>",
                                   .valueBegin = "<arg_value>"};
    return readTagged(body, tags, tools);
}

/// call:NAME{…}, again and again; no braces, () and {} stand for no arguments.
Calls readGemma(std::string_view body, const OfferedTools &tools)
{
    std::vector<ToolCall> calls;
    for (body = trimmed(body); !body.empty(); skipSpace(body)) {
        if (!take(body, "call:"))
            return std::nullopt;
        const std::string_view name = body.substr(0, body.find_first_of("{("));
        body.remove_prefix(name.size());
        const auto offered = tools.nameOf(name);
        if (!offered)
            return std::nullopt;
        std::optional<Json> arguments = Json::object();
        if (body.starts_with('{'))
            arguments = takeGemma(body, tools.argumentsOf(*offered));
        else if (!body.empty() && !take(body, "()"))
            return std::nullopt;
        auto call = arguments ? makeCall(*offered, std::move(*arguments), tools) : std::nullopt;
        if (!call)
            return std::nullopt;
        calls.push_back(std::move(*call));
    }
    return orNone(std::move(calls));
}

/// name(key=value, …) at the front.
std::optional<ToolCall> takePythonCall(std::string_view &text, const OfferedTools &tools)
{
    const auto name = takeUntil(text, "(");
    if (!name)
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
    return makeCall(*name, std::move(arguments), tools);
}

/// [name(key="value", …), …], or JSON.
Calls readPython(std::string_view body, const OfferedTools &tools)
{
    body = trimmed(body);
    if (Calls calls = readJson(body, tools))
        return calls;
    const bool list = take(body, "[");
    std::vector<ToolCall> calls;
    do {
        skipSpace(body);
        const auto call = takePythonCall(body, tools);
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
Calls readPythonTag(std::string_view body, const OfferedTools &tools)
{
    body = trimmed(body);
    std::string_view rest = body; // brave_search.call(…)
    if (const auto name = takeUntil(rest, ".call("); name && isToolName(*name))
        if (Calls calls = readPython(std::string(*name) + "(" + std::string(rest), tools))
            return calls;
    if (Calls calls = readPython(body, tools))
        return calls;
    if (body.empty())
        return std::nullopt;
    if (body.front() == '{' || body.front() == '[')
        if (Calls calls = readJson(body, tools); calls || body.front() == '{')
            return calls;
    const auto call = makeCall("python", Json{{"code", std::string(body)}}, tools);
    return call ? Calls({*call}) : std::nullopt;
}

/// A list in a fence of which the last bracket may be missing: it belongs to the close.
Calls readCommandR(std::string_view body, const OfferedTools &tools)
{
    body = trimmed(body);
    if (take(body, "```json"))
        if (const std::size_t fence = body.rfind("```"); fence != std::string_view::npos)
            body = body.substr(0, fence);
    return readJson(body, tools);
}

constexpr std::string_view kJsonStart = "{ [";

constexpr std::array kSyntaxes{
    CallSyntax{"qwen-xml", "<tool_call>", "</tool_call>", CallBody::FunctionTags,
               "<function=", readFunctionTags, "<parameter="},
    CallSyntax{"glm", "<tool_call>", "</tool_call>", CallBody::GlmTags,
               "NAME<arg_key> NAME</tool_call>", readGlm, "<arg_key>"},
    CallSyntax{"hermes", "<tool_call>", "</tool_call>", CallBody::Json, kJsonStart, readJson, ""},
    CallSyntax{"seed", "<seed:tool_call>", "</seed:tool_call>", CallBody::FunctionTags,
               "<function=", readFunctionTags, ""},
    CallSyntax{"minimax", "<minimax:tool_call>", "</minimax:tool_call>", CallBody::InvokeTags,
               "<invoke", readMiniMax, ""},
    CallSyntax{"minimax-m3", "]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>",
               CallBody::Elements, "]<]minimax[>[<invoke", readMiniMax3, "]<]minimax[>["},
    CallSyntax{"functionary", "<function=", "</function>", CallBody::Json, "NAME>", readFunctionary,
               ""},
    CallSyntax{"bare-xml", "<function=", "</function>", CallBody::BareFunctionTags, "NAME>",
               readBareFunctionTag, ""},
    CallSyntax{"deepseek", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", CallBody::Json,
               "<｜tool▁call▁begin｜>", readDeepSeek, ""},
    CallSyntax{"deepseek-dsml", "<｜DSML｜function_calls>", "</｜DSML｜function_calls>",
               CallBody::DsmlTags, "<｜DSML｜invoke", readDsml, ""},
    CallSyntax{"kimi", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", CallBody::Json,
               "<|tool_call_begin|>", readKimi, ""},
    CallSyntax{"mistral", "[TOOL_CALLS]", "", CallBody::Json, "{ [ NAME[ NAME{", readMistral, ""},
    CallSyntax{"command-r7b", "<|START_ACTION|>", "<|END_ACTION|>", CallBody::Json, kJsonStart,
               readJson, ""},
    CallSyntax{"command-r", "Action:", "]```", CallBody::Json, "```", readCommandR,
               "Action:\\n```json"},
    CallSyntax{"apertus", "<|tools_prefix|>", "<|tools_suffix|>", CallBody::Json, "[", readKeyed,
               ""},
    CallSyntax{"gemma", "<|tool_call>", "<tool_call|>", CallBody::Gemma, "call:", readGemma, ""},
    CallSyntax{"lfm2", "<|tool_call_start|>", "<|tool_call_end|>", CallBody::Python, "{ [ NAME(",
               readPython, "List of tools: "},
    CallSyntax{"phi", "<|tool_call|>", "<|/tool_call|>", CallBody::Json, kJsonStart, readJson,
               "<|/tool_call|>"},
    CallSyntax{"granite", "<|tool_call|>", "", CallBody::Json, kJsonStart, readJson, ""},
    CallSyntax{"tool-calls", "<tool_calls>", "</tool_calls>", CallBody::Json, kJsonStart, readJson,
               ""},
    CallSyntax{"nemotron", "<TOOLCALL>", "</TOOLCALL>", CallBody::Json, kJsonStart, readJson, ""},
    CallSyntax{"internlm", "<|action_start|><|plugin|>", "<|action_end|>", CallBody::Json,
               kJsonStart, readJson, ""},
    CallSyntax{"gigachat", "<|function_call|>", "", CallBody::Json, kJsonStart, readJson, ""},
    CallSyntax{"gigachat-roles", "<|message_sep|>\n\nfunction call<|role_sep|>\n", "",
               CallBody::Json, kJsonStart, readJson, "function call<|role_sep|>"},
    CallSyntax{"functools", "functools", "", CallBody::Json, "[", readJson, " functools["},
    CallSyntax{"python-tag", "<|python_tag|>", "", CallBody::Plain, "", readPythonTag, ""},
    CallSyntax{"json", "", "", CallBody::Json, kJsonStart, readBareJson,
               "{\"name\": function name, \"parameters\":"},
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
