#include "app/server/http_front.h"

#include "engine/core/exception_guard.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace fireside::server {
namespace {

using State = Connection::State;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kDrainTime = 1s;
constexpr std::chrono::milliseconds kPause = 50ms; // where descriptors or memory are used up

Socket checked(int descriptor)
{
    if (descriptor < 0)
        throw Error(ErrorKind::Io, std::string("the server cannot start: ") + std::strerror(errno));
    return Socket(descriptor);
}

} // namespace

HttpFront::HttpFront(const HttpLimits &limits, Handlers handlers)
    : m_limits(limits)
    , m_handlers(std::move(handlers))
    , m_poll(checked(::epoll_create1(EPOLL_CLOEXEC)))
    , m_wake(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)))
    , m_workers(limits.running)
    , m_quickWorker(1)
{
    if (!watch(m_wake.get()))
        throw Error(ErrorKind::Io, std::string("the server cannot start: ") + std::strerror(errno));
}

HttpFront::~HttpFront()
{
    end(0ms);
}

bool HttpFront::watch(int descriptor)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    return ::epoll_ctl(m_poll.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void HttpFront::unwatch(int descriptor)
{
    ::epoll_ctl(m_poll.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void HttpFront::wake()
{
    const std::uint64_t one = 1;
    (void)!::write(m_wake.get(), &one, sizeof one);
}

void HttpFront::run(ListenSockets &listening, const std::stop_token &stop)
{
    const std::stop_callback end(stop, [this] { wake(); });
    for (const Socket &socket : listening.all())
        watch(socket.get());
    while (!stop.stop_requested()) {
        try {
            turn(listening);
        } catch (const std::bad_alloc &) {
            if (!makeRoom({})) // what waits gives its memory back
                std::this_thread::sleep_for(kPause);
        } catch (...) {
            logContained("server.front", currentError());
            std::this_thread::sleep_for(kPause);
        }
    }
    for (const Socket &socket : listening.all())
        unwatch(socket.get());
    listening.close();
}

/// Waits for the next events, and handles them.
void HttpFront::turn(const ListenSockets &listening)
{
    std::array<epoll_event, 64> events;
    const int count =
        ::epoll_wait(m_poll.get(), events.data(), static_cast<int>(events.size()), waitTime());
    for (int i = 0; i < count; ++i) {
        const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
        const auto isIt = [&](const Socket &one) { return one.get() == descriptor; };
        const auto known = m_connections.find(descriptor);
        if (known != m_connections.end())
            receive(*known->second);
        else if (std::any_of(listening.all().begin(), listening.all().end(), isIt))
            acceptAll(descriptor);
    }
    takeAnswered();
    expire();
    dispatch();
}

/// Both kinds of workers may still answer; nothing new is received.
void HttpFront::end(std::chrono::milliseconds time)
{
    const auto until = Clock::now() + time;
    m_workers.waitUntilIdle(time);
    m_quickWorker.waitUntilIdle(
        std::max(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()), 0ms));
    for (const auto &[descriptor, connection] : m_connections)
        ::shutdown(descriptor, SHUT_RDWR); // a write that waits ends
    m_workers.stop();
    m_quickWorker.stop();
    m_connections.clear();
}

/// Until when the connection may stay as it is; the far future where others decide.
HttpFront::Clock::time_point HttpFront::deadline(const Connection &one) const
{
    switch (one.state) {
    case State::Head:
        if (one.input.empty() && one.requests > 0)
            return one.since + m_limits.keepAlive;
        return one.since + m_limits.headTime;
    case State::Body:
        return std::min(one.since + m_limits.wholeRequest, one.heard + m_limits.silence);
    case State::Draining:
        return one.since + kDrainTime;
    case State::Ready:
    case State::Busy:
        break;
    }
    return Clock::time_point::max();
}

int HttpFront::waitTime() const
{
    auto next = Clock::now() + 1s;
    for (const auto &[descriptor, connection] : m_connections)
        next = std::min(next, deadline(*connection));
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    return static_cast<int>(std::max(left, 0ms).count());
}

void HttpFront::expire()
{
    const auto now = Clock::now();
    std::vector<Connection *> late;
    for (const auto &[descriptor, connection] : m_connections)
        if (deadline(*connection) <= now)
            late.push_back(connection.get());
    for (Connection *const one : late) {
        if (one->state == State::Body)
            refuse(*one, {408, "the request took too long to come"});
        else if (one->state == State::Head && !one->input.empty())
            refuseRaw(*one, {408, "the request's head took too long to come"});
        else
            close(*one);
    }
}

void HttpFront::acceptAll(int listening)
{
    constexpr int kMaxAtOnce = 64; // then those that are there get their turn
    for (int i = 0; i < kMaxAtOnce; ++i) {
        Socket socket(::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (socket) {
            acceptOne(std::move(socket));
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            if (!makeRoom({}))
                std::this_thread::sleep_for(kPause);
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

void HttpFront::close(Connection &connection)
{
    const int descriptor = connection.socket.get();
    if (connection.state != State::Ready)
        unwatch(descriptor);
    std::erase(m_ready, &connection);
    m_connections.erase(descriptor);
}

/// What the client sends after its last answer is read and dropped for a while: to close at once
/// would take the answer from it.
void HttpFront::drain(Connection &connection)
{
    ::shutdown(connection.socket.get(), SHUT_WR);
    connection.state = State::Draining;
    connection.since = Clock::now();
    connection.input.clear();
    connection.body.reset();
    if (connection.ended)
        close(connection);
}

} // namespace fireside::server
