#include "app/server/server.h"

#include "engine/core/error.h"

#include <chrono>

namespace fireside::server {
namespace {

using nlohmann::json;

constexpr char kJson[] = "application/json";
constexpr std::chrono::milliseconds kLook{100};    // between two looks whether a client has gone
constexpr std::chrono::milliseconds kBreath{2000}; // between two signs of life in a stream

void answerError(httplib::Response &response, int status, const std::string &text,
                 const std::string &param = {}, const std::string &code = {})
{
    response.status = status;
    if (status == 429)
        response.set_header("Retry-After", "1");
    if (status == 401)
        response.set_header("WWW-Authenticate", "Bearer");
    response.set_content(dumped(errorBody(status, text, param, code)), kJson);
}

int statusOf(const Error &error)
{
    if (dynamic_cast<const QueueFull *>(&error) != nullptr)
        return 429;
    switch (error.kind()) {
    case ErrorKind::BadInput:
    case ErrorKind::Unsupported:
    case ErrorKind::Memory:
        return 400;
    case ErrorKind::Io:
    case ErrorKind::Device:
    case ErrorKind::Cancelled:
        return 503;
    case ErrorKind::Internal:
        break;
    }
    return 500;
}

std::vector<std::string> valuesOf(const httplib::Request &request, const char *name)
{
    std::vector<std::string> values;
    const auto [first, last] = request.headers.equal_range(name);
    for (auto it = first; it != last; ++it)
        values.push_back(it->second);
    return values;
}

/// A reply that is written while it comes.
struct Stream
{
    std::unique_ptr<RunningReplies> replies;
    ReplyJson format;
    std::chrono::steady_clock::time_point written = std::chrono::steady_clock::now();

