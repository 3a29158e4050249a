#include "app/server/messages_requests.h"

#include "app/server/content_parts.h"
#include "app/server/history.h"
#include "app/server/openai_requests.h"
#include "app/server/sampling_json.h"
#include "app/server/thinking_json.h"
#include "app/server/tolerance.h"
#include "app/server/tool_choice_json.h"
#include "app/server/tools_json.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <functional>

namespace fireside::server {
namespace {

constexpr std::int64_t kLeastThoughts = 1024; // tokens, as the API wants it

using Blocks = std::function<bool(const std::string &type, Parameters &block)>;

/// A string or a list of blocks; `read` takes one by its type and says whether it may stand here.
void readContent(const json &content, const std::string &where, const Blocks &read)
{
    if (content.is_string()) {
        const json block{{"type", "text"}, {"text", content}};
        Parameters one(block, where);
        read(one.text("type").value(), one);
        return;
    }
    if (!readsStrictly() && content.is_object())
        return readContent(json::array({content}), where, read);
    if (!readsStrictly() && content.is_null())
        return;
    if (!content.is_array())
        throw ApiError(400, where + " must be a string or a list of blocks", where);
    for (std::size_t i = 0; i < content.size(); ++i) {
        if (!readsStrictly() && content[i].is_string()) {
            readContent(content[i], where, read);
            continue;
        }
        Parameters block(content[i], where + "[" + std::to_string(i) + "]");
        const std::string type = block.text("type").value_or("");
        block.ignore("cache_control"); // what begins alike is taken over in any case
        block.ignore("citations");
        if (read(type, block)) {
            if (type != "text")
                block.finish();
            continue;
        }
        if (readsStrictly())
            throw ApiError(400,
                           block.full("type") + ": blocks of the type " + fireside::quoted(type) +
                               " are not supported here",
                           block.full("type"), "unsupported_content");
        const std::string words = wordsForPart(content[i], where);
        const json text{{"type", "text"}, {"text", words}};
        Parameters replaced(text, block.full("type"));
        if (!words.empty())
            read(replaced.text("type").value(), replaced);
    }
}

/// ChatMessage::parts of blocks that are all text.
std::string textParts(const json &content)
{
    const auto isText = [](const json &block) { return block.value("type", "") == "text"; };
    const bool passedOn = content.is_array() &&
                          std::all_of(content.begin(), content.end(), isText) &&
                          std::any_of(content.begin(), content.end(), saysMoreThanText);
    return passedOn ? dumped(content) : std::string();
}

std::string blockText(const json &content, const std::string &where)
{
    std::string text;
    readContent(content, where, [&](const std::string &type, Parameters &block) {
        if (type == "text")
            text += (text.empty() ? "" : "\n") + block.text("text").value_or("");
        return type == "text";
    });
    return text;
}

/// A turn of the assistant.
ChatMessage answerOf(const json &content, const std::string &where)
{
    ChatMessage message{"assistant", {}};
    readContent(content, where, [&](const std::string &type, Parameters &block) {
        if (type == "text") {
            message.content += block.text("text").value_or("");
        } else if (type == "thinking") {
            message.reasoning += block.text("thinking").value_or("");
            block.ignore("signature");
        } else if (type == "tool_use") {
            const json *const input = block.find("input");
            if (readsStrictly() && !block.require("input").is_object())
                block.refuse("input", "an object");
            message.calls.push_back({block.text("name").value_or(""), argumentsAsSent(input),
                                     block.text("id").value_or("")});
        } else if (type == "redacted_thinking") {
            block.ignore("data");
        } else {
            return false;
        }
        return true;
    });
    return message;
}

/// A turn of the user: results of calls are messages of their own, before its words.
void addTurn(const json &content, const std::string &where, std::vector<ChatMessage> &messages)
{
    ChatMessage words{"user", {}};
    const std::size_t before = messages.size();
    readContent(content, where, [&](const std::string &type, Parameters &block) {
        if (type == "text") {
            words.content += (words.content.empty() ? "" : "\n") + block.text("text").value_or("");
            return true;
        }
        if (type != "tool_result")
            return false;
        const std::string id = block.text("tool_use_id").value_or("");
        std::string text;
        if (const json *given = block.find("content"))
            text = blockText(*given, block.full("content"));
        if (block.boolean("is_error").value_or(false))
            text = "Error: " + text;
        auto result = resultOf(messages, id, {std::move(text)});
        if (!result)
            block.refuse("tool_use_id", "that of a tool_use in an earlier message");
        messages.push_back(std::move(*result));
        return true;
    });
    words.parts = textParts(content);
    if (!words.content.empty() || messages.size() == before)
        messages.push_back(std::move(words));
}

std::string systemText(const json &content, const std::string &where)
{
    const std::string text = blockText(content, where);
    return readsStrictly() ? text : withoutBillingLines(text);
}

std::vector<ChatMessage> turnsOf(Parameters &p)
{
    std::vector<ChatMessage> messages;
    if (const json *system = p.find("system"))
        if (std::string text = systemText(*system, "system"); !text.empty())
            messages.push_back({"system", std::move(text)});
    const json &list = p.require("messages");
    if (!list.is_array() || list.empty())
        p.refuse("messages", "a list that is not empty");
    p.limitCount("messages", list.size(), kMaxMessages);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string where = "messages[" + std::to_string(i) + "]";
        Parameters one(list[i], where);
        const std::string role = one.text("role").value_or("");
        const bool instructs = role == "system" || role == "developer";
        if (role != "user" && role != "assistant" && !instructs)
            one.refuse("role", "user, assistant, system or developer");
        const json *const given = one.find("content");
        const json content = given != nullptr  ? *given
                             : readsStrictly() ? one.require("content")
                                               : json("");
        if (instructs)
            messages.push_back({"system", systemText(content, where + ".content")});
        else if (role == "user")
            addTurn(content, where + ".content", messages);
        else
            messages.push_back(answerOf(content, where + ".content"));
        one.finish();
    }
    if (messages.back().role == "assistant" && readsStrictly())
        p.refuse("messages", "ended by a turn of the user: answers cannot be begun for the model");
    return messages;
}

ToolChoice toolChoiceOf(Parameters &p)
{
    ToolChoice choice;
    const json *const value = p.find("tool_choice");
    if (value == nullptr)
        return choice;
    Parameters one(*value, "tool_choice");
    const std::string type = one.text("type").value_or("");
    choice.parallel = !one.boolean("disable_parallel_tool_use").value_or(false);
    if (type == "none")
        choice.kind = ToolChoice::Kind::None;
    else if (type == "any" || type == "tool")
        choice.kind = ToolChoice::Kind::Required;
    else if (type != "auto")
        one.refuse("type", "auto, any, tool or none");
    if (type == "tool") {
        choice.name = one.text("name").value_or("");
        if (choice.name.empty())
            one.refuse("name", "given");
    }
    one.finish();
    return choice;
}

/// enabled with a budget, adaptive or disabled
void readThinking(Parameters &p, ChatRequest &chat, const ServedModel &served)
{
    chat.thinking = toThinking(served.sampling);
    const json *const value = p.find("thinking");
    if (value == nullptr)
        return;
    Parameters one(*value, "thinking");
    const std::string type = one.text("type").value_or("");
    if (type != "enabled" && type != "adaptive" && type != "disabled")
        one.refuse("type", "enabled, adaptive or disabled");
    chat.thinking.thinking = type == "disabled" ? Thinking::Off : Thinking::On;
    if (const auto budget = one.integer("budget_tokens", kLeastThoughts, kMostTokens)) {
        chat.sampling.thinkingBudget = static_cast<int>(*budget);
        chat.thinking.budget = static_cast<int>(*budget);
    }
    one.ignore("display");
    one.finish();
}

/// The newest version puts a schema for the answer here, and how thoroughly to think.
void readOutputConfig(Parameters &p, ChatRequest &chat)
{
    const json *const value = p.find("output_config");
    if (value == nullptr)
        return;
    Parameters config(*value, "output_config");
    if (const auto effort = config.text("effort"))
        chat.thinking.effort = *effort;
    if (const json *format = config.find("format")) {
        Parameters one(*format, "output_config.format");
        chat.form = formOfType(one, &one);
        one.finish();
    }
    config.finish();
}

/// What both requests have in common.
void readChatOf(Parameters &p, ChatRequest &chat, const ServedModel &served)
{
    requireModel(p, served);
    chat.messages = turnsOf(p);
    p.ignore("cache_control");
    p.ignore("context_management");
    p.ignore("betas");
    if (!readsStrictly()) {
        chat.tools = readToolsTolerantly(p);
        chat.choice = readChoiceTolerantly(p);
        readThinkingTolerantly(p, chat, served);
        return;
    }
    chat.tools = toolsOf(p, [](Parameters &members) {
        members.onlyAs("type", {"custom"});
        for (const char *name : {"cache_control", "input_examples", "eager_input_streaming",
                                 "defer_loading", "allowed_callers"})
            members.ignore(name);
        return toolOf(members, "input_schema");
    });
    chat.choice = toolChoiceOf(p);
    readThinking(p, chat, served);
    readOutputConfig(p, chat);
}

} // namespace

AskedReplies readMessages(const json &body, const ServedModel &served)
{
    Parameters p(body);
    ChatRequest chat;
    chat.sampling = samplingOf(p, served);
    if (readsStrictly())
        p.require("max_tokens");
    readMaxTokens(p, chat.sampling, {"max_tokens"});
    if (p.find("stop_sequences") != nullptr)
        chat.sampling.stopStrings = stopsOf(p, "stop_sequences");
    chat.stream = p.boolean("stream").value_or(false);
    if (const json *metadata = p.find("metadata")) {
        Parameters one(*metadata, "metadata");
        chat.user = one.text("user_id").value_or("");
        one.finish();
    }
    p.onlyAs("service_tier", {"auto", "standard_only"});
    readChatOf(p, chat, served);
    p.finish();
    return repliesTo(std::move(chat), served);
}

AskedReplies readCountTokens(const json &body, const ServedModel &served)
{
    Parameters p(body);
    ChatRequest chat;
    readChatOf(p, chat, served);
    if (readsStrictly())
        p.finish();
    chat.form = {};
    return repliesTo(std::move(chat), served);
}

} // namespace fireside::server
