#pragma once
#include "app/server/chat_request.h"
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
    /// Errors of Scheduler::submit(); then none of them runs.
    RunningReplies(Scheduler &scheduler, AskedReplies asked, const std::string &client);
    ~RunningReplies();
    RunningReplies(const RunningReplies &) = delete;
    RunningReplies &operator=(const RunningReplies &) = delete;

    /// The next event; nullopt when nothing happens in that time.
    std::optional<ReplyEvent> next(std::chrono::milliseconds time);
    std::size_t left() const { return m_left; } // that have not ended, as far as next() has told

private:
    struct Feed // shared with the scheduler's thread
    {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<ReplyEvent> events;
    };
    static ScheduledRequest scheduled(const std::shared_ptr<Feed> &feed, std::size_t choice,
                                      GenerateRequest request, const AskedReplies &of);

    const std::shared_ptr<Feed> m_feed = std::make_shared<Feed>();
    std::stop_source m_stop;
    std::size_t m_left = 0;
};

} // namespace fireside::server
