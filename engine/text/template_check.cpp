#include "engine/text/template_check.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/text/chat_template.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace fireside {
namespace {

using Json = nlohmann::ordered_json;

Json said(const char *role, const char *text)
{
    return {{"role", role}, {"content", text}};
}

Json exampleTool()
{
    return Json::parse(R"({"type": "function", "function": {"name": "look_up",
        "description": "Looks up a word.", "parameters": {"type": "object", "properties":
        {"word": {"type": "string", "description": "The word"}}, "required": ["word"]}}})");
}

/// Why the template does not write this chat; nullopt when it does.
std::optional<std::string> refusal(const ChatTemplate &chatTemplate, Json messages, bool withTool,
                                   std::string *written = nullptr)
{
    const Json tool = exampleTool();
    Json context{{"messages", std::move(messages)},
                 {"add_generation_prompt", true},
                 {"functions", Json::array({tool["function"]}).dump()},
                 {"datetime", "2026-01-01"},
                 {"bos_token", ""},
                 {"eos_token", ""}};
    if (withTool)
        context["tools"] = Json::array({tool});
    try {
        const std::string text = chatTemplate.render(context, "2026-01-01T00:00:00").text;
        if (written != nullptr)
            *written = text;
        return std::nullopt;
    } catch (const Error &error) {
        return reasonOf(error);
    }
}

/// Whether the template is at fault: what it refuses by raise_exception, it refuses on purpose.
bool isFault(const std::optional<std::string> &reason)
{
    return reason && reason->starts_with("The chat template failed");
}

/// The same for a chat with a call, in all the ways that templates want one.
std::optional<std::string> refusalOfCalls(const ChatTemplate &chatTemplate)
{
    std::optional<std::string> reason;
    const Json object{{"word", "fire"}};
    for (const Json &arguments : {object, Json(object.dump())})
        for (const Json &content : {Json(""), Json(nullptr)}) {
            Json call = said("assistant", "");
            call["content"] = content;
            call["tool_calls"].push_back(
                {{"id", "call00001"},
                 {"type", "function"},
                 {"function", {{"name", "look_up"}, {"arguments", arguments}}}});
            Json result = said("tool", "On page 451.");
            result["tool_call_id"] = "call00001";
            result["name"] = "look_up";
            reason =
                refusal(chatTemplate, Json::array({said("user", "Hello"), call, result}), true);
            if (!reason)
                return reason;
        }
    return reason;
}

std::string inBrackets(const std::string &reason)
{
    return " (" + printable(reason, kLongestQuote * 4) + ")";
}

} // namespace

std::string reasonOf(const Error &error)
{
    std::string text = error.what();
    while (text.ends_with('.'))
        text.pop_back();
    return text;
}

std::string shortChat(const ChatTemplate &chatTemplate)
{
    const Json system = said("system", "Be brief."), question = said("user", "Hello"),
               answer = said("assistant", "Hello to you");
    for (const Json &messages :
         {Json::array({system, question, answer, question}),
          Json::array({question, answer, question}), Json::array({question})}) {
        std::string written;
        if (!refusal(chatTemplate, messages, false, &written)) // many refuse a system message
            return written;
    }
    return {};
}

std::vector<std::string> templateDoubts(const ChatTemplate &chatTemplate)
{
    const Json question = said("user", "Hello");
    std::string written;
    if (const auto reason = refusal(chatTemplate, Json::array({question}), false, &written))
        return {"The chat template does not take a plain question" + inBrackets(*reason) +
                ": chats with this model fail."};
    if (written.empty())
        return {"The chat template writes nothing for a plain question: chats with this model "
                "fail."};
    std::vector<std::string> doubts;
    const auto later = refusal(
        chatTemplate, Json::array({question, said("assistant", "Hello to you"), question}), false);
    if (isFault(later))
        doubts.push_back("The chat template fails after the first reply" + inBrackets(*later) +
                         ": chats with this model end there.");
    auto tools = refusal(chatTemplate, Json::array({question}), true);
    if (!tools)
        tools = refusalOfCalls(chatTemplate);
    if (isFault(tools))
        doubts.push_back("The chat template fails on tools" + inBrackets(*tools) +
                         ": they are described to the model in words instead.");
    return doubts;
}

} // namespace fireside
