#pragma once
#include "app/server/reply_writer.h"

namespace fireside::server {

/// OpenAI's chat.completion and text_completion.
class OpenAiReply final : public ReplyWriter
{
public:
    enum class Kind { Chat, Completion };
    /// includeUsage: a stream tells it at its end.
    OpenAiReply(Kind kind, std::string model, std::size_t choices, bool includeUsage);

    std::string end() override;
    std::string failed(int status, const std::string &text) override;
    json whole() override;

private:
    /// The words before and behind calls become one text, with a line break between.
    struct Content
    {
        std::string next(ReplyPiece::Kind kind, const std::string &text);
        bool anyText = false, afterCall = false;
    };
    std::string written(const ReplyEvent &event) override;
    json head(bool chunk) const;
    json usage() const;
    json logprobs(const std::vector<DrawnToken> &tokens) const;
    std::string chunk(std::size_t index, const json &delta, const std::vector<DrawnToken> &tokens,
                      const json &finish) const;
    json message(const Choice &choice) const;

    const Kind m_kind;
    const std::string m_model;
    const bool m_includeUsage;
    const std::string m_id;
    const std::int64_t m_created;
    std::vector<Content> m_streamed; // of each choice
};

} // namespace fireside::server
