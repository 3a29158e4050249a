#include "app/server/openai_reply.h"

#include "app/server/random_id.h"

#include <algorithm>
#include <chrono>

namespace fireside::server {
namespace {

using Piece = ReplyPiece::Kind;

json finishWord(FinishReason reason, bool calls)
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
    return calls ? "tool_calls" : "stop";
}

/// A call of a function, or of a custom tool with its one text.
json callObject(const std::string &id, const std::string &name, const std::string &arguments,
                bool takesText, const json &index = {})
{
    const char *const type = takesText ? "custom" : "function";
    json call = json::object();
    if (!index.is_null())
        call["index"] = index;
    call["id"] = id;
    call["type"] = type;
    call[type] = {{"name", name}, {takesText ? "input" : "arguments", arguments}};
    return call;
}

} // namespace

OpenAiReply::OpenAiReply(Kind kind, std::string model, std::size_t choices, bool includeUsage)
    : ReplyWriter(choices)
    , m_kind(kind)
    , m_model(std::move(model))
    , m_includeUsage(includeUsage)
    , m_id(randomId(kind == Kind::Chat ? "chatcmpl-" : "cmpl-"))
    , m_created(std::chrono::duration_cast<std::chrono::seconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count())
    , m_streamed(choices)
{}

/// What is added to the content.
std::string OpenAiReply::Content::next(ReplyPiece::Kind kind, const std::string &text)
{
    if (kind == Piece::Call)
        afterCall = true;
    if (kind != Piece::Text)
        return {};
    const bool breaks = std::exchange(afterCall, false) && anyText;
    anyText = true;
    return (breaks ? "\n" : "") + text;
}

json OpenAiReply::head(bool chunk) const
{
    const char *object = m_kind == Kind::Completion ? "text_completion"
                         : chunk                    ? "chat.completion.chunk"
                                                    : "chat.completion";
    return {{"id", m_id}, {"object", object}, {"created", m_created}, {"model", m_model}};
}

json OpenAiReply::usage() const
{
    return {{"prompt_tokens", m_usage.prompt},
            {"completion_tokens", m_usage.generated},
            {"total_tokens", m_usage.prompt + m_usage.generated},
            {"prompt_tokens_details", {{"cached_tokens", m_usage.cached}}},
            {"completion_tokens_details", {{"reasoning_tokens", m_usage.reasoned}}}};
}

/// A chat's form; completions have an older one.
json OpenAiReply::logprobs(const std::vector<DrawnToken> &tokens) const
{
    if (tokens.empty())
        return nullptr;
    if (m_kind == Kind::Chat) {
        json content = json::array();
        for (const DrawnToken &one : tokens)
            content.push_back(described(one));
        return {{"content", std::move(content)}, {"refusal", nullptr}};
    }
    json all{{"tokens", json::array()},
             {"token_logprobs", json::array()},
             {"top_logprobs", json::array()}};
    for (const DrawnToken &one : tokens) {
        all["tokens"].push_back(one.drawn.bytes);
        all["token_logprobs"].push_back(one.drawn.logProbability);
        json best = json::object();
        for (const TokenChance &likely : one.best)
            best[likely.bytes] = likely.logProbability;
        all["top_logprobs"].push_back(std::move(best));
    }
    return all;
}

std::string OpenAiReply::chunk(std::size_t index, const json &delta,
                               const std::vector<DrawnToken> &tokens, const json &finish) const
{
    json choice{{"index", index}};
    if (m_kind == Kind::Chat)
        choice["delta"] = delta;
    else
        choice["text"] = delta.value("content", "");
    choice["logprobs"] = logprobs(tokens);
    choice["finish_reason"] = finish;
    json all = head(true);
    all["choices"] = json::array({std::move(choice)});
    if (m_includeUsage)
        all["usage"] = nullptr;
    return eventText(all);
}

std::string OpenAiReply::written(const ReplyEvent &event)
{
    Choice &choice = m_choices.at(event.choice);
    std::string text;
    if (!std::exchange(choice.begun, true) && m_kind == Kind::Chat)
        text += chunk(event.choice, {{"role", "assistant"}, {"content", ""}}, {}, nullptr);
    // The index of a call: how many began before it.
    const auto isCall = [](const auto &one) { return one.kind == Piece::Call; };
    auto calls = std::count_if(choice.blocks.begin(), choice.blocks.end(), isCall) -
                 std::count_if(event.pieces.begin(), event.pieces.end(), isCall);
    std::vector<DrawnToken> tokens = event.probabilities;
    for (const ReplyPiece &piece : event.pieces) {
        json delta;
        const std::string content = m_streamed[event.choice].next(piece.kind, piece.text);
        switch (piece.kind) {
        case Piece::Text:
            delta = {{"content", content}};
            break;
        case Piece::Reasoning:
            delta = {{"reasoning_content", piece.text}};
            break;
        case Piece::Call:
            choice.callTakesText = piece.takesText;
            delta["tool_calls"] =
                json::array({callObject(piece.id, piece.text, "", piece.takesText, json(calls++))});
            break;
        case Piece::Arguments:
            delta["tool_calls"] =
                json::array({{{"index", calls - 1},
                              {choice.callTakesText ? "custom" : "function",
                               {{choice.callTakesText ? "input" : "arguments", piece.text}}}}});
        }
        text += chunk(event.choice, delta, std::exchange(tokens, {}), nullptr);
    }
    if (!tokens.empty())
        text += chunk(event.choice, json::object(), tokens, nullptr);
    if (choice.finish)
        text += chunk(event.choice, json::object(), {}, finishWord(*choice.finish, choice.calls()));
    return text;
}

std::string OpenAiReply::end()
{
    std::string text;
    if (m_includeUsage) {
        json all = head(true);
        all["choices"] = json::array();
        all["usage"] = usage();
        text = eventText(all);
    }
    return text + "data: [DONE]\n\n";
}

std::string OpenAiReply::failed(int status, const std::string &text)
{
    return eventText(errorBody(status, text));
}

json OpenAiReply::message(const Choice &choice) const
{
    std::string text;
    Content content;
    for (const Block &block : choice.blocks)
        text += content.next(block.kind, block.text);
    const std::string reasoning = choice.all(Piece::Reasoning);
    const bool calls = choice.calls();
    json message{{"role", "assistant"},
                 {"content", calls && text.empty() ? json(nullptr) : json(text)},
                 {"refusal", nullptr}};
    if (!reasoning.empty())
        message["reasoning_content"] = reasoning;
    for (const Block &block : choice.blocks)
        if (block.kind == Piece::Call)
            message["tool_calls"].push_back(
                callObject(block.id, block.text, block.arguments, block.takesText));
    return message;
}

json OpenAiReply::whole()
{
    json all = head(false);
    all["choices"] = json::array();
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        const Choice &one = m_choices[i];
        json choice{{"index", i}};
        if (m_kind == Kind::Completion)
            choice["text"] = one.all(Piece::Text);
        else
            choice["message"] = message(one);
        choice["logprobs"] = logprobs(one.tokens);
        choice["finish_reason"] =
            finishWord(one.finish.value_or(FinishReason::Stopped), one.calls());
        all["choices"].push_back(std::move(choice));
    }
    all["usage"] = usage();
    return all;
}

} // namespace fireside::server
