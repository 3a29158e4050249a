#include "app/server/openai_requests.h"

#include "app/server/content_parts.h"
#include "app/server/history.h"
#include "app/server/prompt_size.h"
#include "app/server/sampling_json.h"
#include "app/server/thinking_json.h"
#include "app/server/tolerance.h"
#include "app/server/tool_choice_json.h"
#include "app/server/tools_json.h"
#include "engine/core/quote.h"

#include <algorithm>

namespace fireside::server {
namespace {

constexpr std::int64_t kMostChoices = 16, kMostLikeliest = 20;

ToolCall callOf(const json &entry, const std::string &where)
{
    Parameters one(entry, where);
    if (const json *custom = readsStrictly() ? nullptr : one.find("custom")) {
        Parameters tool(*custom, where + ".custom");
        return {.name = tool.text("name").value_or(""),
                .arguments = argumentsOfText(tool.text("input").value_or("")),
                .id = one.text("id").value_or("")};
    }
    one.onlyAs("type", {"function"});
    Parameters function(one.require("function"), where + ".function");
    ToolCall call{.name = function.text("name").value_or(""),
                  .arguments = argumentsOf(function, "arguments"),
                  .id = one.text("id").value_or("")};
    if (call.name.empty())
        function.refuse("name", "given");
    function.finish();
    one.ignore("index"); // of clients that join the pieces of a stream
    one.finish();
    return call;
}

void readAssistant(Parameters &one, const std::string &where, ChatMessage &message)
{
    message.reasoning = one.text("reasoning_content").value_or("");
    if (const auto reasoning = one.text("reasoning"); reasoning && message.reasoning.empty())
        message.reasoning = *reasoning;
    if (!readsStrictly() && message.reasoning.empty())
        for (const char *name : {"thinking", "reasoning_text"})
            if (const json *value = one.find(name); value && value->is_string())
                message.reasoning = value->get<std::string>();
    one.onlyAs("refusal", {});
    one.onlyAs("audio", {});
    one.onlyAs("function_call", {});
    one.ignore("annotations");
    const json *const calls = one.find("tool_calls");
    if (calls == nullptr)
        return;
    if (!calls->is_array())
        one.refuse("tool_calls", "a list");
    for (std::size_t i = 0; i < calls->size(); ++i)
        message.calls.push_back(
            callOf((*calls)[i], where + ".tool_calls[" + std::to_string(i) + "]"));
}

/// The tool's name is that of the call with the same id.
void readResult(Parameters &one, std::span<const ChatMessage> before, ChatMessage &message)
{
    const auto id = one.text("tool_call_id");
    if (!id && readsStrictly())
        one.refuse("tool_call_id", "given: the id of the call that is answered");
    auto result = resultOf(before, id.value_or(""), {message.content, message.parts});
    if (!result)
        one.refuse("tool_call_id", "that of a call in an earlier message");
    message = std::move(*result);
}

ChatMessage messageOf(const json &entry, std::span<const ChatMessage> before,
                      const std::string &where)
{
    Parameters one(entry, where);
    ChatMessage message{one.text("role").value_or(""), {}};
    if (message.role == "developer")
        message.role = "system";
    if (!readsStrictly())
        for (const auto &[other, role] :
             {std::pair("function", "tool"), std::pair("human", "user"),
              std::pair("ai", "assistant"), std::pair("model", "assistant")})
            if (message.role == other)
                message.role = role;
    if (message.role != "system" && message.role != "user" && message.role != "assistant" &&
        message.role != "tool")
        one.refuse("role", "system, developer, user, assistant or tool");
    const json *content = one.find("content");
    if (content == nullptr && message.role != "assistant" && readsStrictly())
        one.refuse("content", "given");
    TextContent text = textContentOf(content ? *content : json(), where + ".content", {"text"});
    message.content = std::move(text.text);
    if (message.role == "system" && !readsStrictly())
        message.content = withoutBillingLines(message.content);
    message.parts = std::move(text.parts);
    if (message.role == "assistant")
        readAssistant(one, where, message);
    if (message.role == "tool")
        readResult(one, before, message);
    for (const char *name : {"name", "prefix", "partial"})
        if (std::string_view(name) == "name" || !readsStrictly())
            one.ignore(name);
    one.finish();
    return message;
}

std::vector<ChatMessage> messagesOf(Parameters &parameters)
{
    const json &list = parameters.require("messages");
    if (!list.is_array() || list.empty())
        parameters.refuse("messages", "a list that is not empty");
    parameters.limitCount("messages", list.size(), kMaxMessages);
    std::vector<ChatMessage> messages;
    for (std::size_t i = 0; i < list.size(); ++i)
        messages.push_back(messageOf(list[i], messages, "messages[" + std::to_string(i) + "]"));
    return messages;
}

/// What both kinds have in common, without prompts.
GenerateRequest drawingOf(Parameters &p, const ServedModel &served)
{
    GenerateRequest request = samplingOf(p, served);
    if (readsStrictly())
        readMaxTokens(p, request, {"max_tokens"});
    else
        readMaxTokens(p, request,
                      {"max_completion_tokens", "max_tokens", "max_output_tokens", "n_predict",
                       "max_new_tokens", "num_predict"});
    if (p.find("stop") != nullptr)
        request.stopStrings = stopsOf(p, "stop");
    return request;
}

/// Whether a stream tells the usage at its end.
bool readStreaming(Parameters &p, bool &stream)
{
    stream = p.boolean("stream").value_or(false);
    const json *const value = p.find("stream_options");
    if (value == nullptr)
        return false;
    Parameters options(*value, "stream_options");
    if (!stream && readsStrictly())
        p.refuse("stream_options", "left out where nothing is streamed");
    if (!stream)
        noteIgnored("stream_options");
    const bool usage = options.boolean("include_usage").value_or(false);
    options.onlyAs("include_obfuscation", {false});
    options.finish();
    return usage;
}

ThinkingChoice thinkingOf(Parameters &p, const ServedModel &served)
{
    ThinkingChoice choice = toThinking(served.sampling);
    if (const auto effort = p.text("reasoning_effort")) {
        if (*effort == "none")
            choice.thinking = Thinking::Off;
        else if (*effort == "low" || *effort == "medium" || *effort == "high")
            choice.effort = *effort;
        else
            p.refuse("reasoning_effort", "none, low, medium or high");
    }
    if (const json *value = p.find("chat_template_kwargs")) {
        Parameters variables(*value, "chat_template_kwargs");
        if (const auto on = variables.boolean("enable_thinking"))
            choice.thinking = *on ? Thinking::On : Thinking::Off;
        variables.finish();
    }
    return choice;
}

AskedTool chatToolOf(Parameters &members)
{
    members.onlyAs("type", {"function"});
    Parameters function(members.require("function"), members.full("function"));
    AskedTool tool = toolOf(function, "parameters");
    function.finish();
    return tool;
}

ToolChoice chatChoiceOf(Parameters &p)
{
    ToolChoice choice;
    choice.parallel = p.boolean("parallel_tool_calls").value_or(true);
    const json *const value = p.find("tool_choice");
    if (value == nullptr || *value == "auto")
        return choice;
    choice.kind = ToolChoice::Kind::Required;
    if (*value == "none")
        choice.kind = ToolChoice::Kind::None;
    if (*value == "none" || *value == "required")
        return choice;
    if (!value->is_object())
        p.refuse("tool_choice", "auto, none, required or {\"type\": \"function\", …}");
    Parameters named(*value, "tool_choice");
    named.onlyAs("type", {"function"});
    Parameters function(named.require("function"), "tool_choice.function");
    choice.name = function.text("name").value_or("");
    if (choice.name.empty())
        function.refuse("name", "given");
    function.finish();
    named.finish();
    return choice;
}

/// What the API has and this server does not, and what says nothing about the reply.
void readTheRest(Parameters &p)
{
    p.requireAs("functions", {json::array()}); // before there were tools
    p.onlyAs("function_call", {"none", "auto"});
    p.onlyAs("modalities", {json::array({"text"})});
    p.onlyAs("store", {false});
    p.onlyAs("service_tier", {"auto", "default"});
    for (const char *name : {"metadata", "safety_identifier", "prompt_cache_key", "verbosity"})
        p.ignore(name);
}

std::vector<TokenId> idsOf(const json &list, const ServedModel &served)
{
    std::vector<TokenId> ids;
    for (const json &id : list) {
        if (!id.is_number_integer() || id < 0 ||
            id >= static_cast<std::int64_t>(served.model.model().config().vocabulary))
            throw ApiError(400, "prompt: a token id is outside the vocabulary", "prompt");
        ids.push_back(id.get<TokenId>());
    }
    return ids;
}

std::vector<std::vector<TokenId>> promptsOf(Parameters &p, const ServedModel &served)
{
    const json &value = p.require("prompt");
    const auto encoded = [&](const json &text) {
        std::string prompt = text.get<std::string>();
        checkPromptBytes(prompt.size(), static_cast<std::size_t>(served.model.context()),
                         served.model.tokenizer(), "prompt");
        return served.model.tokenizer().encode(MarkedText::trusted(std::move(prompt)), true);
    };
    if (value.is_string())
        return {encoded(value)};
    if (value.is_array() && !value.empty() && value.front().is_number())
        return {idsOf(value, served)};
    if (!value.is_array() || value.empty() || value.size() > static_cast<std::size_t>(kMostChoices))
        p.refuse("prompt", "a string, token ids, or a list of up to " +
                               std::to_string(kMostChoices) + " of these");
    std::vector<std::vector<TokenId>> prompts;
    for (const json &one : value) {
        if (!one.is_string() && !one.is_array())
            p.refuse("prompt", "made of strings or lists of token ids");
        prompts.push_back(one.is_string() ? encoded(one) : idsOf(one, served));
    }
    return prompts;
}

} // namespace

void requireModel(Parameters &parameters, const ServedModel &served)
{
    if (!readsStrictly())
        return parameters.ignore("model"); // the server has found the model
    if (!parameters.require("model").is_string())
        parameters.refuse("model", "a string");
    const std::string asked = parameters.text("model").value();
    if (asked != served.id)
        throw ApiError(404,
                       "the model " + fireside::quoted(asked) + " is not served here, but " +
                           fireside::quoted(served.id) + " is",
                       "model", "model_not_found");
}

OpenAiRequest readChat(const json &body, const ServedModel &served)
{
    Parameters p(body);
    requireModel(p, served);
    ChatRequest chat;
    chat.sampling = drawingOf(p, served);
    if (readsStrictly())
        readMaxTokens(p, chat.sampling, {"max_completion_tokens"});
    const bool usage = readStreaming(p, chat.stream);
    chat.user = p.text("user").value_or("");
    const bool likely = p.boolean("logprobs").value_or(false);
    const auto likeliest = p.integer("top_logprobs", 0, kMostLikeliest);
    if (likeliest.value_or(0) > 0 && !likely && !readsStrictly())
        noteIgnored("top_logprobs");
    else if (likeliest && !likely && readsStrictly())
        p.refuse("top_logprobs", "left out without logprobs");
    if (likely)
        chat.probabilities = static_cast<int>(likeliest.value_or(0));
    chat.choices = static_cast<int>(p.integer("n", 1, kMostChoices).value_or(1));
    chat.form = readForm(p);
    if (readsStrictly()) {
        chat.thinking = thinkingOf(p, served);
        chat.tools = toolsOf(p, chatToolOf);
        chat.choice = chatChoiceOf(p);
    } else {
        readThinkingTolerantly(p, chat, served);
        chat.tools = readToolsTolerantly(p);
        chat.choice = readChoiceTolerantly(p);
    }
    readTheRest(p);
    chat.messages = messagesOf(p);
    p.finish();
    return {repliesTo(std::move(chat), served), usage};
}

OpenAiRequest readCompletion(const json &body, const ServedModel &served)
{
    Parameters p(body);
    requireModel(p, served);
    AskedReplies asked;
    GenerateRequest request = drawingOf(p, served);
    const bool usage = readStreaming(p, asked.stream);
    asked.user = p.text("user").value_or("");
    asked.probabilities = static_cast<int>(p.integer("logprobs", 0, kMostLikeliest).value_or(-1));
    const std::int64_t n = p.integer("n", 1, kMostChoices).value_or(1);
    p.requireAs("echo", {false});
    p.requireAs("suffix", {""});
    p.onlyAs("best_of", {1, n});
    const AnswerForm form = readForm(p);
    for (std::vector<TokenId> &prompt : promptsOf(p, served)) {
        asked.requests.push_back(request);
        asked.requests.back().prompt = std::move(prompt);
    }
    p.finish();
    for (GenerateRequest &one : asked.requests)
        one.grammar = served.grammars.of(form);
    repeat(asked, n);
    if (asked.requests.size() > static_cast<std::size_t>(kMostChoices))
        p.refuse("n", "such that there are " + std::to_string(kMostChoices) + " choices at most");
    return {std::move(asked), usage};
}

} // namespace fireside::server
