#pragma once
#include <httplib.h>

#include <chrono>
#include <string>

namespace fireside::server {

/// What the HTTP library reads of a request that has come completely, and where it writes the
/// reply. Not for several threads at once.
class ReplyStream final : public httplib::Stream
{
public:
    /// unread: how long a client may leave written bytes unread before the connection breaks.
    ReplyStream(socket_t socket, std::string request, std::chrono::milliseconds unread);

    /// The client has closed its end, or the connection broke.
    bool hasGone() const;

    bool is_readable() const override { return m_taken < m_request.size(); }
    bool is_writable() const; // of the library until 0.20
    ssize_t read(char *to, std::size_t size) override;
    ssize_t write(const char *from, std::size_t size) override;
    void get_remote_ip_and_port(std::string &ip, int &port) const override;
    void get_local_ip_and_port(std::string &ip, int &port) const override;
    socket_t socket() const override { return m_socket; }
    // Newer versions of the library ask for these as well.
    bool wait_readable() const { return is_readable(); }
    bool wait_writable() const { return is_writable(); }
    bool is_peer_alive() const { return !hasGone(); }
    time_t duration() const;

private:
    const socket_t m_socket;
    const std::string m_request;
    const std::chrono::milliseconds m_unread;
    const std::chrono::steady_clock::time_point m_begun = std::chrono::steady_clock::now();
    std::size_t m_taken = 0; // of the request
};

/// The numeric address of a socket's other end and its port; empty where there is none.
std::string peerAddress(int socket, int &port);

} // namespace fireside::server
