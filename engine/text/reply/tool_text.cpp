#include "engine/text/reply/tool_text.h"

#include "engine/core/error.h"
#include "engine/text/reply/call_values.h"
#include "engine/text/reply/chat_forms.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace fireside {
namespace {

using Json = nlohmann::ordered_json;

std::string asJsonText(const Json &value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json described(const ToolDescription &tool)
{
    const Json none{{"type", "object"}, {"properties", Json::object()}};
    return {{"type", "function"},
            {"function",
             {{"name", tool.name},
              {"description", tool.description},
              {"parameters", tool.parameters.is_null() ? none : tool.parameters}}}};
}

/// Calls and results as text, for templates that cannot write them. Results of one turn are one
/// message, as many templates want users and assistants to take turns.
std::vector<ChatMessage> asText(const std::vector<ChatMessage> &messages)
{
    std::vector<ChatMessage> all;
    bool results = false;
    for (const ChatMessage &message : messages) {
        if (message.role == "tool") {
            const std::string text = "<tool_response>\n" + message.content + "\n</tool_response>";
            if (results)
                all.back().content += "\n" + text;
            else
                all.push_back({"user", text});
            results = true;
            continue;
        }
        results = false;
        all.push_back(message);
        for (const ToolCall &call : std::exchange(all.back().calls, {})) {
            const Json arguments = parseJson(call.arguments).value_or(Json::object());
            std::string &content = all.back().content;
            content += (content.empty() ? "<tool_call>\n" : "\n<tool_call>\n") +
                       asJsonText({{"name", call.name}, {"arguments", arguments}}) +
                       "\n</tool_call>";
        }
    }
    return all;
}

std::string toolsAsText(const std::vector<ToolDescription> &tools)
{
    std::string text = "You can call tools. These are there, with JSON schemas of their "
                       "parameters:\n<tools>\n";
    for (const ToolDescription &tool : tools)
        text += asJsonText(described(tool)) + "\n";
    return text +
           "</tools>\nTo call one, write a JSON object with its name and its arguments between "
           "these tags:\n<tool_call>\n{\"name\": …, \"arguments\": {…}}\n</tool_call>\nWhat it "
           "gave comes back in <tool_response>.";
}

/// What some templates call `functions`: the tools without their frames, as text.
std::string functionsText(const std::vector<ToolDescription> &tools)
{
    Json functions = Json::array();
    for (const ToolDescription &tool : tools)
        functions.push_back(described(tool)["function"]);
    return asJsonText(functions);
}

std::string today()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    char text[16];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

class Writer
{
public:
    Writer(const ChatTemplate &chatTemplate, const ReplyFormat &format,
           const ThinkingSwitches &switches, const ToolChat &chat, Json context)
        : m_template(chatTemplate)
        , m_format(format)
        , m_chat(chat)
        , m_context(std::move(context))
    {
        m_context["add_generation_prompt"] = true;
        m_context["functions"] = functionsText({});
        m_context["datetime"] = today();
        addVariables(m_context, switches, chat.thinking);
    }

    /// The first form of the chat that the template takes; the last one's error where it takes
    /// none.
    ToolText write()
    {
        const std::vector<std::vector<ChatMessage>> forms = chatForms(m_chat.messages);
        for (std::size_t i = 0;; ++i)
            try {
                return written(forms[i]);
            } catch (const Error &problem) {
                if (problem.kind() != ErrorKind::BadInput || i + 1 == forms.size())
                    throw;
            }
    }

private:
    ToolText written(const std::vector<ChatMessage> &messages)
    {
        m_context.erase("tools");
        m_context["functions"] = functionsText({});
        const bool own = m_format.callsWritten;
        ToolText plain{rendered(own ? messages : asText(messages)), m_format};
        if (m_chat.tools.empty())
            return plain;
        m_context["tools"] = Json::array();
        for (const ToolDescription &tool : m_chat.tools)
            m_context["tools"].push_back(described(tool));
        m_context["functions"] = functionsText(m_chat.tools);
        ToolText told{{}, withOffered()};
        try {
            told.text = m_template.render(m_context);
        } catch (const Error &) { // it fails on tools alone
            return writtenAsText(messages);
        }
        if (told.text.text == plain.text.text) // it does not look for tools
            return writtenAsText(messages);
        if (!m_format.channels && m_format.calls.empty())
            told.format.calls = {&callSyntax("hermes")};
        return told;
    }

    ReplyFormat withOffered() const
    {
        ReplyFormat format = m_format;
        format.offered = std::make_shared<const OfferedTools>(m_chat.tools);
        return format;
    }

    MarkedText rendered(const std::vector<ChatMessage> &messages)
    {
        const auto render = [&](bool withParts) {
            m_context["messages"] = Json::array();
            for (const ChatMessage &message : messages)
                m_context["messages"].push_back(messageFor(m_format, message, withParts));
            return m_template.render(m_context);
        };
        const bool parts = std::any_of(messages.begin(), messages.end(),
                                       [](const ChatMessage &one) { return !one.parts.empty(); });
        try {
            return render(false);
        } catch (const Error &) { // it may want to see the parts
            if (!parts)
                throw;
            return render(true);
        }
    }

    /// System messages may lead, or be no messages at all, and users and assistants take turns.
    ToolText writtenAsText(const std::vector<ChatMessage> &messages)
    {
        m_context.erase("tools");
        ToolText told{{}, withOffered()};
        const CallSyntax *const hermes = &callSyntax("hermes");
        std::vector<const CallSyntax *> &calls = told.format.calls;
        std::erase(calls, hermes);
        calls.insert(calls.begin(), hermes);
        const CallSyntax *const bare = &callSyntax("json"); // of those that forget the tags
        if (std::find(calls.begin(), calls.end(), bare) == calls.end())
            calls.push_back(bare);
        const std::string tools = toolsAsText(m_chat.tools);
        std::vector<ChatMessage> withSystem = asText(messages);
        if (!withSystem.empty() && withSystem.front().role == "system")
            withSystem.front().content += "\n\n" + tools;
        else
            withSystem.insert(withSystem.begin(), {"system", tools});
        try {
            told.text = rendered(withSystem);
        } catch (const Error &) { // some templates take no system message
            told.text = rendered(joinedTurns(withoutSystemRole(withSystem)));
        }
        return told;
    }

    const ChatTemplate &m_template;
    const ReplyFormat &m_format;
    const ToolChat &m_chat;
    Json m_context;
};

} // namespace

ToolText writeToolChat(const ChatTemplate &chatTemplate, const ReplyFormat &format,
                       const ThinkingSwitches &switches, const ToolChat &chat,
                       const std::string &bosText, const std::string &eosText)
{
    return Writer(chatTemplate, format, switches, chat,
                  Json{{"bos_token", bosText}, {"eos_token", eosText}})
        .write();
}

} // namespace fireside
