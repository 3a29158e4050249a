#include "app/server/responses_reply.h"

#include "app/server/random_id.h"

#include <chrono>
#include <cstdint>

namespace fireside::server {
namespace {

using Piece = ReplyPiece::Kind;

std::int64_t secondsNow()
{
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

} // namespace

ResponsesReply::ResponsesReply(std::string model, ResponsesRequest asked, KeptResponses &kept)
    : ReplyWriter(1)
    , m_model(std::move(model))
    , m_asked(std::move(asked))
    , m_kept(kept)
    , m_id(randomId("resp_"))
    , m_created(secondsNow())
{}

json ResponsesReply::Item::part() const
{
    if (block.kind == Piece::Reasoning)
        return {{"type", "reasoning_text"}, {"text", block.text}};
    return {{"type", "output_text"},
            {"text", block.text},
            {"annotations", json::array()},
            {"logprobs", logprobs}};
}

json ResponsesReply::Item::described(const char *status) const
{
    if (block.kind == Piece::Call) {
        json call{
            {"id", id},           {"type", block.takesText ? "custom_tool_call" : "function_call"},
            {"status", status},   {"call_id", block.id},
            {"name", block.text}, {block.takesText ? "input" : "arguments", block.arguments}};
        if (!block.space.empty())
            call["namespace"] = block.space;
        return call;
    }
    const json content = block.text.empty() ? json::array() : json::array({part()});
    if (block.kind == Piece::Reasoning)
        return {{"id", id},
                {"type", "reasoning"},
                {"summary", json::array()},
                {"content", content},
                {"status", status}};
    return {{"id", id},
            {"type", "message"},
            {"status", status},
            {"role", "assistant"},
            {"content", content}};
}

bool ResponsesReply::isIncomplete() const
{
    const auto finish = m_choices.front().finish;
    return finish == FinishReason::MaxTokens || finish == FinishReason::ContextFull;
}

json ResponsesReply::response(const char *status) const
{
    json all{{"id", m_id},
             {"object", "response"},
             {"created_at", m_created},
             {"completed_at", nullptr},
             {"status", status},
             {"background", false},
             {"error", nullptr},
             {"incomplete_details", nullptr},
             {"model", m_model},
             {"output", json::array()},
             {"usage", nullptr}};
    for (const auto &[name, value] : m_asked.echo.items())
        all[name] = value;
    if (std::string_view(status) == "in_progress")
        return all;
    for (const Item &item : m_items)
        all["output"].push_back(item.described(
            isIncomplete() && &item == &m_items.back() ? "incomplete" : "completed"));
    if (isIncomplete())
        all["incomplete_details"] = {{"reason", "max_output_tokens"}};
    else
        all["completed_at"] = secondsNow();
    all["usage"] = {{"input_tokens", m_usage.prompt},
                    {"input_tokens_details", {{"cached_tokens", m_usage.cached}}},
                    {"output_tokens", m_usage.generated},
                    {"output_tokens_details", {{"reasoning_tokens", m_usage.reasoned}}},
                    {"total_tokens", m_usage.prompt + m_usage.generated}};
    return all;
}

std::string ResponsesReply::event(const std::string &type, const json &members)
{
    json data{{"type", type}, {"sequence_number", m_sequence++}};
    for (const auto &[name, value] : members.items())
        data[name] = value;
    return eventText(data, type);
}

std::string ResponsesReply::itemEvent(const std::string &type, json members)
{
    const Item &item = m_items.back();
    json all{{"item_id", item.id}, {"output_index", m_items.size() - 1}};
    if (item.block.kind != Piece::Call)
        all["content_index"] = 0;
    for (const auto &[name, value] : members.items())
        all[name] = value;
    return event(type, all);
}

std::string ResponsesReply::begin()
{
    std::string text = event("response.created", {{"response", response("in_progress")}});
    return text += event("response.in_progress", {{"response", response("in_progress")}});
}

std::string ResponsesReply::open(const ReplyPiece &piece)
{
    std::string text = close();
    const char *prefix = piece.takesText                  ? "ctc_"
                         : piece.kind == Piece::Call      ? "fc_"
                         : piece.kind == Piece::Reasoning ? "rs_"
                                                          : "msg_";
    Item item{{.kind = piece.kind}, randomId(prefix)};
    if (piece.kind == Piece::Call) {
        item.block.text = piece.text;
        item.block.id = piece.id;
        item.block.space = piece.space;
        item.block.takesText = piece.takesText;
    }
    m_items.push_back(std::move(item));
    m_open = true;
    text +=
        event("response.output_item.added", {{"output_index", m_items.size() - 1},
                                             {"item", m_items.back().described("in_progress")}});
    if (piece.kind != Piece::Call)
        text += itemEvent("response.content_part.added", {{"part", m_items.back().part()}});
    return text;
}

std::string ResponsesReply::close()
{
    if (!std::exchange(m_open, false))
        return {};
    const Item &item = m_items.back();
    std::string text;
    if (item.block.takesText) {
        text = itemEvent("response.custom_tool_call_input.done", {{"input", item.block.arguments}});
    } else if (item.block.kind == Piece::Call) {
        text = itemEvent("response.function_call_arguments.done",
                         {{"name", item.block.text}, {"arguments", item.block.arguments}});
    } else {
        const bool words = item.block.kind == Piece::Text;
        json done{{"text", item.block.text}};
        if (words)
            done["logprobs"] = item.logprobs;
        text = itemEvent(words ? "response.output_text.done" : "response.reasoning_text.done",
                         std::move(done));
        text += itemEvent("response.content_part.done", {{"part", item.part()}});
    }
    return text + event("response.output_item.done",
                        {{"output_index", m_items.size() - 1},
                         {"item", item.described(isIncomplete() ? "incomplete" : "completed")}});
}

std::string ResponsesReply::taken(const ReplyPiece &piece, json logprobs)
{
    if (piece.kind == Piece::Call)
        return open(piece);
    std::string text;
    if (piece.kind != Piece::Arguments && (!m_open || m_items.back().block.kind != piece.kind))
        text = open(piece);
    Block &block = m_items.back().block;
    if (piece.kind == Piece::Arguments) {
        block.arguments += piece.text;
        return text + itemEvent(block.takesText ? "response.custom_tool_call_input.delta"
                                                : "response.function_call_arguments.delta",
                                {{"delta", piece.text}});
    }
    block.text += piece.text;
    json delta{{"delta", piece.text}};
    if (piece.kind == Piece::Text) {
        for (const json &one : logprobs)
            m_items.back().logprobs.push_back(one);
        delta["logprobs"] = std::move(logprobs);
    }
    return text + itemEvent(piece.kind == Piece::Text ? "response.output_text.delta"
                                                      : "response.reasoning_text.delta",
                            std::move(delta));
}

std::string ResponsesReply::written(const ReplyEvent &one)
{
    // Tokens of an event with thoughts before its words count for the words.
    json logprobs = json::array();
    for (const DrawnToken &token : one.probabilities)
        logprobs.push_back(described(token));
    std::string text;
    for (const ReplyPiece &piece : one.pieces)
        text += taken(piece, piece.kind == Piece::Text ? std::exchange(logprobs, json::array())
                                                       : json::array());
    return text;
}

/// The chat with this answer, for a request that goes on from it.
void ResponsesReply::keep(const json &response)
{
    if (!m_asked.store)
        return;
    ChatMessage answer{"assistant", {}};
    for (const Item &item : m_items) {
        if (item.block.kind == Piece::Call)
            answer.calls.push_back({nameInSpace(item.block.space, item.block.text),
                                    item.block.takesText ? argumentsOfText(item.block.arguments)
                                                         : item.block.arguments,
                                    item.block.id});
        else
            (item.block.kind == Piece::Text ? answer.content : answer.reasoning) += item.block.text;
    }
    std::vector<ChatMessage> messages = m_asked.messages;
    messages.push_back(std::move(answer));
    m_kept.keep(
        {m_id, std::move(messages), dumped(response), dumped(m_asked.input), m_asked.owner});
}

std::string ResponsesReply::end()
{
    const std::string closed = close();
    const char *status = isIncomplete() ? "incomplete" : "completed";
    const json all = response(status);
    keep(all);
    // Open Responses wants the last line; OpenAI's own clients pass over it.
    return closed + event("response." + std::string(status), {{"response", all}}) +
           "data: [DONE]\n\n";
}

std::string ResponsesReply::failed(int status, const std::string &text)
{
    json failure = response("in_progress");
    failure["status"] = "failed";
    failure["error"] = {{"code", status == 503 ? "server_error" : "invalid_prompt"},
                        {"message", text}};
    return event("response.failed", {{"response", failure}});
}

json ResponsesReply::whole()
{
    json all = response(isIncomplete() ? "incomplete" : "completed");
    keep(all);
    return all;
}

} // namespace fireside::server
