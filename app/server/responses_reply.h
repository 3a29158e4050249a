#pragma once
#include "app/server/reply_writer.h"
#include "app/server/responses_requests.h"

namespace fireside::server {

/// The response of OpenAI's /v1/responses.
class ResponsesReply final : public ReplyWriter
{
public:
    /// kept: where the chat goes if it is to be stored.
    ResponsesReply(std::string model, ResponsesRequest asked, KeptResponses &kept);

    std::string begin() override;
    std::string end() override;
    std::string failed(int status, const std::string &text) override;
    json whole() override;

private:
    struct Item
    {
        Block block;
        std::string id;
        json logprobs = json::array(); // of words, where they were asked for
        json described(const char *status) const;
        json part() const; // its content, of words and thoughts
    };
    std::string written(const ReplyEvent &one) override;
    std::string event(const std::string &type, const json &members);
    /// An event of the item that is being written.
    std::string itemEvent(const std::string &type, json members);
    std::string open(const ReplyPiece &piece);
    std::string close();
    std::string taken(const ReplyPiece &piece, json logprobs);
    bool isIncomplete() const;
    json response(const char *status) const;
    void keep(const json &response);

    const std::string m_model;
    const ResponsesRequest m_asked;
    KeptResponses &m_kept;
    const std::string m_id;
    const std::int64_t m_created;
    std::vector<Item> m_items;
    bool m_open = false; // the last of them is being written
    int m_sequence = 0;  // of events
};

} // namespace fireside::server
