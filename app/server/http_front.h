#pragma once
#include "app/server/connection.h"
#include "app/server/http_limits.h"
#include "app/server/listen_sockets.h"
#include "app/server/worker_pool.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace fireside::server {

/// Accepts connections and receives requests, all on one thread: idle and slow ones cost no
/// thread. A request goes to a worker when it has come completely.
class HttpFront
{
public:
    struct Handlers
    {
        /// On the front's thread, so it must not wait: whether the body is wanted at all.
        std::function<bool(const HttpHead &)> admits{};
        /// Answered at once and beside the workers; it must take no time.
        std::function<bool(const HttpHead &)> isQuick{};
        /// On a worker's thread: writes the reply. Whether the connection may stay.
        std::function<bool(Connection &)> answer{};
    };
    HttpFront(const HttpLimits &limits, Handlers handlers);
    ~HttpFront();
    HttpFront(const HttpFront &) = delete;
    HttpFront &operator=(const HttpFront &) = delete;

    /// Receives until stopped, then gives up what has not come completely. Does not throw.
    void run(ListenSockets &listening, const std::stop_token &stop);
    /// After run(): waits for the replies in progress, then breaks their connections.
    void end(std::chrono::milliseconds time);

private:
    using Clock = Connection::Clock;
    using Connections = std::map<int, std::unique_ptr<Connection>>; // by descriptor

    bool watch(int descriptor); // false: the system has no memory for it
    void unwatch(int descriptor);
    void wake();
    int waitTime() const;
    Clock::time_point deadline(const Connection &connection) const;
    void turn(const ListenSockets &listening);
    void acceptAll(int listening);
    void acceptOne(Socket socket);
    bool makeRoom(const std::string &group);
    std::size_t count(const std::string &group, bool running) const;
    void receive(Connection &connection);
    void proceed(Connection &connection);
    bool readHeadOf(Connection &connection);
    void readBodyOf(Connection &connection);
    bool isLargeBodyTooMuch() const;
    void refuse(Connection &connection, HttpProblem problem);
    void refuseRaw(Connection &connection, const HttpProblem &problem);
    void answerQuickly(Connection &connection);
    void dispatch();
    void startAnswer(Connection &connection, WorkerPool &pool);
    void takeAnswered();
    void drain(Connection &connection);
    void expire();
    void close(Connection &connection);

    const HttpLimits m_limits;
    const Handlers m_handlers;
    Socket m_poll, m_wake;
    Connections m_connections;
    std::vector<Connection *> m_ready;                     // in the order in which they became so
    std::mutex m_mutex;                                    // of what follows
    std::vector<std::pair<Connection *, bool>> m_answered; // and whether it may stay
    WorkerPool m_workers, m_quickWorker;                   // last: they use the others
};

} // namespace fireside::server
