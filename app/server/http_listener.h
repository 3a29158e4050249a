#pragma once
#include <httplib.h>

#include <chrono>
#include <cstddef>

// HTTP comes from cpp-httplib; what it does not limit by itself is limited here.
namespace fireside::server {

struct HttpLimits
{
    std::size_t headBytes = 32 << 10;      // of a request's first line and all its headers
    std::size_t bodyBytes = 16 << 20;      // of what a request may send
    std::chrono::seconds wholeRequest{60}; // until it has been sent, however slowly
    std::chrono::seconds silence{10};      // between two pieces of it
    std::chrono::seconds unread{20};       // that a client may leave an answer unread
    std::chrono::seconds keepAlive{15};    // between two requests of a connection
    std::size_t requests = 1000;           // on one connection
    std::size_t connections = 64;          // at once; others wait
};

/// A server whose connections are measured: a client that sends more, or slower, than the limits
/// allow is cut off.
class HttpListener : public httplib::Server
{
public:
    explicit HttpListener(const HttpLimits &limits);

    /// Within a handler, or what it gives to write: whether the client has gone.
    static bool clientHasGone();

private:
    bool process_and_close_socket(socket_t socket) override;
    template <typename Stream>
    bool process(Stream &stream, bool last, bool &closed);

    const HttpLimits m_limits;
};

} // namespace fireside::server
