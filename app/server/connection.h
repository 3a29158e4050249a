#pragma once
#include "app/server/http_listener.h"

#include <ctime>

namespace fireside::server {

/// One connection's bytes, within the limits; for HttpListener. Not for several threads at once.
class Connection final : public httplib::Stream
{
public:
    Connection(socket_t socket, const HttpLimits &limits);

    /// The next request begins: its limits count from here.
    void beginRequest();
    /// Waits for a request while `running`; false when none comes in time or the client has gone.
    bool waitForRequest(const std::function<bool()> &running) const;
    /// The client has closed its end, or the connection broke.
    bool hasGone() const;

    bool is_readable() const override;
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
    using Clock = std::chrono::steady_clock;
    bool fill();

    const socket_t m_socket;
    const HttpLimits &m_limits;
    Clock::time_point m_begun;
    std::size_t m_bytes = 0; // of this request
    std::size_t m_line = 0;  // bytes since the last line ended
    bool m_inHead = true;
    std::string m_buffer;
    std::size_t m_taken = 0; // of the buffer
};

} // namespace fireside::server
