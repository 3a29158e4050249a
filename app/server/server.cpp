#include "app/server/server.h"

#include "app/server/error_answer.h"
#include "engine/core/exception_guard.h"
#include "engine/core/quote.h"

#include <map>
#include <tuple>

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

/// What the guard looks at; `valuesOf` gives the values of a header.
template <typename ValuesOf>
RequestHead guardedHead(std::string_view method, std::string_view path, const ValuesOf &values)
{
    RequestHead head{method, path};
    head.hosts = values("host");
    head.origins = values("origin");
    head.authorizations = values("authorization");
    head.apiKeys = values("x-api-key");
    head.contentTypes = values("content-type");
    return head;
}

RequestHead guardedHead(const httplib::Request &request)
{
    return guardedHead(request.method, request.path,
                       [&](const char *name) { return valuesOf(request, name); });
}

} // namespace

Server::Server(ServedModels &models, ServerOptions options)
    : m_models(models)
    , m_options(std::move(options))
    , m_http(m_options.limits)
{
    GuardSettings &guard = m_options.guard;
    (void)Guard(guard); // before anything listens
    m_http.listenOn(guard.host, guard.port);
    guard.port = m_http.port();
    m_guard.emplace(guard);
    addRoutes();
}

void Server::addRoutes()
{
    // Clients differ in the prefix and in a slash at the end.
    const auto path = [](const char *name) { return std::string("(?:/v1)?/") + name + "/*"; };
    m_http.Get(path("models"), safely(&Server::models));
    m_http.Get(path("models/(.+?)"), safely(&Server::oneModel));
    m_http.Get(path("responses/([^/]+)"), safely(&Server::keptResponse));
    m_http.Get(path("responses/([^/]+)/input_items"), safely(&Server::inputItems));
    m_http.Delete(path("responses/([^/]+)"), safely(&Server::forgetResponse));
    m_http.Get("/health", safely(&Server::health));
    m_http.Get("/metrics", safely(&Server::metrics));
    m_http.Post(path("chat/completions"), safely(&Server::chat));
    m_http.Post(path("completions"), safely(&Server::completion));
    m_http.Post(path("responses"), safely(&Server::responses));
    m_http.Post(path("messages"), safely(&Server::messages));
    m_http.Post(path("messages/count_tokens"), safely(&Server::countTokens));
    m_http.Post(path("embeddings"), safely(&Server::embeddings));
    m_http.Post(path("rerank"), safely(&Server::rerank));
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
    const RequestHead head = guardedHead(request);
    response.set_header("X-Content-Type-Options", "nosniff");
    if (const auto refusal = m_guard->refuse(head)) {
        answerError(request, response, refusal->status, refusal->text);
        response.set_header("Connection", "close"); // its body stays unread
        return false;
    }
    if (const HttpProblem *const problem = HttpListener::problem())
        answerError(request, response, problem->status, problem->text);
    if (head.origins.empty())
        return HttpListener::problem() == nullptr;
    response.set_header("Access-Control-Allow-Origin", head.origins.front());
    response.set_header("Access-Control-Expose-Headers", "x-fireside-ignored");
    response.set_header("Vary", "Origin");
    if (request.method != "OPTIONS" || HttpListener::problem() != nullptr)
        return HttpListener::problem() == nullptr;
    response.set_header("Access-Control-Allow-Methods", "GET, POST, DELETE");
    response.set_header(
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, x-api-key, anthropic-version, anthropic-beta, "
        "anthropic-dangerous-direct-browser-access, openai-organization, openai-project, "
        "openai-beta, user-agent, x-app, x-title, http-referer, x-request-id, idempotency-key, "
        "x-stainless-arch, x-stainless-lang, x-stainless-os, x-stainless-package-version, "
        "x-stainless-runtime, x-stainless-runtime-version, x-stainless-retry-count, "
        "x-stainless-timeout, x-stainless-helper, x-stainless-helper-method, "
        "x-stainless-async, x-stainless-poll-helper, x-stainless-custom-poll-interval");
    response.status = 204;
    return false;
}

