#include "app/server/running_replies.h"

#include "app/server/call_text.h"
#include "app/server/random_id.h"
#include "engine/constrain/constraint.h"
#include "engine/constrain/machine.h"
#include "engine/core/exception_guard.h"
#include "engine/core/memory_reserve.h"

namespace fireside::server {
namespace {

using Piece = ReplyPiece::Kind;

bool fits(const ToolCall &call, const StrictArguments &strict)
{
    const auto tool = strict.find(call.name);
    if (tool == strict.end())
        return true;
    constrain::Machine machine(tool->second->automaton());
    return machine.hasEnded(machine.read(machine.start(), call.arguments));
}

/// How a reply's calls are read, and how far that has come.
struct CallReader
{
    CallsIn calls;
    StrictArguments strict;
    CallText answer{};
};

void addPieces(ReplyEvent &event, const ReplyDelta &delta, CallReader &reader)
{
    if (delta.takesAllBefore) {
        event.allBeforeWasReasoning = true;
        for (ReplyPiece &piece : event.pieces)
            piece.kind = Piece::Reasoning;
    }
    if (delta.call && fits(*delta.call, reader.strict)) {
        const std::string id = delta.call->id.empty() ? newCallId() : delta.call->id;
        event.pieces.push_back({Piece::Call, delta.call->name, id});
        event.pieces.push_back({Piece::Arguments, delta.call->arguments});
        return;
    }
    const std::string &text = delta.call ? delta.raw : delta.text; // not one that was asked for
    if (text.empty())
        return;
    if (delta.kind == ReplyPartKind::Reasoning)
        event.pieces.push_back({Piece::Reasoning, text});
    else if (reader.calls == CallsIn::Answer)
        reader.answer.push(text, event.pieces);
    else
        event.pieces.push_back({Piece::Text, text});
}

TokenChance chanceOf(const TokenProbabilities::One &one, const Tokenizer &tokenizer)
{
    return {tokenizer.bytes(one.token, true), one.logProbability};
}

} // namespace

RunningReplies::RunningReplies(Scheduler &scheduler, AskedReplies asked, const Asker &asker,
                               std::unique_ptr<Clients::Visit> visit, const std::stop_token &end)
    : m_visit(std::move(visit))
    , m_end(end)
    , m_ended(end, [stop = m_stop]() mutable { stop.request_stop(); })
    , m_calls(asked.tools, asked.requests.size())
{
    try {
        for (GenerateRequest &request : asked.requests) {
            ScheduledRequest one = scheduled(m_feed, m_left, std::move(request), asked);
            one.probabilities = asked.probabilities;
            one.client = asker.client;
            one.realm = asker.realm;
            one.stop = m_stop.get_token();
            scheduler.submit(std::move(one));
            ++m_left;
        }
    } catch (...) {
        m_stop.request_stop();
        throw;
    }
}

RunningReplies::~RunningReplies()
{
    m_stop.request_stop();
}

ScheduledRequest RunningReplies::scheduled(const std::shared_ptr<Feed> &feed, std::size_t choice,
                                           GenerateRequest request, const AskedReplies &of)
{
    // Tokens that have not shown anything yet; only the scheduler's thread uses them.
    const auto tokens = std::make_shared<std::vector<DrawnToken>>();
    const auto push = [feed, choice, tokens](ReplyEvent event) {
        event.choice = choice;
        event.probabilities = std::exchange(*tokens, {});
        containExceptions(
            "server.feed",
            [&] {
                const std::lock_guard lock(feed->mutex);
                feed->events.push_back(std::move(event));
            },
            [&](const Error &) {
                const std::lock_guard lock(feed->mutex);
                feed->lost = true;
            });
        feed->changed.notify_one();
    };
    ScheduledRequest asked;
    asked.request = std::move(request);
    asked.onToken = [tokens](const TokenProbabilities &one, const Tokenizer &tokenizer) {
        DrawnToken token{chanceOf(one.drawn, tokenizer)};
        for (const TokenProbabilities::One &likely : one.best)
            token.best.push_back(chanceOf(likely, tokenizer));
        tokens->push_back(std::move(token));
    };
    asked.events.text = [push](std::string_view text, const GenerateStats &) {
        push({.pieces = {{ReplyPiece::Kind::Text, std::string(text)}}});
    };
    const auto reader = std::make_shared<CallReader>(CallReader{of.calls, of.strict});
    asked.events.parts = [push, reader](std::span<const ReplyDelta> deltas,
                                        const GenerateStats &stats) {
        ReplyEvent event;
        for (const ReplyDelta &delta : deltas)
            addPieces(event, delta, *reader);
        const bool thinks =
            !event.pieces.empty() && event.pieces.back().kind == ReplyPiece::Kind::Reasoning;
        if (thinks || event.allBeforeWasReasoning)
            event.reasoned = stats.generatedTokens;
        push(std::move(event));
    };
    asked.finished = [push](const GenerateResult &result) { push({.finished = result}); };
    asked.failed = [push](const Error &error) { push({.failed = error}); };
    return asked;
}

std::optional<ReplyEvent> RunningReplies::next(std::chrono::milliseconds time)
{
    std::unique_lock lock(m_feed->mutex);
    const auto happened = [this] { return !m_feed->events.empty() || m_feed->lost; };
    if (!m_feed->changed.wait_for(lock, time, happened))
        return {};
    if (m_feed->lost)
        throw Error(ErrorKind::Memory, outOfMemoryText());
    ReplyEvent event = std::move(m_feed->events.front());
    m_feed->events.pop_front();
    m_calls.translate(event);
    if (event.finished || event.failed)
        --m_left;
    if (event.finished && m_visit)
        m_visit->add(event.finished->stats.promptTokens, event.finished->stats.generatedTokens);
    return event;
}

const char *RunningReplies::whyStopped() const
{
    return m_end.stop_requested() ? "the server is being shut down"
                                  : "the model was unloaded while it answered";
}

} // namespace fireside::server
