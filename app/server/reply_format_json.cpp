#include "app/server/reply_format_json.h"

#include <chrono>
#include <random>

namespace fireside::server {
namespace {

using nlohmann::json;

std::string newId(const char *prefix)
{
    constexpr char kDigits[] = "0123456789abcdef";
    std::random_device device;
    std::string id = prefix;
    for (int i = 0; i < 24; ++i)
        id += kDigits[device() % 16];
    return id;
}

const char *finishWord(FinishReason reason)
{
    switch (reason) {
    case FinishReason::MaxTokens:
    case FinishReason::ContextFull:
        return "length";
    case FinishReason::EndOfText:
    case FinishReason::StopString:
    case FinishReason::Stopped:
        break;
    }
    return "stop";
}

} // namespace

ReplyJson::ReplyJson(Kind kind, const ServedModel &served, std::size_t choices, bool includeUsage)
    : m_kind(kind)
    , m_served(served)
    , m_includeUsage(includeUsage)
    , m_id(newId(kind == Kind::Chat ? "chatcmpl-" : "cmpl-"))
    , m_created(std::chrono::duration_cast<std::chrono::seconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count())
    , m_choices(choices)
{}

json ReplyJson::head(bool chunk) const
{
    const char *object = m_kind == Kind::Completion ? "text_completion"
                         : chunk                    ? "chat.completion.chunk"
                                                    : "chat.completion";
    return {{"id", m_id}, {"object", object}, {"created", m_created}, {"model", m_served.id}};
}

json ReplyJson::usage() const
{
    return {{"prompt_tokens", m_promptTokens},
            {"completion_tokens", m_generatedTokens},
            {"total_tokens", m_promptTokens + m_generatedTokens},
            {"prompt_tokens_details", {{"cached_tokens", m_cachedTokens}}}};
}

json ReplyJson::described(const TokenProbabilities::One &one) const
{
    const std::string bytes = m_served.model.tokenizer().bytes(one.token, true);
    json numbers = json::array();
    for (const char c : bytes)
        numbers.push_back(static_cast<unsigned char>(c));
    return {{"token", bytes}, {"logprob", one.logProbability}, {"bytes", numbers}};
}

/// A chat's form is kept; completions have an older one.
json ReplyJson::logprobs(const json &tokens) const
{
    if (tokens.empty())
        return nullptr;
    if (m_kind == Kind::Chat)
        return {{"content", tokens}, {"refusal", nullptr}};
    json all{{"tokens", json::array()},
             {"token_logprobs", json::array()},
             {"top_logprobs", json::array()}};
    for (const json &token : tokens) {
        all["tokens"].push_back(token["token"]);
        all["token_logprobs"].push_back(token["logprob"]);
        json best = json::object();
        for (const json &one : token["top_logprobs"])
            best[one["token"].get<std::string>()] = one["logprob"];
        all["top_logprobs"].push_back(std::move(best));
    }
    return all;
}

json ReplyJson::chunk(std::size_t index, const json &delta, const json &tokens,
                      const std::string &finish) const
{
    json choice{{"index", index},
                {"logprobs", logprobs(tokens)},
                {"finish_reason", finish.empty() ? json(nullptr) : json(finish)}};
    if (m_kind == Kind::Chat)
        choice["delta"] = delta;
    else
        choice["text"] = delta.value("content", "");
    json all = head(true);
    all["choices"] = json::array({choice});
    if (m_includeUsage)
        all["usage"] = nullptr;
    return all;
}

std::vector<std::string> ReplyJson::chunks(const ReplyEvent &event)
{
    Choice &choice = m_choices.at(event.choice);
    std::vector<std::string> all;
    if (!std::exchange(choice.begun, true) && m_kind == Kind::Chat)
        all.push_back(dumped(
            chunk(event.choice, {{"role", "assistant"}, {"content", ""}}, json::array(), "")));
    if (event.allBeforeWasReasoning)
        choice.reasoning += std::exchange(choice.text, {});
    choice.text += event.text;
    choice.reasoning += event.reasoning;
    json tokens = json::array();
    for (const TokenProbabilities &one : event.probabilities) {
        json token = described(one.drawn);
        token["top_logprobs"] = json::array();
        for (const TokenProbabilities::One &likely : one.best)
            token["top_logprobs"].push_back(described(likely));
        tokens.push_back(token);
        choice.tokens.push_back(std::move(token));
    }
    json delta = json::object();
    if (!event.reasoning.empty())
        delta["reasoning_content"] = event.reasoning;
    if (!event.text.empty())
        delta["content"] = event.text;
    if (!delta.empty() || !tokens.empty())
        all.push_back(dumped(chunk(event.choice, delta, tokens, "")));
    if (event.finished) {
        const GenerateStats &stats = event.finished->stats;
        choice.finish = finishWord(event.finished->finish);
        m_promptTokens += stats.promptTokens;
        m_cachedTokens += stats.reusedTokens;
        m_generatedTokens += stats.generatedTokens;
        all.push_back(dumped(chunk(event.choice, json::object(), json::array(), choice.finish)));
    }
    return all;
}

std::vector<std::string> ReplyJson::lastChunks() const
{
    if (!m_includeUsage)
        return {};
    json all = head(true);
    all["choices"] = json::array();
    all["usage"] = usage();
    return {dumped(all)};
}

std::string ReplyJson::whole() const
{
    json all = head(false);
    all["choices"] = json::array();
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        const Choice &one = m_choices[i];
        json choice{
            {"index", i}, {"logprobs", logprobs(one.tokens)}, {"finish_reason", one.finish}};
        if (m_kind == Kind::Completion) {
            choice["text"] = one.text;
        } else {
            choice["message"] = {
                {"role", "assistant"}, {"content", one.text}, {"refusal", nullptr}};
            if (!one.reasoning.empty())
                choice["message"]["reasoning_content"] = one.reasoning;
        }
        all["choices"].push_back(std::move(choice));
    }
    all["usage"] = usage();
    return dumped(all);
}

} // namespace fireside::server
