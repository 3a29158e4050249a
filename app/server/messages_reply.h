#pragma once
#include "app/server/chat_request.h"
#include "app/server/reply_writer.h"

namespace fireside::server {

/// An error as Anthropic's interface tells it.
json messagesError(int status, const std::string &text);

/// Anthropic's message.
class MessagesReply final : public ReplyWriter
{
public:
    MessagesReply(const ServedModel &served, const GenerateRequest &request);

    std::string begin() override;
    std::string end() override;
    std::string failed(int status, const std::string &text) override;
    std::string breath() const override;
    json whole() override;

private:
    std::string written(const ReplyEvent &event) override;
    std::string piece(const ReplyPiece &piece);
    std::string open(const ReplyPiece &piece);
    std::string close();
    json head() const;
    json usage() const;
    std::pair<json, json> stop() const; // reason and sequence

    const ServedModel &m_served;
    const std::string m_id;
    const int m_promptTokens;
    const std::vector<std::string> m_stops;
    std::vector<TokenId> m_tokens;            // of the reply, once it has ended
    std::optional<ReplyPiece::Kind> m_open{}; // the kind of the block that is being written
    int m_block = -1;                         // its index
};

} // namespace fireside::server
