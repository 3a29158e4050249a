// What the front makes of received bytes: requests, whole or refused, and who answers them.
#include "app/server/http_front.h"

#include "app/server/parameters.h"
#include "app/server/reply_stream.h"
#include "engine/core/exception_guard.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace fireside::server {
namespace {

using ConnectionState = Connection::State;

constexpr std::size_t kReceiveBytes = 64 << 10;
constexpr std::size_t kSmallBodyBytes = 1 << 20; // does not count for HttpLimits::largeBodyBytes
constexpr std::size_t kMaxSurplus = 32;          // connections beyond the limits

/// A provider gives a customer 2^64 IPv6 addresses: they count as one.
std::string groupOf(const std::string &address)
{
    constexpr std::size_t kNetworkBytes = 8;
    in6_addr six{};
    if (::inet_pton(AF_INET6, address.substr(0, address.find('%')).c_str(), &six) != 1)
        return address;
    return {reinterpret_cast<const char *>(six.s6_addr), kNetworkBytes};
}

/// Without waiting: what does not fit into the socket's buffer is lost, with its connection.
void sendAtOnce(const Connection &to, const std::string &text)
{
    (void)!::send(to.socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

} // namespace

/// Of a group's connections; `running`: only those with a request at a worker.
std::size_t HttpFront::count(const std::string &group, bool running) const
{
    return static_cast<std::size_t>(
        std::count_if(m_connections.begin(), m_connections.end(), [&](const auto &one) {
            const Connection &it = *one.second;
            return (group.empty() || it.group == group) &&
                   (!running || (it.state == ConnectionState::Busy && !it.quick));
        }));
}

/// Closes the connection of the group, or of any where it is empty, that has been waiting longest
/// for a request or its rest. False: all are being answered.
bool HttpFront::makeRoom(const std::string &group)
{
    const auto rank = [](const Connection &one) { // who goes first
        return one.state == ConnectionState::Draining ? 0
               : one.state == ConnectionState::Head   ? 1
                                                      : 2;
    };
    Connection *longest = nullptr;
    for (const auto &[descriptor, connection] : m_connections) {
        Connection &one = *connection;
        if (one.state == ConnectionState::Ready || one.state == ConnectionState::Busy ||
            (!group.empty() && one.group != group))
            continue;
        if (longest == nullptr ||
            std::pair(rank(one), one.since) < std::pair(rank(*longest), longest->since))
            longest = &one;
    }
    if (longest == nullptr)
        return false;
    close(*longest);
    return true;
}

void HttpFront::acceptOne(Socket socket)
{
    const int on = 1, descriptor = socket.get();
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    auto connection = std::make_unique<Connection>();
    int port = 0;
    connection->address = peerAddress(descriptor, port);
    connection->group = groupOf(connection->address);
    connection->socket = std::move(socket);
    const std::string &group = connection->group;
    if (count(group, false) >= m_limits.connectionsPerAddress)
        connection->surplus = !makeRoom(group);
    else if (m_connections.size() >= m_limits.connections)
        connection->surplus = !makeRoom({});
    if (m_connections.size() >= m_limits.connections + kMaxSurplus && !makeRoom({}))
        return;
    if (watch(descriptor))
        m_connections.emplace(descriptor, std::move(connection));
}

void HttpFront::receive(Connection &connection)
{
    char piece[kReceiveBytes];
    const ssize_t got = ::recv(connection.socket.get(), piece, sizeof piece, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (got < 0 || (got == 0 && connection.state == ConnectionState::Draining))
        return close(connection);
    if (connection.state == ConnectionState::Draining)
        return;
    connection.heard = Clock::now();
    connection.ended = got == 0;
    if (connection.input.empty() && connection.state == ConnectionState::Head && got > 0)
        connection.since = connection.requests > 0 ? connection.heard : connection.since;
    connection.input.append(piece, static_cast<std::size_t>(got));
    proceed(connection);
}

/// As far as what has come allows.
void HttpFront::proceed(Connection &connection)
{
    if (connection.state == ConnectionState::Head && !readHeadOf(connection))
        return;
    if (connection.state == ConnectionState::Body)
        readBodyOf(connection);
}

/// True: the body comes next.
bool HttpFront::readHeadOf(Connection &connection)
{
    std::string &input = connection.input;
    input.erase(0, std::min(input.find_first_not_of("\r\n"), input.size())); // before a request
    const std::size_t end = endOfHead(input, connection.searched);
    connection.searched = input.size() < 2 ? 0 : input.size() - 2;
    if (end == std::string::npos || end > m_limits.headBytes) {
        if (input.size() > m_limits.headBytes)
            refuseRaw(connection, {431, "the head of the request is too large"});
        else if (connection.ended)
            input.empty() ? close(connection)
                          : refuseRaw(connection, {400, "the request's head is cut"});
        return false;
    }
    auto head = readHead(std::string_view(input).substr(0, end));
    if (const auto *problem = std::get_if<HttpProblem>(&head)) {
        refuseRaw(connection, *problem);
        return false;
    }
    input.erase(0, end);
    connection.searched = 0;
    connection.head = std::get<HttpHead>(std::move(head));
    connection.last = ++connection.requests >= m_limits.requests;
    auto frame = bodyFrameOf(connection.head, m_limits.bodyBytes);
    const auto *problem = std::get_if<HttpProblem>(&frame);
    if (problem == nullptr)
        connection.frame = std::get<BodyFrame>(std::move(frame));
    const bool hasBody =
        problem == nullptr && (connection.frame.chunked || connection.frame.length > 0);
    const bool quick = m_handlers.isQuick(connection.head);
    const bool admitted = m_handlers.admits(connection.head);
    if (!admitted || (quick && problem == nullptr)) {
        connection.last = connection.last || hasBody || !admitted; // the body stays unread
        answerQuickly(connection);
    } else if (problem != nullptr) {
        refuse(connection, *problem);
    } else if (connection.surplus) {
        refuse(connection, {503, "the server has too many connections; try again later"});
    } else {
        if (connection.frame.expectsContinue && input.empty() && hasBody)
            sendAtOnce(connection, "HTTP/1.1 100 Continue\r\n\r\n");
        connection.body.emplace(connection.frame, m_limits.bodyBytes);
        connection.state = ConnectionState::Body;
        return true;
    }
    return false;
}

void HttpFront::readBodyOf(Connection &connection)
{
    connection.body->take(connection.input);
    connection.bodyBytes = connection.body->bytes();
    if (connection.body->problem())
        return refuse(connection, *connection.body->problem());
    if (!connection.body->isComplete()) {
        if (connection.ended)
            refuse(connection, {400, "the body of the request is cut"});
        else if (connection.bodyBytes > kSmallBodyBytes && isLargeBodyTooMuch())
            refuse(connection, {503, "too many large requests at once; try again later"});
        return;
    }
    unwatch(connection.socket.get());
    connection.state = ConnectionState::Ready;
    m_ready.push_back(&connection);
    dispatch();
}

bool HttpFront::isLargeBodyTooMuch() const
{
    std::size_t sum = 0;
    for (const auto &[descriptor, connection] : m_connections) {
        const std::size_t bytes = connection->bodyBytes;
        sum += bytes > kSmallBodyBytes ? bytes - kSmallBodyBytes : 0;
    }
    return sum > m_limits.largeBodyBytes;
}

/// Answered like a request, so that the error has the shape and the headers of all others.
void HttpFront::refuse(Connection &connection, HttpProblem problem)
{
    connection.problem = std::move(problem);
    connection.last = true;
    answerQuickly(connection);
}

/// Where there is no head to answer to.
void HttpFront::refuseRaw(Connection &connection, const HttpProblem &problem)
{
    const std::string body = dumped(errorBody(problem.status, problem.text));
    sendAtOnce(connection, "HTTP/1.1 " + std::to_string(problem.status) +
                               " Refused\r\nContent-Type: application/json\r\n"
                               "X-Content-Type-Options: nosniff\r\nConnection: close\r\n"
                               "Content-Length: " +
                               std::to_string(body.size()) + "\r\n\r\n" + body);
    drain(connection);
}

void HttpFront::answerQuickly(Connection &connection)
{
    unwatch(connection.socket.get());
    connection.quick = true;
    connection.body.reset();
    connection.bodyBytes = 0;
    startAnswer(connection, m_quickWorker);
}

/// Complete requests go to workers, the first first, but not too many of one address.
void HttpFront::dispatch()
{
    std::size_t running = count({}, true);
    for (auto it = m_ready.begin(); it != m_ready.end() && running < m_limits.running;) {
        Connection &connection = **it;
        if (count(connection.group, true) >= m_limits.runningPerAddress) {
            ++it;
            continue;
        }
        it = m_ready.erase(it);
        ++running;
        startAnswer(connection, m_workers);
    }
}

void HttpFront::startAnswer(Connection &connection, WorkerPool &pool)
{
    connection.state = ConnectionState::Busy;
    pool.submit([this, &connection] {
        bool stays = false;
        // After an exception nothing is known of what the client has got: its connection ends.
        containExceptions("server.connection", [&] { stays = m_handlers.answer(connection); });
        {
            const std::lock_guard lock(m_mutex);
            m_answered.emplace_back(&connection, stays);
        }
        wake();
    });
}

void HttpFront::takeAnswered()
{
    std::uint64_t wakes = 0;
    (void)!::read(m_wake.get(), &wakes, sizeof wakes);
    std::vector<std::pair<Connection *, bool>> answered;
    {
        const std::lock_guard lock(m_mutex);
        answered.swap(m_answered);
    }
    for (const auto &[connection, stays] : answered) {
        Connection &one = *connection;
        const bool watched = watch(one.socket.get());
        one.body.reset();
        one.bodyBytes = 0;
        one.problem.reset();
        one.quick = false;
        if (!watched) {
            close(one);
            continue;
        }
        if (!stays || one.last) {
            drain(one);
            continue;
        }
        one.state = ConnectionState::Head;
        one.since = one.heard = Clock::now();
        if (!one.input.empty() || one.ended)
            proceed(one); // the next request came behind the last one
    }
}

} // namespace fireside::server
