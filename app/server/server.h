#pragma once
#include "app/server/chat_request.h"
#include "app/server/guard.h"
#include "app/server/http_listener.h"
#include "app/server/kept_responses.h"
#include "engine/generate/embedder.h"
#include "engine/generate/scheduler.h"

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

namespace fireside::server {

class ReplyWriter;
class RunningReplies;

struct ServerOptions
{
    GuardSettings guard; // port 0: any free one
    HttpLimits limits{};
    SchedulerSettings scheduler{}; // context, type and bytes are those of the model
    SamplingSettings sampling{};
    std::string modelId; // as clients ask for it
};

/// Serves a loaded model over HTTP in OpenAI's and Anthropic's ways. Nothing of what is asked or
/// answered is logged.
class Server
{
public:
    /// The model must outlive it. Error(BadInput) for settings; Error(Io) where the port is taken.
    Server(const LoadedModel &model, ServerOptions options);
    ~Server();
    int port() const { return m_options.guard.port; }
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
    void health(const Request &, Response &response);
    void metrics(const Request &, Response &response);
    void chat(const Request &request, Response &response);
    void completion(const Request &request, Response &response);
    void messages(const Request &request, Response &response);
    void countTokens(const Request &request, Response &response);
    void responses(const Request &request, Response &response);
    void embeddings(const Request &request, Response &response);
    void rerank(const Request &request, Response &response);
    /// prompt: the request's member that holds it, for errors
    void reply(AskedReplies asked, std::unique_ptr<ReplyWriter> writer, const std::string &prompt,
               const Request &request, Response &response);
    void replyWhole(RunningReplies &replies, ReplyWriter &writer, Response &response);
    void requireChatModel() const;

    const LoadedModel &m_model;
    ServerOptions m_options;
    Grammars m_grammars;
    ServedModel m_served;
    HttpListener m_http;
    std::optional<Guard> m_guard; // once the port is known
    std::optional<Scheduler> m_scheduler;
    std::jthread m_computing;
    std::mutex m_embedding;
    std::atomic<int> m_streams{0}; // that are being written
    KeptResponses m_kept;
};

} // namespace fireside::server
