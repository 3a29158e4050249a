#pragma once
#include "app/server/reply_request.h"
#include "app/server/running_replies.h"

#include <string>
#include <vector>

namespace fireside::server {

/// Replies as OpenAI's JSON: whole, or as chunks while they come.
class ReplyJson
{
public:
    enum class Kind { Chat, Completion };
    ReplyJson(Kind kind, const ServedModel &served, std::size_t choices, bool includeUsage);

    /// Takes an event; the chunks to send for it, each one JSON object.
    std::vector<std::string> chunks(const ReplyEvent &event);
    /// Behind the last reply: the usage, where it was asked for.
    std::vector<std::string> lastChunks() const;
    /// Everything that was taken, as one object.
    std::string whole() const;

private:
    struct Choice
    {
        std::string text{}, reasoning{}, finish{};
        nlohmann::json tokens = nlohmann::json::array(); // their probabilities, as a chat's
        bool begun = false;
    };
    nlohmann::json head(bool chunk) const;
    nlohmann::json usage() const;
    nlohmann::json described(const TokenProbabilities::One &one) const;
    nlohmann::json logprobs(const nlohmann::json &tokens) const;
    nlohmann::json chunk(std::size_t index, const nlohmann::json &delta,
                         const nlohmann::json &tokens, const std::string &finish) const;

    const Kind m_kind;
    const ServedModel &m_served;
    const bool m_includeUsage;
    const std::string m_id;
    const std::int64_t m_created;
    std::vector<Choice> m_choices;
    int m_promptTokens = 0, m_cachedTokens = 0, m_generatedTokens = 0;
};

} // namespace fireside::server
