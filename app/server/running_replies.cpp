#include "app/server/running_replies.h"

namespace fireside::server {

RunningReplies::RunningReplies(Scheduler &scheduler, std::vector<GenerateRequest> requests,
                               int probabilities, const std::string &client)
{
    try {
        for (GenerateRequest &request : requests) {
            ScheduledRequest asked = scheduled(m_feed, m_left, std::move(request));
            asked.probabilities = probabilities;
            asked.client = client;
            asked.stop = m_stop.get_token();
            scheduler.submit(std::move(asked));
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
                                           GenerateRequest request)
{
    // Tokens that have not shown anything yet; only the scheduler's thread uses them.
    const auto tokens = std::make_shared<std::vector<TokenProbabilities>>();
    const auto push = [feed, choice, tokens](ReplyEvent event) {
        event.choice = choice;
        event.probabilities = std::exchange(*tokens, {});
        {
            const std::lock_guard lock(feed->mutex);
            feed->events.push_back(std::move(event));
        }
        feed->changed.notify_one();
    };
    ScheduledRequest asked;
    asked.request = std::move(request);
    asked.onToken = [tokens](const TokenProbabilities &one) { tokens->push_back(one); };
    asked.events.text = [push](std::string_view text, const GenerateStats &) {
        push({.text = std::string(text)});
    };
    asked.events.parts = [push](std::span<const ReplyDelta> deltas, const GenerateStats &) {
        ReplyEvent event;
        for (const ReplyDelta &delta : deltas) {
            if (delta.takesAllBefore) {
                event.reasoning += std::exchange(event.text, {});
                event.allBeforeWasReasoning = true;
            }
            if (delta.kind == ReplyPartKind::Reasoning)
                event.reasoning += delta.text;
            else // tools are not offered: what looks like a call is text
                event.text += delta.call ? delta.raw : delta.text;
        }
        push(std::move(event));
    };
    asked.finished = [push](const GenerateResult &result) { push({.finished = result}); };
    asked.failed = [push](const Error &error) { push({.failed = error}); };
    return asked;
}

std::optional<ReplyEvent> RunningReplies::next(std::chrono::milliseconds time)
{
    std::unique_lock lock(m_feed->mutex);
    if (!m_feed->changed.wait_for(lock, time, [this] { return !m_feed->events.empty(); }))
        return {};
    ReplyEvent event = std::move(m_feed->events.front());
    m_feed->events.pop_front();
    if (event.finished || event.failed)
        --m_left;
    return event;
}

} // namespace fireside::server
