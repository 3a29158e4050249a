#include "app/server/reply_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace fireside::server {
namespace {

bool waitUntilWritable(socket_t socket, std::chrono::milliseconds time)
{
    pollfd one{socket, POLLOUT, 0};
    for (;;) {
        const int count = ::poll(&one, 1, static_cast<int>(time.count()));
        if (count >= 0 || errno != EINTR)
            return count > 0;
    }
}

using NameOf = int (*)(int, sockaddr *, socklen_t *);
std::string addressOf(socket_t socket, NameOf nameOf, int &port)
{
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    char host[NI_MAXHOST], service[NI_MAXSERV];
    if (nameOf(socket, reinterpret_cast<sockaddr *>(&address), &length) != 0 ||
        ::getnameinfo(reinterpret_cast<sockaddr *>(&address), length, host, sizeof host, service,
                      sizeof service, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return {};
    port = std::atoi(service);
    constexpr std::string_view kMapped = "::ffff:"; // IPv4 on a socket for both
    const std::string_view text = host;
    const bool mapped = text.starts_with(kMapped) && text.find('.') != std::string_view::npos;
    return std::string(mapped ? text.substr(kMapped.size()) : text);
}

} // namespace

std::string peerAddress(int socket, int &port)
{
    return addressOf(socket, ::getpeername, port);
}

ReplyStream::ReplyStream(socket_t socket, std::string request, std::chrono::milliseconds unread)
    : m_socket(socket)
    , m_request(std::move(request))
    , m_unread(unread)
{}

bool ReplyStream::hasGone() const
{
    char byte = 0;
    const ssize_t got = ::recv(m_socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

bool ReplyStream::is_writable() const
{
    return waitUntilWritable(m_socket, m_unread) && !hasGone();
}

time_t ReplyStream::duration() const
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 m_begun)
        .count();
}

ssize_t ReplyStream::read(char *to, std::size_t size)
{
    const std::size_t count = std::min(size, m_request.size() - m_taken);
    if (count == 0)
        return -1;
    std::memcpy(to, m_request.data() + m_taken, count);
    m_taken += count;
    return static_cast<ssize_t>(count);
}

ssize_t ReplyStream::write(const char *from, std::size_t size)
{
    std::size_t done = 0;
    while (done < size) {
        if (!waitUntilWritable(m_socket, m_unread))
            return -1;
        const ssize_t sent =
            ::send(m_socket, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return -1;
        done += static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    }
    return static_cast<ssize_t>(done);
}

void ReplyStream::get_remote_ip_and_port(std::string &ip, int &port) const
{
    ip = peerAddress(m_socket, port);
}

void ReplyStream::get_local_ip_and_port(std::string &ip, int &port) const
{
    ip = addressOf(m_socket, ::getsockname, port);
}

} // namespace fireside::server
