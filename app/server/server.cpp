#include "app/server/server.h"

#include "app/server/error_answer.h"
#include "engine/core/error.h"

namespace fireside::server {
namespace {

std::vector<std::string> valuesOf(const httplib::Request &request, const char *name)
{
    std::vector<std::string> values;
    const auto [first, last] = request.headers.equal_range(name);
    for (auto it = first; it != last; ++it)
        values.push_back(it->second);
    return values;
}

} // namespace

Server::Server(const LoadedModel &model, ServerOptions options)
    : m_model(model)
    , m_options(std::move(options))
    , m_grammars(model)
    , m_served{model, m_options.modelId, m_options.sampling, m_grammars}
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
    m_http.Post("/v1/responses", safely(&Server::responses));
    m_http.Post("/v1/messages", safely(&Server::messages));
    m_http.Post("/v1/messages/count_tokens", safely(&Server::countTokens));
    m_http.Post("/v1/embeddings", safely(&Server::embeddings));
    m_http.Post("/v1/rerank", safely(&Server::rerank));
    m_http.set_pre_routing_handler([this](const Request &request, Response &response) {
        return admitted(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                           : httplib::Server::HandlerResponse::Handled;
    });
    m_http.set_error_handler([](const Request &request, Response &response) {
        if (response.body.empty()) // of the library: a path it does not know, a body too large
            answerError(request, response, response.status,
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
        answerError(request, response, refusal->status, refusal->text);
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
    response.set_header(
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, x-api-key, anthropic-version, anthropic-beta");
    response.status = 204;
    return false;
}

httplib::Server::Handler Server::safely(Answer answer)
{
    return [this, answer](const Request &request, Response &response) {
        try {
            (this->*answer)(request, response);
        } catch (const ApiError &error) {
            answerError(request, response, error.status, error.what(), error.param, error.code);
        } catch (const Error &error) {
            answerError(request, response, statusOf(error), error.what());
        } catch (const std::bad_alloc &) {
            answerError(request, response, 503, "not enough memory for this request");
        } catch (const std::exception &) {
            answerError(request, response, 500, "an internal error");
        }
    };
}

void Server::run(const std::stop_token &stop)
{
    const std::stop_callback end(stop, [this] {
        m_computing.request_stop();
        // Streams tell their clients, unless those do not listen.
        for (int waits = 0; m_streams > 0 && waits < 100; ++waits)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
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

void Server::health(const Request &request, Response &response)
{
    if (m_scheduler && m_scheduler->counts().deviceFailed)
        return answerError(request, response, 503, "a device failed; start the server again");
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

} // namespace fireside::server
