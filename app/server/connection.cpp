#include "app/server/connection.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace fireside::server {
namespace {

/// Whether `events` happen on the socket in time.
bool waitFor(socket_t socket, short events, std::chrono::milliseconds time)
{
    pollfd one{socket, events, 0};
    for (;;) {
        const int count = ::poll(&one, 1, static_cast<int>(std::max<long long>(time.count(), 0)));
        if (count >= 0 || errno != EINTR)
            return count > 0;
    }
}

using NameOf = int (*)(int, sockaddr *, socklen_t *);
void addressOf(socket_t socket, NameOf nameOf, std::string &ip, int &port)
{
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    char host[NI_MAXHOST], service[NI_MAXSERV];
    if (nameOf(socket, reinterpret_cast<sockaddr *>(&address), &length) != 0 ||
        ::getnameinfo(reinterpret_cast<sockaddr *>(&address), length, host, sizeof host, service,
                      sizeof service, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    ip = host;
    port = std::atoi(service);
}

} // namespace

Connection::Connection(socket_t socket, const HttpLimits &limits)
    : m_socket(socket)
    , m_limits(limits)
    , m_begun(Clock::now())
{}

void Connection::beginRequest()
{
    m_begun = Clock::now();
    m_bytes = m_line = 0;
    m_inHead = true;
}

bool Connection::waitForRequest(const std::function<bool()> &running) const
{
    constexpr std::chrono::milliseconds kLook{100};
    const auto end = Clock::now() + m_limits.keepAlive;
    if (m_taken < m_buffer.size())
        return true;
    while (running() && Clock::now() < end)
        if (waitFor(m_socket, POLLIN, kLook))
            return !hasGone();
    return false;
}

bool Connection::hasGone() const
{
    char byte = 0;
    const ssize_t got = ::recv(m_socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

bool Connection::is_readable() const
{
    return m_taken < m_buffer.size() || waitFor(m_socket, POLLIN, m_limits.silence);
}

bool Connection::is_writable() const
{
    return waitFor(m_socket, POLLOUT, m_limits.unread) && !hasGone();
}

time_t Connection::duration() const
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - m_begun).count();
}

/// Some bytes into the empty buffer.
bool Connection::fill()
{
    constexpr std::size_t kPiece = 16 << 10;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        m_limits.wholeRequest - (Clock::now() - m_begun));
    if (left.count() <= 0 ||
        !waitFor(m_socket, POLLIN, std::min<std::chrono::milliseconds>(left, m_limits.silence)))
        return false;
    m_buffer.resize(kPiece);
    m_taken = 0;
    ssize_t got = -1;
    do {
        got = ::recv(m_socket, m_buffer.data(), m_buffer.size(), 0);
    } while (got < 0 && errno == EINTR);
    m_buffer.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return got > 0;
}

ssize_t Connection::read(char *to, std::size_t size)
{
    if (m_taken == m_buffer.size() && !fill())
        return -1;
    const std::size_t count = std::min(size, m_buffer.size() - m_taken);
    for (std::size_t i = 0; i < count; ++i) {
        const char c = to[i] = m_buffer[m_taken + i];
        ++m_bytes;
        if (!m_inHead)
            continue;
        if (c == '\n' && m_line == 0)
            m_inHead = false; // an empty line
        else if (c == '\n')
            m_line = 0;
        else if (c != '\r')
            ++m_line;
        if (m_inHead && m_bytes > m_limits.headBytes)
            return -1;
    }
    m_taken += count;
    return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char *from, std::size_t size)
{
    std::size_t done = 0;
    while (done < size) {
        if (!waitFor(m_socket, POLLOUT, m_limits.unread))
            return -1;
        const ssize_t sent =
            ::send(m_socket, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return -1;
        done += static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    }
    return static_cast<ssize_t>(done);
}

void Connection::get_remote_ip_and_port(std::string &ip, int &port) const
{
    addressOf(m_socket, ::getpeername, ip, port);
}

void Connection::get_local_ip_and_port(std::string &ip, int &port) const
{
    addressOf(m_socket, ::getsockname, ip, port);
}

} // namespace fireside::server