httplib::Server::Handler Server::safely(Answer answer)
{
    return [this, answer](const Request &request, Response &response) {
        const RequestNotes notes(m_options.strictApi);
        try {
            faultPoint("server.request");
            (this->*answer)(request, response);
        } catch (const ApiError &error) {
            answerError(request, response, error.status, error.what(), error.param, error.code);
        } catch (const Error &error) {
            answerError(request, response, statusOf(error), error.what());
        } catch (const std::bad_alloc &) {
            answerError(request, response, 503, "not enough memory for this request");
        } catch (...) {
            logContained("server.request", currentError());
            answerError(request, response, 500, "an internal error");
        }
        countIgnored(notes, response);
    };
}

void Server::countIgnored(const RequestNotes &notes, Response &response)
{
    if (notes.count() == 0)
        return;
    m_ignored += notes.count();
    response.set_header("x-fireside-ignored", notes.header());
}

void Server::run(const std::stop_token &stop)
{
    const std::stop_callback end(stop, [this] { m_end.request_stop(); });
    m_http.run(stop, [this](const HttpHead &head) {
        const std::string path(head.path());
        return !m_guard->refuse(
            guardedHead(head.method, path, [&](const char *name) { return head.values(name); }));
    });
}

/// Empty where there are no keys, or a single one that has no name.
std::string Server::keyNameOf(const Request &request) const
{
    const ApiKey *const key = m_guard->keyOf(guardedHead(request));
    return key == nullptr ? std::string() : key->name;
}

/// Never that of the window's own chats.
std::string Server::cacheRealmOf(const Request &request) const
{
    return "client/" + (m_options.shareCache ? std::string() : keyNameOf(request));
}

namespace {

const char *wordOf(ModelDesk::State state)
{
    switch (state) {
    case ModelDesk::State::Away:
        return "unloaded";
    case ModelDesk::State::Loading:
        return "loading";
    case ModelDesk::State::Open:
        return "loaded";
    case ModelDesk::State::Failed:
        break;
    }
    return "failed";
}

} // namespace

/// OpenAI's members and Anthropic's, and those in which agents look for the context's size.
json Server::described(const ServedModels::Listed &one) const
{
    json model{{"id", one.id},
               {"object", "model"},
               {"created", 0},
               {"owned_by", "fireside"},
               {"type", "model"},
               {"display_name", one.id},
               {"created_at", "1970-01-01T00:00:00Z"},
               {"state", wordOf(one.state)}};
    if (one.context > 0) {
        model["context_length"] = model["max_model_len"] = model["context_window"] = one.context;
        model["meta"]["n_ctx"] = one.context;
    }
    if (one.contextTrained > 0)
        model["meta"]["n_ctx_train"] = one.contextTrained;
    for (const auto &[alias, id] : m_options.aliases)
        if (id == one.id)
            model["aliases"].push_back(alias);
    if (!one.problem.empty())
        model["problem"] = one.problem;
    return model;
}

std::string Server::realName(const std::string &asked) const
{
    const auto alias = m_options.aliases.find(asked);
    return alias == m_options.aliases.end() ? asked : alias->second;
}

void Server::models(const Request &, Response &response)
{
    json list{{"object", "list"},
              {"data", json::array()},
              {"has_more", false},
              {"first_id", nullptr},
              {"last_id", nullptr}};
    for (const ServedModels::Listed &one : m_models.list())
        list["data"].push_back(described(one));
    if (!list["data"].empty()) {
        list["first_id"] = list["data"].front()["id"];
        list["last_id"] = list["data"].back()["id"];
    }
    list["models"] = json::array(); // Codex looks here
    for (const json &one : list["data"]) {
        json model = one;
        model["slug"] = one["id"];
        list["models"].push_back(std::move(model));
    }
    response.set_content(dumped(list), kJson);
}

void Server::oneModel(const Request &request, Response &response)
{
    const std::string id = realName(request.matches[1]);
    for (const ServedModels::Listed &one : m_models.list())
        if (one.id == id)
            return response.set_content(dumped(described(one)), kJson);
    throw ApiError(404, "there is no such model; /v1/models lists those that are served", "model",
                   "model_not_found");
}

/// Whether any model answers, or will when it is asked.
void Server::health(const Request &request, Response &response)
{
    std::string problem = "no model is loaded";
    for (const ServedModels::Listed &one : m_models.list()) {
        if (one.state != ModelDesk::State::Failed)
            return response.set_content(R"({"status":"ok"})", kJson);
        problem = one.id + ": " + one.problem;
    }
    answerError(request, response, 503, printable(problem));
}

