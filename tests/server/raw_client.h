#pragma once
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace fireside::test {

/// A connection that sends exactly the given bytes.
class RawClient
{
public:
    explicit RawClient(int port)
        : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        m_connected =
            ::connect(m_socket, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
        const timeval wait{.tv_sec = 60, .tv_usec = 0};
        ::setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    }
    RawClient(RawClient &&other) noexcept
        : m_socket(other.m_socket)
        , m_connected(other.m_connected)
    {
        other.m_socket = -1;
    }
    ~RawClient()
    {
        if (m_socket >= 0)
            ::close(m_socket);
    }
    bool isConnected() const { return m_connected; }
    /// False: the server has closed the connection.
    bool send(const std::string &bytes) const
    {
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t sent =
                ::send(m_socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
            if (sent <= 0)
                return false;
            done += static_cast<std::size_t>(sent);
        }
        return true;
    }
    void endSending() const { ::shutdown(m_socket, SHUT_WR); }
    /// Until the server closes; "(nothing for a minute)" at the end where it does not.
    std::string receiveAll() const
    {
        std::string all;
        char buffer[4096];
        for (;;) {
            const ssize_t got = ::recv(m_socket, buffer, sizeof buffer, 0);
            if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
                return all + "(nothing for a minute)";
            if (got <= 0)
                return all;
            all.append(buffer, static_cast<std::size_t>(got));
        }
    }
    /// Until `end` has come.
    std::string receiveUntil(const std::string &end) const
    {
        std::string all;
        char byte = 0;
        while (all.find(end) == std::string::npos && ::recv(m_socket, &byte, 1, 0) == 1)
            all += byte;
        return all;
    }
    bool isClosed() const // waits for it a minute
    {
        char byte = 0;
        const ssize_t got = ::recv(m_socket, &byte, 1, MSG_PEEK);
        return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
    }

private:
    int m_socket;
    bool m_connected = false;
};

} // namespace fireside::test
