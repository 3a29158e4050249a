#include "app/server/listen_sockets.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace fireside::server {
namespace {

constexpr int kBacklog = 256;
constexpr int kMaxPort = 65535;

struct ListenAddress
{
    int family = AF_UNSPEC;
    sockaddr_storage address{};
    socklen_t length = 0;
    bool operator==(const ListenAddress &other) const
    {
        return length == other.length && std::memcmp(&address, &other.address, length) == 0;
    }
};

/// The addresses of the host, each once: /etc/hosts may list one twice.
std::vector<ListenAddress> addressesOf(std::string host)
{
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    if (host.find_first_not_of(" \t\r\n") == std::string::npos)
        throwBadInput("the address to listen on is empty");
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo *found = nullptr;
    if (const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); code != 0)
        throwBadInput("cannot listen on " + fireside::quoted(host) + ": " + ::gai_strerror(code));
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> owner(found, ::freeaddrinfo);
    std::vector<ListenAddress> all;
    for (const addrinfo *one = found; one != nullptr; one = one->ai_next) {
        ListenAddress address{one->ai_family, {}, one->ai_addrlen};
        std::memcpy(&address.address, one->ai_addr,
                    std::min<std::size_t>(one->ai_addrlen, sizeof address.address));
        if (std::find(all.begin(), all.end(), address) == all.end())
            all.push_back(address);
    }
    return all;
}

void setPort(ListenAddress &to, int port)
{
    const auto value = htons(static_cast<std::uint16_t>(port));
    if (to.family == AF_INET6)
        reinterpret_cast<sockaddr_in6 *>(&to.address)->sin6_port = value;
    else
        reinterpret_cast<sockaddr_in *>(&to.address)->sin_port = value;
}

int portOf(int socket)
{
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(socket, reinterpret_cast<sockaddr *>(&address), &length) != 0)
        return 0;
    return ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6 *>(&address)->sin6_port
                     : reinterpret_cast<const sockaddr_in *>(&address)->sin_port);
}

/// An invalid socket with errno set where it cannot listen.
Socket listening(const ListenAddress &at)
{
    Socket socket(::socket(at.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket)
        return {};
    // The port of a server that ended may be taken at once. Linux refuses one that is listened on.
    const int on = 1, off = 0;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (at.family == AF_INET6) // "::" is for IPv4, too
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    const auto *address = reinterpret_cast<const sockaddr *>(&at.address);
    if (::bind(socket.get(), address, at.length) != 0 || ::listen(socket.get(), kBacklog) != 0)
        return {};
    return socket;
}

[[noreturn]] void throwCannotListen(const std::string &host, int port, int error)
{
    const std::string name = "port " + std::to_string(port) + " of " + printable(host);
    const std::string reason = error == EADDRINUSE
                                   ? "it is in use by another program; choose another port"
                               : error == EADDRNOTAVAIL ? "this computer has no such address"
                               : error == EACCES        ? "ports below 1024 need special rights"
                                                        : std::strerror(error);
    throw Error(ErrorKind::Io, "cannot listen on " + name + ": " + reason);
}

} // namespace

ListenSockets::ListenSockets(const std::string &host, int port)
{
    constexpr int kMaxTries = 20; // for one free port of several addresses
    if (port < 0 || port > kMaxPort)
        throwBadInput("port " + std::to_string(port) + " is none: ports are 1 to " +
                      std::to_string(kMaxPort) + ", 0 for any free one");
    const std::vector<ListenAddress> addresses = addressesOf(host);
    for (int attempt = 0;; ++attempt) {
        int error = 0;
        m_port = port;
        m_sockets.clear();
        for (ListenAddress address : addresses) {
            setPort(address, m_port);
            Socket socket = listening(address);
            if (!socket && errno != EADDRNOTAVAIL && errno != EAFNOSUPPORT) {
                error = errno;
                break;
            }
            if (!socket)
                continue; // a name may have an IPv6 address that is switched off
            m_port = portOf(socket.get());
            m_sockets.push_back(std::move(socket));
        }
        if (error == 0 && !m_sockets.empty())
            return;
        if (port != 0 || error != EADDRINUSE || attempt == kMaxTries)
            throwCannotListen(host, m_port, error == 0 ? EADDRNOTAVAIL : error);
    }
}

} // namespace fireside::server
