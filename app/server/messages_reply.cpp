#include "app/server/messages_reply.h"

#include "app/server/random_id.h"

namespace fireside::server {
namespace {

using Piece = ReplyPiece::Kind;

} // namespace

json messagesError(int status, const std::string &text)
{
    const char *type = status == 401   ? "authentication_error"
                       : status == 403 ? "permission_error"
                       : status == 404 ? "not_found_error"
                       : status == 413 ? "request_too_large"
                       : status == 429 ? "rate_limit_error"
                       : status == 503 ? "overloaded_error"
                       : status >= 500 ? "api_error"
                                       : "invalid_request_error";
    return {{"type", "error"}, {"error", {{"type", type}, {"message", text}}}};
}

MessagesReply::MessagesReply(std::string model, const GenerateRequest &request)
    : ReplyWriter(1)
    , m_model(std::move(model))
    , m_id(randomId("msg_"))
    , m_promptTokens(static_cast<int>(request.prompt.size()))
{}

/// What was taken over counts by itself.
json MessagesReply::usage() const
{
    return {{"input_tokens", m_promptTokens - m_usage.cached},
            {"cache_creation_input_tokens", 0},
            {"cache_read_input_tokens", m_usage.cached},
            {"output_tokens", m_usage.generated}};
}

json MessagesReply::head() const
{
    return {{"id", m_id},
            {"type", "message"},
            {"role", "assistant"},
            {"model", m_model},
            {"content", json::array()},
            {"stop_reason", nullptr},
            {"stop_sequence", nullptr},
            {"usage", usage()}};
}

std::pair<json, json> MessagesReply::stop() const
{
    const Choice &choice = m_choices.front();
    switch (choice.finish.value_or(FinishReason::Stopped)) {
    case FinishReason::MaxTokens:
        return {"max_tokens", nullptr};
    case FinishReason::ContextFull:
        return {"model_context_window_exceeded", nullptr};
    case FinishReason::StopString:
        return {"stop_sequence", m_stop};
    case FinishReason::EndOfText:
    case FinishReason::Stopped:
        break;
    }
    return {choice.calls() ? "tool_use" : "end_turn", nullptr};
}

std::string MessagesReply::begin()
{
    return eventText({{"type", "message_start"}, {"message", head()}}, "message_start") + breath();
}

std::string MessagesReply::breath() const
{
    return eventText({{"type", "ping"}}, "ping");
}

std::string MessagesReply::close()
{
    if (!m_open)
        return {};
    std::string text;
    if (std::exchange(m_open, {}) == Piece::Reasoning)
        text = eventText({{"type", "content_block_delta"},
                          {"index", m_block},
                          {"delta", {{"type", "signature_delta"}, {"signature", ""}}}},
                         "content_block_delta");
    return text +
           eventText({{"type", "content_block_stop"}, {"index", m_block}}, "content_block_stop");
}

std::string MessagesReply::open(const ReplyPiece &piece)
{
    std::string text = close();
    m_open = piece.kind;
    json block;
    if (piece.kind == Piece::Reasoning)
        block = {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}};
    else if (piece.kind == Piece::Call)
        block = {{"type", "tool_use"},
                 {"id", piece.id},
                 {"name", piece.text},
                 {"input", json::object()}};
    else
        block = {{"type", "text"}, {"text", ""}};
    return text + eventText({{"type", "content_block_start"},
                             {"index", ++m_block},
                             {"content_block", std::move(block)}},
                            "content_block_start");
}

std::string MessagesReply::piece(const ReplyPiece &piece)
{
    std::string text;
    if (piece.kind == Piece::Call)
        return open(piece);
    if (piece.kind != Piece::Arguments && m_open != piece.kind)
        text = open(piece);
    json delta;
    if (piece.kind == Piece::Reasoning)
        delta = {{"type", "thinking_delta"}, {"thinking", piece.text}};
    else if (piece.kind == Piece::Arguments)
        delta = {{"type", "input_json_delta"}, {"partial_json", piece.text}};
    else
        delta = {{"type", "text_delta"}, {"text", piece.text}};
    return text +
           eventText(
               {{"type", "content_block_delta"}, {"index", m_block}, {"delta", std::move(delta)}},
               "content_block_delta");
}

std::string MessagesReply::written(const ReplyEvent &event)
{
    std::string text;
    for (const ReplyPiece &one : event.pieces)
        text += piece(one);
    if (event.finished)
        m_stop = event.finished->stopString;
    return text;
}

std::string MessagesReply::end()
{
    const auto [reason, sequence] = stop();
    return close() +
           eventText({{"type", "message_delta"},
                      {"delta", {{"stop_reason", reason}, {"stop_sequence", sequence}}},
                      {"usage", usage()}},
                     "message_delta") +
           eventText({{"type", "message_stop"}}, "message_stop");
}

std::string MessagesReply::failed(int status, const std::string &text)
{
    return eventText(messagesError(status, text), "error");
}

json MessagesReply::whole()
{
    json all = head();
    for (const Block &block : m_choices.front().blocks) {
        if (block.kind == Piece::Reasoning) {
            all["content"].push_back(
                {{"type", "thinking"}, {"thinking", block.text}, {"signature", ""}});
        } else if (block.kind == Piece::Text) {
            all["content"].push_back({{"type", "text"}, {"text", block.text}});
        } else {
            json input = json::parse(block.arguments, nullptr, false);
            if (!input.is_object()) // it was cut off
                input = json::object();
            all["content"].push_back({{"type", "tool_use"},
                                      {"id", block.id},
                                      {"name", block.text},
                                      {"input", std::move(input)}});
        }
    }
    const auto [reason, sequence] = stop();
    all["stop_reason"] = reason;
    all["stop_sequence"] = sequence;
    return all;
}

} // namespace fireside::server
