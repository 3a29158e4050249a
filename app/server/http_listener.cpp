#include "app/server/http_listener.h"

#include "app/server/content_coding.h"
#include "app/server/parameters.h"
#include "app/server/reply_stream.h"

namespace fireside::server {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kEndTime = 1500ms; // for replies to say that they end

// Of the request that this thread answers.
thread_local const ReplyStream *t_stream = nullptr;
thread_local const HttpProblem *t_problem = nullptr;

struct Answering
{
    Answering(const ReplyStream &stream, const std::optional<HttpProblem> &problem)
    {
        t_stream = &stream;
        t_problem = problem ? &*problem : nullptr;
    }
    ~Answering()
    {
        t_stream = nullptr;
        t_problem = nullptr;
    }
    Answering(const Answering &) = delete;
    Answering &operator=(const Answering &) = delete;
};

/// The body of a request as it was before it was compressed; its problem where it cannot be.
std::string bodyOf(Connection &connection, std::size_t maxBytes)
{
    if (connection.problem || !connection.body)
        return {};
    try {
        return decodedBody(connection.body->takeBody(), connection.frame.codings, maxBytes);
    } catch (const ApiError &error) {
        connection.problem = HttpProblem{error.status, error.what()};
    } catch (const std::bad_alloc &) {
        connection.problem = HttpProblem{503, "not enough memory for this request"};
    }
    connection.last = true;
    return {};
}

bool isAnsweredQuickly(const HttpHead &head)
{
    return head.method == "OPTIONS" ||
           ((head.method == "GET" || head.method == "HEAD") && head.path() == "/health");
}

} // namespace

HttpListener::HttpListener(const HttpLimits &limits)
    : m_limits(limits)
{
    set_payload_max_length(limits.bodyBytes);
    set_keep_alive_max_count(limits.requests);
    set_keep_alive_timeout(
        std::chrono::duration_cast<std::chrono::seconds>(limits.keepAlive).count());
}

void HttpListener::listenOn(const std::string &host, int port)
{
    m_listening.emplace(host, port);
    svr_sock_ = m_listening->all().front().get(); // the library ends replies where there is none
}

void HttpListener::run(const std::stop_token &stop, std::function<bool(const HttpHead &)> admits)
{
    HttpFront front(m_limits,
                    {.admits = std::move(admits),
                     .isQuick = isAnsweredQuickly,
                     .answer = [this](Connection &connection) { return answer(connection); }});
    front.run(*m_listening, stop);
    front.end(kEndTime);
    svr_sock_ = INVALID_SOCKET;
}

bool HttpListener::clientHasGone()
{
    return t_stream != nullptr && t_stream->hasGone();
}

const HttpProblem *HttpListener::problem()
{
    return t_problem;
}

/// The library's newer versions are told both addresses.
template <typename Stream>
bool HttpListener::process(Stream &stream, bool last, bool &closed,
                           const std::function<void(httplib::Request &)> &setUp)
{
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

/// The library reads the head alone: the body has come already, and is given to the request.
bool HttpListener::answer(Connection &connection)
{
    std::string body = bodyOf(connection, m_limits.bodyBytes);
    ReplyStream stream(connection.socket.get(), connection.head.withoutBody(),
                       connection.quick ? 0ms : m_limits.unread);
    const Answering answering(stream, connection.problem);
    bool closed = false;
    const bool well = process(stream, connection.last, closed,
                              [&](httplib::Request &request) { request.body = std::move(body); });
    return well && !closed && !connection.last;
}

} // namespace fireside::server
