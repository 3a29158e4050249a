#include "app/server/http_listener.h"

#include "app/server/connection.h"

#include <sys/socket.h>
#include <unistd.h>

namespace fireside::server {
namespace {

thread_local const Connection *t_connection = nullptr; // of the request that this thread serves

} // namespace

HttpListener::HttpListener(const HttpLimits &limits)
    : m_limits(limits)
{
    new_task_queue = [count = limits.connections] { return new httplib::ThreadPool(count); };
    set_payload_max_length(limits.bodyBytes);
    set_tcp_nodelay(true);
}

bool HttpListener::clientHasGone()
{
    return t_connection != nullptr && t_connection->hasGone();
}

/// The library's newer versions are told both addresses.
template <typename Stream>
bool HttpListener::process(Stream &stream, bool last, bool &closed)
{
    const std::function<void(httplib::Request &)> setUp;
    if constexpr (requires { this->process_request(stream, last, closed, setUp); }) {
        return this->process_request(stream, last, closed, setUp);
    } else {
        std::string remote, local;
        int remotePort = 0, localPort = 0;
        stream.get_remote_ip_and_port(remote, remotePort);
        stream.get_local_ip_and_port(local, localPort);
        return this->process_request(stream, remote, remotePort, local, localPort, last, closed,
                                     setUp);
    }
}

bool HttpListener::process_and_close_socket(socket_t socket)
{
    Connection connection(socket, m_limits);
    t_connection = &connection;
    bool well = false, closed = false;
    for (std::size_t i = 0; i < m_limits.requests && !closed && svr_sock_ != INVALID_SOCKET; ++i) {
        if (!connection.waitForRequest([this] { return svr_sock_ != INVALID_SOCKET; }))
            break;
        connection.beginRequest();
        const bool last = i + 1 == m_limits.requests;
        well = process(connection, last, closed);
        if (!well)
            break;
    }
    t_connection = nullptr;
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return well;
}

} // namespace fireside::server
