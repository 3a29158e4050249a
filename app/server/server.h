#pragma once
#include "app/server/clients.h"
#include "app/server/guard.h"
#include "app/server/http_listener.h"
#include "app/server/kept_responses.h"
#include "app/server/served_models.h"
#include "app/server/tolerance.h"

#include <atomic>
#include <map>
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
    bool strictApi = false; // a request with an unknown member is refused, as others are
    std::map<std::string, std::string> aliases{}; // further names of models, each with its model
    bool shareCache = false; // what is computed of a prompt serves requests with other keys, too
};

/// Serves models over HTTP in OpenAI's and Anthropic's ways. Nothing of what is asked or
/// answered is logged.
class Server
{
public:
    /// Listens; requests that come are answered from run() on. The models must outlive it.
    /// Error(BadInput) for settings; Error(Io), which names the port, where it is in use.
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
    std::string keyNameOf(const Request &request) const;
    std::string cacheRealmOf(const Request &request) const;
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
    json described(const ServedModels::Listed &one) const;
    std::string realName(const std::string &asked) const; // of an alias
    std::string chatModelName(const json &body) const;
    void countIgnored(const RequestNotes &notes, Response &response);
    ModelDesk::Use useModel(const std::string &name);
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
    std::optional<Guard> m_guard; // once the port is known
    std::stop_source m_end;       // of all replies
    std::mutex m_embedding;       // one request at a time: each takes memory of its own
    Clients m_clients;
    KeptResponses m_kept;
    std::atomic<std::uint64_t> m_ignored{0}; // parts of requests
};

} // namespace fireside::server