    bool send(httplib::DataSink &sink, const std::string &text)
    {
        written = std::chrono::steady_clock::now();
        return sink.write(text.data(), text.size());
    }
    /// What happens next; false when the client has gone.
    bool go(httplib::DataSink &sink)
    {
        const auto event = replies->next(kLook);
        if (HttpListener::clientHasGone())
            return false;
        if (!event) // a comment, which clients pass over
            return std::chrono::steady_clock::now() - written < kBreath || send(sink, ":\n\n");
        std::string text;
        const bool stopped = event->finished && event->finished->finish == FinishReason::Stopped;
        if (event->failed || stopped) {
            const json error = event->failed
                                   ? errorBody(statusOf(*event->failed), event->failed->what())
                                   : errorBody(503, "the server is being shut down");
            replies.reset();
            const bool sent = send(sink, "data: " + dumped(error) + "\n\n");
            sink.done();
            return sent;
        }
        for (const std::string &chunk : format.chunks(*event))
            text += "data: " + chunk + "\n\n";
        const bool last = replies->left() == 0;
        if (last) {
            for (const std::string &chunk : format.lastChunks())
                text += "data: " + chunk + "\n\n";
            text += "data: [DONE]\n\n";
        }
        if (!text.empty() && !send(sink, text))
            return false;
        if (last)
            sink.done();
        return true;
    }
};

} // namespace

Server::Server(const LoadedModel &model, ServerOptions options)
    : m_model(model)
    , m_options(std::move(options))
    , m_served{model, m_options.modelId, m_options.sampling}
    , m_http(m_options.limits)
{
    GuardSettings &guard = m_options.guard;
    (void)Guard(guard); // before anything listens
    if (guard.port == 0)
        guard.port = m_http.bind_to_any_port(guard.host);
    else if (!m_http.bind_to_port(guard.host, guard.port))
        guard.port = -1;
    if (guard.port < 0)
        throw Error(ErrorKind::Io, "cannot listen on " + guard.host +
                                       ": the port is taken or the address is not this computer's");
    m_guard.emplace(guard);
    if (!model.summary().encoder) {
        SchedulerSettings &settings = m_options.scheduler;
        settings.context = model.context();
        settings.kvType = model.kvType();
        settings.contextBytes = model.plan().kv();
        m_scheduler.emplace(model.model(), model.tokenizer(), settings);
        m_computing = std::jthread([this](const std::stop_token &stop) { m_scheduler->run(stop); });
    }
    addRoutes();
}

Server::~Server()
{
    m_computing = {};
}

void Server::addRoutes()
{
    m_http.Get("/v1/models", safely(&Server::models));
    m_http.Get("/health", safely(&Server::health));
    m_http.Get("/metrics", safely(&Server::metrics));
    m_http.Post("/v1/chat/completions", safely(&Server::chat));
    m_http.Post("/v1/completions", safely(&Server::completion));
    m_http.Post("/v1/embeddings", safely(&Server::embeddings));
    m_http.set_pre_routing_handler([this](const Request &request, Response &response) {
        return admitted(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                           : httplib::Server::HandlerResponse::Handled;
    });
    m_http.set_error_handler([](const Request &, Response &response) {
        if (response.body.empty()) // of the library: a path it does not know, a body too large
            answerError(response, response.status,
                        response.status == 404   ? "there is nothing at this path"
                        : response.status == 413 ? "the body is too large"
                                                 : "the request is not understood");
    });
}

/// What only a browser asks for is answered here; and who may not ask is told so.
bool Server::admitted(const Request &request, Response &response) const
{
    RequestHead head{request.method, request.path};
    head.hosts = valuesOf(request, "Host");
    head.origins = valuesOf(request, "Origin");
    head.authorizations = valuesOf(request, "Authorization");
    head.apiKeys = valuesOf(request, "x-api-key");
    head.contentTypes = valuesOf(request, "Content-Type");
    response.set_header("X-Content-Type-Options", "nosniff");
    if (const auto refusal = m_guard->refuse(head)) {
        answerError(response, refusal->status, refusal->text);
        response.set_header("Connection", "close"); // its body stays unread
        return false;
    }
    if (head.origins.empty())
        return true;
    response.set_header("Access-Control-Allow-Origin", head.origins.front());
    response.set_header("Vary", "Origin");
    if (request.method != "OPTIONS")
        return true;
    response.set_header("Access-Control-Allow-Methods", "GET, POST");
    response.set_header("Access-Control-Allow-Headers", "Authorization, Content-Type, x-api-key");
    response.status = 204;
    return false;
}

httplib::Server::Handler Server::safely(Answer answer)
{
    return [this, answer](const Request &request, Response &response) {
        try {
            (this->*answer)(request, response);
        } catch (const ApiError &error) {
            answerError(response, error.status, error.what(), error.param, error.code);
        } catch (const Error &error) {
            answerError(response, statusOf(error), error.what());
        } catch (const std::bad_alloc &) {
            answerError(response, 503, "not enough memory for this request");
        } catch (const std::exception &) {
            answerError(response, 500, "an internal error");
        }
    };
}

void Server::run(const std::stop_token &stop)
{
    const std::stop_callback end(stop, [this] {
        m_computing.request_stop();
        m_http.stop();
    });
    if (!stop.stop_requested())
        m_http.listen_after_bind();
}

void Server::models(const Request &, Response &response)
{
    const json model{{"id", m_served.id},
                     {"object", "model"},
                     {"created", 0},
                     {"owned_by", "fireside"},
                     {"context_length", m_model.context()}};
    response.set_content(dumped({{"object", "list"}, {"data", json::array({model})}}), kJson);
}

void Server::health(const Request &, Response &response)
{
    if (m_scheduler && m_scheduler->counts().deviceFailed)
        return answerError(response, 503, "a device failed; start the server again");
    response.set_content(R"({"status":"ok"})", kJson);
}

/// Prometheus' text format, version 0.0.4.
void Server::metrics(const Request &, Response &response)
{
    const SchedulerCounts c = m_scheduler ? m_scheduler->counts() : SchedulerCounts{};
    std::string text;
    const auto add = [&](const char *name, const char *type, const char *help, auto value) {
        const std::string full = std::string("fireside_") + name;
        text += "# HELP " + full + " " + help + "\n# TYPE " + full + " " + type + "\n" + full +
                " " + std::to_string(value) + "\n";
    };
    add("requests_running", "gauge", "Replies that are computed now.", c.running);
    add("requests_waiting", "gauge", "Requests that wait for their turn.", c.waiting);
    add("sessions_kept", "gauge", "Ended replies whose context memory is kept.", c.kept);
    add("cache_bytes", "gauge", "Context memory of running and kept replies.", c.cacheBytes);
    add("prompt_tokens_total", "counter", "Tokens of prompts.", c.promptTokens);
    add("prompt_tokens_cached_total", "counter", "Of them not computed again.", c.reusedTokens);
    add("generated_tokens_total", "counter", "Tokens of replies.", c.generatedTokens);
    add("requests_finished_total", "counter", "Replies that ended by themselves.", c.finished);
    add("requests_stopped_total", "counter", "Replies whose client went.", c.stopped);
    add("requests_failed_total", "counter", "Replies that ended with an error.", c.failed);
    add("requests_refused_total", "counter", "Requests for which the queue was full.", c.refused);
    add("passes_total", "counter", "Passes over running replies.", c.passes);
    add("pass_tokens_total", "counter", "Tokens drawn in these passes.", c.passTokens);
    response.set_content(text, "text/plain; version=0.0.4");
}

void Server::requireChatModel() const
{
    if (!m_scheduler)
        throw ApiError(400, "this model gives embeddings only", "model");
}

void Server::chat(const Request &request, Response &response)
{
    requireChatModel();
    reply(readChat(parsedBody(request.body), m_served), ReplyJson::Kind::Chat, request, response);
}

void Server::completion(const Request &request, Response &response)
{
    requireChatModel();
    reply(readCompletion(parsedBody(request.body), m_served), ReplyJson::Kind::Completion, request,
          response);
}

void Server::reply(AskedReplies asked, ReplyJson::Kind kind, const Request &request,
                   Response &response)
{
    for (const GenerateRequest &one : asked.requests)
        if (one.prompt.size() >= static_cast<std::size_t>(m_model.context()))
            throw ApiError(400,
                           "the prompt has " + std::to_string(one.prompt.size()) +
                               " tokens, the context " + std::to_string(m_model.context()),
                           kind == ReplyJson::Kind::Chat ? "messages" : "prompt",
                           "context_length_exceeded");
    ReplyJson format(kind, m_served, asked.requests.size(), asked.includeUsage);
    const std::string client =
        !asked.user.empty() ? "user " + asked.user
                            : request.remote_addr + " " + request.get_header_value("User-Agent");
    auto replies = std::make_unique<RunningReplies>(*m_scheduler, std::move(asked.requests),
                                                    asked.probabilities, client);
    if (!asked.stream)
        return replyWhole(*replies, format, response);
    const auto stream = std::make_shared<Stream>(Stream{std::move(replies), std::move(format)});
    response.set_header("Cache-Control", "no-cache");
    response.set_chunked_content_provider(
        "text/event-stream",
        [stream](std::size_t, httplib::DataSink &sink) { return stream->go(sink); });
}

void Server::replyWhole(RunningReplies &replies, ReplyJson &format, Response &response)
{
    while (replies.left() > 0) {
        const auto event = replies.next(kLook);
        if (!event && HttpListener::clientHasGone())
            return;
        if (!event)
            continue;
        if (event->failed)
            throw Error(*event->failed);
        if (event->finished && event->finished->finish == FinishReason::Stopped)
            throw ApiError(503, "the server is being shut down");
        format.chunks(*event);
    }
    response.set_content(format.whole(), kJson);
}

} // namespace fireside::server
