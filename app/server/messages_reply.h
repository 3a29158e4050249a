#pragma once
#include "app/server/reply_writer.h"

namespace fireside::server {

/// An error as Anthropic's interface tells it.
json messagesError(int status, const std::string &text);

/// Anthropic's message.
class MessagesReply final : public ReplyWriter
{
public:
    MessagesReply(std::string model, const GenerateRequest &request);

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

    const std::string m_model;
    const std::string m_id;
    const int m_promptTokens;
    std::string m_stop;                       // the stop sequence that ended it
    std::optional<ReplyPiece::Kind> m_open{}; // the kind of the block that is being written
    int m_block = -1;                         // its index
};

} // namespace fireside::server
