#pragma once
#include "app/server/chat_request.h"
#include "app/server/clients.h"
#include "app/server/reply_event.h"
#include "engine/generate/scheduler.h"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fireside::server {

/// Replies to one request, for the thread that answers it. They are stopped when this goes.
class RunningReplies
{
public:
    struct Asker
    {
        std::string client, realm; // as in ScheduledRequest
    };
    /// `end` stops them, too. Errors of Scheduler::submit(); then none of them runs. The scheduler
    /// may go at any time, which ends them as FinishReason::Stopped.
    RunningReplies(Scheduler &scheduler, AskedReplies asked, const Asker &asker,
                   std::unique_ptr<Clients::Visit> visit, const std::stop_token &end);
    ~RunningReplies();
    RunningReplies(const RunningReplies &) = delete;
    RunningReplies &operator=(const RunningReplies &) = delete;

    /// The next event; nullopt when nothing happens in that time.
    std::optional<ReplyEvent> next(std::chrono::milliseconds time);
    bool isEnding() const { return m_end.stop_requested(); } // the server ends
    const char *whyStopped() const;             // of a reply that ended as FinishReason::Stopped
    std::size_t left() const { return m_left; } // that have not ended, as far as next() has told

private:
    struct Feed // shared with the scheduler's thread
    {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<ReplyEvent> events;
        bool lost = false; // an event, for which there was no memory
    };
    static ScheduledRequest scheduled(const std::shared_ptr<Feed> &feed, std::size_t choice,
                                      GenerateRequest request, const AskedReplies &of);

    const std::shared_ptr<Feed> m_feed = std::make_shared<Feed>();
    const std::unique_ptr<Clients::Visit> m_visit;
    const std::stop_token m_end;
    std::stop_source m_stop;
    const std::stop_callback<std::function<void()>> m_ended;
    CallTranslator m_calls;
    std::size_t m_left = 0;
};

} // namespace fireside::server