namespace {

void add(SchedulerCounts &to, const SchedulerCounts &c)
{
    to.running += c.running;
    to.waiting += c.waiting;
    to.kept += c.kept;
    to.cacheBytes += c.cacheBytes;
    addTotals(to, c);
}

/// Of each key's clients, as far as keys have names.
std::string keyMetrics(const std::map<std::string, Clients::Totals> &keys)
{
    using Totals = Clients::Totals;
    const std::tuple<const char *, const char *, std::uint64_t Totals::*> counters[] = {
        {"key_requests_total", "Requests for replies with a key.", &Totals::requests},
        {"key_prompt_tokens_total", "Tokens of their prompts.", &Totals::promptTokens},
        {"key_generated_tokens_total", "Tokens of their replies.", &Totals::generatedTokens}};
    std::string text;
    for (const auto &[name, help, member] : counters) {
        const std::string full = std::string("fireside_") + name;
        text += "# HELP " + full + " " + help + "\n# TYPE " + full + " counter\n";
        for (const auto &[key, totals] : keys)
            if (!key.empty())
                text += full + "{key=" + dumped(json(key)) + "} " + std::to_string(totals.*member) +
                        "\n";
    }
    return text;
}

} // namespace

/// Prometheus' text format, version 0.0.4.
void Server::metrics(const Request &, Response &response)
{
    const std::vector<ServedModels::Listed> all = m_models.list();
    SchedulerCounts c;
    for (const ServedModels::Listed &one : all)
        add(c, one.counts);
    std::string text;
    const auto say = [&](const char *name, const char *type, const char *help, auto value) {
        const std::string full = std::string("fireside_") + name;
        text += "# HELP " + full + " " + help + "\n# TYPE " + full + " " + type + "\n" + full +
                " " + std::to_string(value) + "\n";
    };
    say("requests_running", "gauge", "Replies that are computed now.", c.running);
    say("requests_waiting", "gauge", "Requests that wait for their turn.", c.waiting);
    say("sessions_kept", "gauge", "Ended replies whose context memory is kept.", c.kept);
    say("cache_bytes", "gauge", "Context memory of running and kept replies.", c.cacheBytes);
    say("prompt_tokens_total", "counter", "Tokens of prompts.", c.promptTokens);
    say("prompt_tokens_cached_total", "counter", "Of them not computed again.", c.reusedTokens);
    say("generated_tokens_total", "counter", "Tokens of replies.", c.generatedTokens);
    say("requests_finished_total", "counter", "Replies that ended by themselves.", c.finished);
    say("requests_stopped_total", "counter", "Replies whose client went.", c.stopped);
    say("requests_failed_total", "counter", "Replies that ended with an error.", c.failed);
    say("requests_refused_total", "counter", "Requests for which the queue was full.", c.refused);
    say("ignored_total", "counter", "Parts of requests that were left out.", m_ignored.load());
    say("passes_total", "counter", "Passes of models.", c.passes);
    say("passes_shared_total", "counter", "Of them with tokens of several replies.",
        c.sharedPasses);
    say("pass_rows_total", "counter", "Tokens computed in passes.", c.passRows);
    say("pass_tokens_total", "counter", "Tokens drawn in passes.", c.passTokens);
    say("pass_seconds_total", "counter", "In passes.", c.passSeconds);
    say("draw_seconds_total", "counter", "Between passes: drawing tokens.", c.drawSeconds);
    say("tell_seconds_total", "counter", "Between passes: handing words on.", c.tellSeconds);
    say("begin_seconds_total", "counter", "Between passes: beginning replies.", c.beginSeconds);
    text += "# HELP fireside_model_loaded Whether it is in memory.\n"
            "# TYPE fireside_model_loaded gauge\n";
    for (const ServedModels::Listed &one : all)
        text += "fireside_model_loaded{model=" + dumped(json(one.id)) + "} " +
                (one.state == ModelDesk::State::Open ? "1\n" : "0\n");
    text += keyMetrics(m_clients.keys());
    response.set_content(text, "text/plain; version=0.0.4");
}

} // namespace fireside::server
