#pragma once
#include "app/server/clients.h"
#include "app/server/guard.h"
#include "app/server/http_listener.h"
#include "app/server/kept_responses.h"
#include "app/server/served_models.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace fireside::server {

class ReplyWriter;
class RunningReplies;

struct ServerOptions
{
    GuardSettings guard; // port 0: any free one
    HttpLimits limits{};
};

/// Serves models over HTTP in OpenAI's and Anthropic's ways. Nothing of what is asked or
/// answered is logged.
class Server
{
public:
    /// The models must outlive it. Error(BadInput) for settings; Error(Io) where the port is taken.
    Server(ServedModels &models, ServerOptions options);
    int port() const { return m_options.guard.port; }
    std::vector<Clients::Client> clients() const { return m_clients.all(); } // the latest first
    /// Answers until stop is requested; then replies in progress end.
    void run(const std::stop_token &stop);

private:
    using Request = httplib::Request;
    using Response = httplib::Response;
    using Answer = void (Server::*)(const Request &, Response &);
    httplib::Server::Handler safely(Answer answer);
    bool admitted(const Request &request, Response &response) const;
    void addRoutes();
    void models(const Request &, Response &response);
    void oneModel(const Request &request, Response &response);
    void health(const Request &, Response &response);
    void metrics(const Request &, Response &response);
    void chat(const Request &request, Response &response);
    void completion(const Request &request, Response &response);
    void messages(const Request &request, Response &response);
    void countTokens(const Request &request, Response &response);
    void responses(const Request &request, Response &response);
    void keptResponse(const Request &request, Response &response);
    void inputItems(const Request &request, Response &response);
    void forgetResponse(const Request &request, Response &response);
    void embeddings(const Request &request, Response &response);
    void rerank(const Request &request, Response &response);
    /// The model that a request names, loaded.
    ModelDesk::Use modelOf(const json &body);
    ModelDesk::Use chatModelOf(const json &body);
    /// prompt: the request's member that holds it, for errors
    void reply(ModelDesk::Use model, AskedReplies asked, std::unique_ptr<ReplyWriter> writer,
               const std::string &prompt, const Request &request, Response &response);
    void replyWhole(RunningReplies &replies, ReplyWriter &writer, Response &response);

    ServedModels &m_models;
    ServerOptions m_options;
    HttpListener m_http;
    std::optional<Guard> m_guard;  // once the port is known
    std::stop_source m_end;        // of all replies
    std::atomic<int> m_writing{0}; // replies that are being written
    std::mutex m_embedding;        // one request at a time: each takes memory of its own
    Clients m_clients;
    KeptResponses m_kept;
};

} // namespace fireside::server
