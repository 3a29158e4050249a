#include "app/server/reply_request.h"

#include "engine/core/quote.h"

#include <limits>

namespace fireside::server {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostChoices = 16, kMostStops = 16, kMostLikeliest = 20;
constexpr std::int64_t kMostTokens = 10'000'000;

/// "text", or a list of {"type": "text", "text": …}.
std::string contentOf(const json &content, const std::string &where)
{
    if (content.is_null())
        return {};
    if (content.is_string())
        return content.get<std::string>();
    if (!content.is_array())
        throw ApiError(400, where + " must be a string or a list of parts", where);
    std::string text;
    for (const json &entry : content) {
        Parameters part(entry, where);
        const std::string type = part.text("type").value_or("");
        if (type != "text")
            throw ApiError(400,
                           where + ": parts of the type " + fireside::quoted(type) +
                               " are not supported, only text",
                           where, "unsupported_content");
        text += part.text("text").value_or("");
        part.finish();
    }
    return text;
}

ChatMessage messageOf(const json &entry, const std::string &where)
{
    Parameters one(entry, where);
    ChatMessage message{one.text("role").value_or(""), {}};
    if (message.role == "developer")
        message.role = "system";
    if (message.role != "system" && message.role != "user" && message.role != "assistant")
        one.refuse("role", "system, developer, user or assistant");
    const json *content = one.find("content");
    if (content == nullptr && message.role != "assistant")
        one.refuse("content", "given");
    message.content = contentOf(content ? *content : json(), where + ".content");
    if (message.role == "assistant") {
        message.reasoning = one.text("reasoning_content").value_or("");
        one.onlyAs("tool_calls", {json::array()});
        one.onlyAs("refusal", {});
    }
    one.ignore("name");
    one.finish();
    return message;
}

std::vector<ChatMessage> messagesOf(Parameters &parameters)
{
    const json &list = parameters.require("messages");
    if (!list.is_array() || list.empty())
        parameters.refuse("messages", "a list that is not empty");
    std::vector<ChatMessage> messages;
    for (std::size_t i = 0; i < list.size(); ++i)
        messages.push_back(messageOf(list[i], "messages[" + std::to_string(i) + "]"));
    return messages;
}

std::vector<std::string> stopsOf(Parameters &parameters)
{
    const json *value = parameters.find("stop");
    if (value == nullptr)
        return {};
    const json list = value->is_string() ? json::array({*value}) : *value;
    if (!list.is_array() || list.size() > static_cast<std::size_t>(kMostStops))
        parameters.refuse("stop", "a string or a list of up to " + std::to_string(kMostStops));
    std::vector<std::string> stops;
    for (const json &entry : list) {
        if (!entry.is_string() || entry.get_ref<const std::string &>().empty())
            parameters.refuse("stop", "made of strings that are not empty");
        stops.push_back(entry.get<std::string>());
    }
    return stops;
}

/// What both kinds have in common, without prompts.
GenerateRequest samplingOf(Parameters &p, const ServedModel &served)
{
    GenerateRequest request = toRequest(served.sampling, seedOf(served.sampling));
    SamplerSettings &s = request.sampler;
    const auto set = [&](float &to, const char *name, double low, double high) {
        if (const auto value = p.number(name, low, high))
            to = static_cast<float>(*value);
    };
    set(s.temperature, "temperature", 0, 100);
    set(s.topP, "top_p", 0, 1);
    set(s.minP, "min_p", 0, 1);
    set(s.repeatPenalty, "repetition_penalty", 0.01, 100);
    s.topK = static_cast<int>(p.integer("top_k", 0, 1 << 30).value_or(s.topK));
    if (const auto seed = p.integer("seed", std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()))
        s.seed = static_cast<std::uint64_t>(*seed);
    if (const auto most = p.integer("max_tokens", 1, kMostTokens))
        request.maxTokens = static_cast<int>(*most);
    if (p.find("stop") != nullptr)
        request.stopStrings = stopsOf(p);
    // Their usual values ask for nothing.
    p.onlyAs("frequency_penalty", {0});
    p.onlyAs("presence_penalty", {0});
    p.onlyAs("logit_bias", {json::object()});
    return request;
}

/// n choices of each prompt, each with a seed of its own.
void repeat(AskedReplies &asked, std::int64_t n)
{
    std::vector<GenerateRequest> all;
    for (const GenerateRequest &request : asked.requests)
        for (std::int64_t i = 0; i < n; ++i) {
            all.push_back(request);
            all.back().sampler.seed += static_cast<std::uint64_t>(i);
        }
    asked.requests = std::move(all);
}

void readStreaming(Parameters &p, AskedReplies &asked)
{
    asked.stream = p.boolean("stream").value_or(false);
    if (const json *value = p.find("stream_options")) {
        Parameters options(*value, "stream_options");
        if (!asked.stream)
            p.refuse("stream_options", "left out where nothing is streamed");
        asked.includeUsage = options.boolean("include_usage").value_or(false);
        options.onlyAs("include_obfuscation", {false});
        options.finish();
    }
    asked.user = p.text("user").value_or("");
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

/// What the API has and this server does not, and what says nothing about the reply.
void readTheRest(Parameters &p)
{
    for (const char *name : {"tools", "functions"})
        if (const json *tools = p.find(name); tools && *tools != json::array())
            throw ApiError(400, std::string(name) + ": this server cannot call tools yet", name,
                           "unsupported_parameter");
    p.onlyAs("tool_choice", {"none", "auto"});
    p.onlyAs("function_call", {"none", "auto"});
    p.onlyAs("parallel_tool_calls", {true, false});
    if (const json *format = p.find("response_format"); format && *format != json{{"type", "text"}})
        throw ApiError(400, "response_format: only {\"type\": \"text\"} is supported",
                       "response_format", "unsupported_parameter");
    p.onlyAs("modalities", {json::array({"text"})});
    p.onlyAs("store", {false});
    p.onlyAs("service_tier", {"auto", "default"});
    p.ignore("metadata");
    p.ignore("safety_identifier");
    p.ignore("prompt_cache_key");
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
        return served.model.tokenizer().encode(MarkedText::trusted(text.get<std::string>()), true);
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
    if (!parameters.require("model").is_string())
        parameters.refuse("model", "a string");
    const std::string asked = parameters.text("model").value();
    if (asked != served.id)
        throw ApiError(404,
                       "the model " + fireside::quoted(asked) + " is not served here, but " +
                           fireside::quoted(served.id) + " is",
                       "model", "model_not_found");
}

AskedReplies readChat(const json &body, const ServedModel &served)
{
    Parameters p(body);
    requireModel(p, served);
    AskedReplies asked;
    GenerateRequest request = samplingOf(p, served);
    if (const auto most = p.integer("max_completion_tokens", 1, kMostTokens))
        request.maxTokens = static_cast<int>(*most);
    readStreaming(p, asked);
    const bool likely = p.boolean("logprobs").value_or(false);
    const auto likeliest = p.integer("top_logprobs", 0, kMostLikeliest);
    if (likeliest && !likely)
        p.refuse("top_logprobs", "left out without logprobs");
    if (likely)
        asked.probabilities = static_cast<int>(likeliest.value_or(0));
    const std::int64_t n = p.integer("n", 1, kMostChoices).value_or(1);
    const ThinkingChoice choice = thinkingOf(p, served);
    readTheRest(p);
    std::vector<ChatMessage> messages = messagesOf(p);
    if (!served.sampling.systemPrompt.empty() && messages.front().role != "system")
        messages.insert(messages.begin(), {"system", served.sampling.systemPrompt});
    p.finish();
    ChatPrompt prompt = served.model.chatPrompt(messages, choice);
    request.prompt = std::move(prompt.tokens);
    request.inReasoning = prompt.inReasoning;
    request.format = served.model.replyFormat();
    asked.requests = {std::move(request)};
    repeat(asked, n);
    return asked;
}

AskedReplies readCompletion(const json &body, const ServedModel &served)
{
    Parameters p(body);
    requireModel(p, served);
    AskedReplies asked;
    GenerateRequest request = samplingOf(p, served);
    readStreaming(p, asked);
    asked.probabilities = static_cast<int>(p.integer("logprobs", 0, kMostLikeliest).value_or(-1));
    const std::int64_t n = p.integer("n", 1, kMostChoices).value_or(1);
    p.onlyAs("echo", {false});
    p.onlyAs("suffix", {""});
    p.onlyAs("best_of", {1, n});
    for (std::vector<TokenId> &prompt : promptsOf(p, served)) {
        asked.requests.push_back(request);
        asked.requests.back().prompt = std::move(prompt);
    }
    p.finish();
    repeat(asked, n);
    if (asked.requests.size() > static_cast<std::size_t>(kMostChoices))
        p.refuse("n", "such that there are " + std::to_string(kMostChoices) + " choices at most");
    return asked;
}

} // namespace fireside::server
