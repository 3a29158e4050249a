#include "engine/text/reply/reply_format.h"

#include "engine/text/reply/call_values.h"
#include "engine/text/reply/reply_parser.h"
#include "engine/text/reply/template_probe.h"

#include <algorithm>
#include <array>

namespace fireside {

using Json = nlohmann::ordered_json;

namespace {

struct Markers
{
    std::string_view open, close;
};

constexpr std::array kReasoning{
    Markers{"<think>", "</think>"},
    Markers{"[THINK]", "[/THINK]"},                                    // Mistral
    Markers{"<|START_THINKING|>", "<|END_THINKING|>"},                 // Command R
    Markers{"<|channel>thought", "<channel|>"},                        // Gemma
    Markers{"<|inner_prefix|>", "<|inner_suffix|>"},                   // Apertus
    Markers{"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"}, // Apriel
    Markers{"Here is my thought process:", "Here is my response:"},    // Granite
    Markers{"<seed:think>", "</seed:think>"},                          // Seed
    Markers{"<mm:think>", "</mm:think>"},                              // MiniMax M3
    Markers{"<thinking>", "</thinking>"},
    Markers{"<reasoning>", "</reasoning>"},
    Markers{"<thought>", "</thought>"},
    Markers{"<longcat_think>", "</longcat_think>"},
    Markers{"<|begin_of_thought|>", "<|end_of_thought|>"},
    Markers{"◁think▷", "◁/think▷"}, // Kimi
};

constexpr std::array<std::string_view, 4> kFrames{"<|START_RESPONSE|>", "<|END_RESPONSE|>",
                                                  "[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"};

constexpr std::string_view kThought = "Thoughts about it";
constexpr std::string_view kAnswer = "The words said";
constexpr const char *kTool = "look_up";

bool holds(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

/// What a template may need to be told so that it writes thoughts.
Json thinkingOn()
{
    return {{"enable_thinking", true}, {"thinking", true}};
}

class FormatFinder
{
public:
    FormatFinder(const ChatTemplate &chatTemplate, const std::string &bos, const std::string &eos)
        : m_source(chatTemplate.source())
        , m_probe(chatTemplate, bos, eos)
    {}

    ReplyFormat find()
    {
        if (holds(m_source, "<|channel|>") && holds(m_source, "<|message|>"))
            useChannels();
        else if (!findWrittenReasoning())
            findReasoningInSource();
        for (const std::string_view frame : kFrames)
            if (holds(m_source, frame) && frame != m_format.reasoningClose)
                m_format.frames.emplace_back(frame);
        findCalls();
        return m_format;
    }

private:
    void useChannels()
    {
        m_format.channels = m_format.reasons = true;
        m_format.reasoningOpen = "<|channel|>analysis<|message|>";
        m_format.reasoningClose = "<|end|>";
        m_format.reasoningEnd = "<|end|><|start|>assistant<|channel|>final<|message|>";
        findKey();
    }

    static Json calling(bool asText, bool nullContent)
    {
        const Json arguments{{"word", "fire"}};
        return {
            {"role", "assistant"},
            {"content", nullContent ? Json(nullptr) : Json("")},
            {"tool_calls",
             {{{"id", "call00001"},
               {"type", "function"},
               {"function",
                {{"name", kTool}, {"arguments", asText ? Json(arguments.dump()) : arguments}}}}}}};
    }

    /// Renders an answer with thoughts under each key that templates use until one shows them.
    std::optional<std::string> findKey()
    {
        for (const bool withCalls : {false, true}) {
            for (const char *key : {"reasoning_content", "reasoning", "thinking"}) {
                Json message = withCalls ? calling(false, false)
                                         : Json{{"role", "assistant"}, {"content", kAnswer}};
                message[key] = kThought;
                const auto written = m_probe.answer(message, thinkingOn());
                if (written && holds(*written, kThought)) {
                    m_format.reasoningKey = key;
                    return written;
                }
            }
        }
        return std::nullopt;
    }

    bool findWrittenReasoning()
    {
        const auto written = findKey();
        if (!written)
            return false;
        const auto prompt = m_probe.prompt(thinkingOn());
        const std::string all = prompt.value_or("") + *written; // the prompt may hold the opening
        const std::size_t at = all.rfind(kThought);
        const std::string_view before = trimmed(std::string_view(all).substr(0, at));
        const std::string_view after = std::string_view(all).substr(at + kThought.size());
        for (const Markers &markers : kReasoning)
            if (before.ends_with(markers.open) && trimmed(after).starts_with(markers.close))
                return useReasoning(markers, after);
        for (const Markers &markers : kReasoning)
            if (trimmed(after).starts_with(markers.close))
                return useReasoning(markers, after);
        return useUnknown(before, after);
    }

    /// Markers that are in no table, but look like some.
    bool useUnknown(std::string_view before, std::string_view after)
    {
        const std::size_t open = before.find_last_of("<[");
        const std::string_view next = trimmed(after);
        const std::size_t close = next.find_first_of(">]");
        if (open == std::string_view::npos || close == std::string_view::npos || before.empty() ||
            (before.back() != '>' && before.back() != ']') ||
            (next.front() != '<' && next.front() != '['))
            return false;
        return useReasoning({before.substr(open), next.substr(0, close + 1)}, after);
    }

    bool useReasoning(const Markers &markers, std::string_view after)
    {
        m_format.reasons = true;
        m_format.reasoningOpen = markers.open;
        m_format.reasoningClose = markers.close;
        const std::size_t answer = after.find(kAnswer);
        m_format.reasoningEnd = answer == std::string_view::npos
                                    ? std::string(markers.close)
                                    : std::string(after.substr(0, answer));
        return true;
    }

    void findReasoningInSource()
    {
        for (const Markers &markers : kReasoning) {
            if (!holds(m_source, markers.close))
                continue;
            m_format.reasons = true;
            m_format.reasoningOpen = markers.open;
            m_format.reasoningClose = markers.close;
            const bool lines = markers.close.starts_with("</");
            m_format.reasoningEnd = markers.close;
            if (lines)
                m_format.reasoningEnd = "\n" + m_format.reasoningEnd + "\n\n";
            return;
        }
    }

    void findCalls()
    {
        for (const bool nullContent : {false, true})
            for (const bool asText : {false, true})
                if (findWrittenCalls(nullContent, asText))
                    return addRelatives();
        for (const CallSyntax &syntax : callSyntaxes())
            if (holds(m_source, syntax.source.empty() ? syntax.open : syntax.source))
                m_format.calls.push_back(&syntax);
        addRelatives();
    }

    bool findWrittenCalls(bool nullContent, bool asText)
    {
        const Json message = calling(asText, nullContent);
        const auto written = m_probe.answer(message, thinkingOn(), m_format.reasoningOpen);
        if (!written || !holds(*written, kTool) || !holds(*written, "fire"))
            return false;
        m_format.callsWritten = true;
        if (m_format.channels)
            return true;
        for (const CallSyntax &syntax : callSyntaxes()) {
            m_format.calls = {&syntax};
            if (!reads(*written))
                continue;
            m_format.argumentsAsText = asText;
            return true;
        }
        m_format.calls.clear();
        m_format.callsWritten = false;
        return false;
    }

    bool reads(const std::string &written) const
    {
        std::vector<ReplyDelta> deltas;
        ReplyParser parser(m_format);
        parser.push(written, ReplyParser::Piece::Words, deltas);
        parser.finish(deltas);
        const auto isCall = [](const ReplyDelta &delta) {
            return delta.call && delta.call->name == kTool &&
                   delta.call->arguments == R"({"word":"fire"})";
        };
        return std::count_if(deltas.begin(), deltas.end(), isCall) == 1 &&
               std::none_of(deltas.begin(), deltas.end(), [](const ReplyDelta &delta) {
                   return delta.kind == ReplyPartKind::Text && !delta.text.empty();
               });
    }

    /// What models of a family write besides.
    void addRelatives()
    {
        const auto has = [this](std::string_view name) {
            return std::any_of(m_format.calls.begin(), m_format.calls.end(),
                               [&](const CallSyntax *syntax) { return syntax->name == name; });
        };
        const auto add = [&](std::string_view name) {
            if (!has(name))
                m_format.calls.push_back(&callSyntax(name));
        };
        if (has("qwen-xml"))
            add("hermes");
        else if (has("hermes"))
            add("qwen-xml");
        if (has("qwen-xml"))
            add("bare-xml");
        if (holds(m_source, "<|python_tag|>") ||
            (has("json") && holds(m_source, "<|start_header_id|>"))) // Llama, unseen
            add("python-tag");
    }

    const std::string &m_source;
    TemplateProbe m_probe;
    ReplyFormat m_format;
};

/// The first of these names with which the two values make different prompts.
std::string nameThatMatters(const TemplateProbe &probe, std::string_view source,
                            std::initializer_list<const char *> names, const Json &one,
                            const Json &other)
{
    for (const char *name : names) {
        if (!holds(source, name))
            continue;
        const auto first = probe.prompt({{name, one}}), second = probe.prompt({{name, other}});
        if (first && second && *first != *second)
            return name;
    }
    return {};
}

} // namespace

bool ReplyFormat::opensIn(std::string_view prompt) const
{
    return !channels && trimmed(prompt).ends_with(reasoningOpen);
}

void addVariables(Json &context, const ThinkingSwitches &switches, const ThinkingChoice &choice)
{
    if (!switches.onOff.empty() && choice.thinking != Thinking::Automatic)
        context[switches.onOff] = choice.thinking == Thinking::On;
    if (!switches.effort.empty() && !choice.effort.empty())
        context[switches.effort] = choice.effort;
    if (!switches.budget.empty() && choice.budget > 0)
        context[switches.budget] = choice.budget;
}

Json messageFor(const ReplyFormat &format, const ChatMessage &message, bool withParts)
{
    Json json{{"role", message.role}, {"content", message.content}};
    if (withParts && !message.parts.empty())
        json["content"] = parseJson(message.parts).value_or(message.content);
    if (!message.reasoning.empty() && !format.reasoningKey.empty())
        json[format.reasoningKey] = message.reasoning;
    if (message.role == "tool") { // its call is the one that it answers
        for (const ToolCall &call : message.calls) {
            json["tool_call_id"] = call.id;
            json["name"] = call.name;
        }
        return json;
    }
    for (const ToolCall &call : message.calls) {
        if (!format.callsWritten) {
            const std::string text =
                Json{{"name", call.name}, {"arguments", parseJson(call.arguments).value_or(Json())}}
                    .dump(-1, ' ', false, Json::error_handler_t::replace);
            json["content"] = json["content"].get<std::string>() + "\n" + text;
            continue;
        }
        const auto arguments = parseJson(call.arguments);
        Json function{{"name", call.name}, {"arguments", call.arguments}};
        if (!format.argumentsAsText && arguments)
            function["arguments"] = *arguments;
        json["tool_calls"].push_back(
            {{"id", call.id}, {"type", "function"}, {"function", std::move(function)}});
    }
    return json;
}

ReplyFormat replyFormatOf(const ChatTemplate &chatTemplate, const std::string &bosText,
                          const std::string &eosText)
{
    return FormatFinder(chatTemplate, bosText, eosText).find();
}

ThinkingSwitches thinkingSwitchesOf(const ChatTemplate &chatTemplate, const std::string &bosText,
                                    const std::string &eosText)
{
    const TemplateProbe probe(chatTemplate, bosText, eosText);
    const std::string &source = chatTemplate.source();
    const auto find = [&](std::initializer_list<const char *> names, const Json &one,
                          const Json &other) {
        return nameThatMatters(probe, source, names, one, other);
    };
    return {find({"enable_thinking", "thinking", "enable_reasoning", "think", "reasoning"}, true,
                 false),
            find({"reasoning_effort", "thinking_effort", "reasoning_level"}, "low", "high"),
            find({"thinking_budget", "reasoning_budget"}, 100, 200)};
}

} // namespace fireside
