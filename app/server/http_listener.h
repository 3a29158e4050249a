#pragma once
#include "app/server/http_front.h"

#include <httplib.h>

#include <functional>
#include <optional>

namespace fireside::server {

/// cpp-httplib's routes and replies behind our own front, which accepts connections and receives
/// requests within the limits: a handler runs when its request has come completely.
class HttpListener : public httplib::Server
{
public:
    explicit HttpListener(const HttpLimits &limits);

    /// Listens from here on; requests are answered from run() on. Errors of ListenSockets.
    void listenOn(const std::string &host, int port);
    int port() const { return m_listening ? m_listening->port() : 0; }
    /// Until stopped. admits: whether a request's body is wanted at all; called on one thread, and
    /// must not wait. Routes are complete before.
    void run(const std::stop_token &stop, std::function<bool(const HttpHead &)> admits);

    /// Within a handler, or what it gives to write: whether the client has closed the connection.
    static bool clientHasGone();
    /// Within the pre-routing handler: what the request is refused for, in place of its route.
    static const HttpProblem *problem();

private:
    bool answer(Connection &connection);
    template <typename Stream>
    bool process(Stream &stream, bool last, bool &closed,
                 const std::function<void(httplib::Request &)> &setUp);

    const HttpLimits m_limits;
    std::optional<ListenSockets> m_listening;
};

} // namespace fireside::server
