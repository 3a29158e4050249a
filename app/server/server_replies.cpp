// Requests for replies, of every interface: read, computed together, and written.
#include "app/server/error_answer.h"
#include "app/server/messages_reply.h"
#include "app/server/messages_requests.h"
#include "app/server/openai_reply.h"
#include "app/server/openai_requests.h"
#include "app/server/responses_reply.h"
#include "app/server/running_replies.h"
#include "app/server/server.h"
#include "engine/core/exception_guard.h"

#include <algorithm>
#include <chrono>

namespace fireside::server {
namespace {

constexpr std::chrono::milliseconds kLook{100};    // between two looks whether a client has gone
constexpr std::chrono::milliseconds kBreath{2000}; // between two signs of life in a stream

/// A reply that is written while it comes.
struct Stream
{
    std::unique_ptr<RunningReplies> replies;
    std::unique_ptr<ReplyWriter> writer;
    std::chrono::steady_clock::time_point written = std::chrono::steady_clock::now();
    bool begun = false;

    bool send(httplib::DataSink &sink, const std::string &text)
    {
        if (text.empty())
            return true;
        written = std::chrono::steady_clock::now();
        return sink.write(text.data(), text.size());
    }
    /// go(), for the library, which an exception must not reach: the stream ends with the error.
    bool step(httplib::DataSink &sink) noexcept
    {
        bool goes = false;
        containExceptions(
            "server.stream", [&] { goes = go(sink); },
            [&](const Error &error) {
                goes = send(sink, writer->failed(statusOf(error), error.what()));
                replies.reset();
                sink.done();
            });
        return goes;
    }
    /// What happens next; false when the client has gone.
    bool go(httplib::DataSink &sink)
    {
        if (!std::exchange(begun, true) && !send(sink, writer->begin()))
            return false;
        const auto event = replies->next(kLook);
        if (HttpListener::clientHasGone())
            return false;
        if (!event && replies->isEnding()) { // the pass that is computed may take long
            const bool sent = send(sink, writer->failed(503, replies->whyStopped()));
            replies.reset();
            sink.done();
            return sent;
        }
        if (!event)
            return std::chrono::steady_clock::now() - written < kBreath ||
                   send(sink, writer->breath());
        const bool stopped = event->finished && event->finished->finish == FinishReason::Stopped;
        if (event->failed || stopped) {
            const bool sent =
                send(sink, event->failed
                               ? writer->failed(statusOf(*event->failed), event->failed->what())
                               : writer->failed(503, replies->whyStopped()));
            replies.reset();
            sink.done();
            return sent;
        }
        std::string text = writer->add(*event);
        const bool last = replies->left() == 0;
        if (last)
            text += writer->end();
        if (!send(sink, text))
            return false;
        if (last)
            sink.done();
        return true;
    }
};

} // namespace

ModelDesk::Use Server::modelOf(const json &body)
{
    Parameters p(body);
    const json &name = p.require("model");
    if (!name.is_string())
        p.refuse("model", "a string");
    return useModel(realName(name.get<std::string>()));
}

ModelDesk::Use Server::useModel(const std::string &name)
{
    return m_models.use(name,
                        [this] { return HttpListener::clientHasGone() || m_end.stop_requested(); });
}

/// A single model answers for any name. Among several one is found by its name, an alias, or the
/// name as Ollama writes it; letters' case does not matter.
std::string Server::chatModelName(const json &body) const
{
    Parameters p(body);
    const json *const name = p.find("model");
    const std::vector<ServedModels::Listed> all = m_models.list();
    if (all.size() == 1)
        return all.front().id;
    if (name == nullptr || !name->is_string())
        return p.require("model"), p.text("model").value();
    const std::string asked = realName(name->get<std::string>());
    const auto plain = [](std::string text) {
        constexpr std::string_view kLatest = ":latest";
        if (text.ends_with(kLatest))
            text.resize(text.size() - kLatest.size());
        std::transform(text.begin(), text.end(), text.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        return text;
    };
    std::string found;
    for (const ServedModels::Listed &one : all) {
        if (one.id == asked)
            return asked;
        if (found.empty() && plain(one.id) == plain(asked))
            found = one.id;
    }
    return found.empty() ? asked : found;
}

ModelDesk::Use Server::chatModelOf(const json &body)
{
    ModelDesk::Use model = readsStrictly() ? modelOf(body) : useModel(chatModelName(body));
    if (model.scheduler() == nullptr)
        throw ApiError(400, "this model gives embeddings only", "model");
    return model;
}

void Server::chat(const Request &request, Response &response)
{
    const json body = parsedBody(request.body);
    ModelDesk::Use model = chatModelOf(body);
    OpenAiRequest asked = readChat(body, model.served());
    auto writer = std::make_unique<OpenAiReply>(OpenAiReply::Kind::Chat, model.served().id,
                                                asked.replies.requests.size(), asked.includeUsage);
    reply(std::move(model), std::move(asked.replies), std::move(writer), "messages", request,
          response);
}

void Server::completion(const Request &request, Response &response)
{
    const json body = parsedBody(request.body);
    ModelDesk::Use model = chatModelOf(body);
    OpenAiRequest asked = readCompletion(body, model.served());
    auto writer = std::make_unique<OpenAiReply>(OpenAiReply::Kind::Completion, model.served().id,
                                                asked.replies.requests.size(), asked.includeUsage);
    reply(std::move(model), std::move(asked.replies), std::move(writer), "prompt", request,
          response);
}

void Server::messages(const Request &request, Response &response)
{
    const json body = parsedBody(request.body);
    ModelDesk::Use model = chatModelOf(body);
    AskedReplies asked = readMessages(body, model.served());
    auto writer = std::make_unique<MessagesReply>(model.served().id, asked.requests.front());
    reply(std::move(model), std::move(asked), std::move(writer), "messages", request, response);
}

void Server::countTokens(const Request &request, Response &response)
{
    const json body = parsedBody(request.body);
    const ModelDesk::Use model = chatModelOf(body);
    const AskedReplies asked = readCountTokens(body, model.served());
    response.set_content(dumped({{"input_tokens", asked.requests.front().prompt.size()}}), kJson);
}

void Server::responses(const Request &request, Response &response)
{
    const json body = parsedBody(request.body);
    ModelDesk::Use model = chatModelOf(body);
    ResponsesRequest asked = readResponses(body, model.served(), m_kept, keyNameOf(request));
    AskedReplies replies = std::move(asked.replies);
    auto writer = std::make_unique<ResponsesReply>(model.served().id, std::move(asked), m_kept);
    reply(std::move(model), std::move(replies), std::move(writer), "input", request, response);
}

void Server::reply(ModelDesk::Use use, AskedReplies asked, std::unique_ptr<ReplyWriter> writer,
                   const std::string &prompt, const Request &request, Response &response)
{
    std::optional<ModelDesk::Use> model(std::move(use));
    const int context = model->served().model.context();
    for (const GenerateRequest &one : asked.requests)
        if (one.prompt.size() >= static_cast<std::size_t>(context))
            throw ApiError(400,
                           "prompt is too long: " + std::to_string(one.prompt.size()) +
                               " tokens > " + std::to_string(context) + " maximum",
                           prompt, "context_length_exceeded");
    const std::string agent = request.get_header_value("User-Agent"), key = keyNameOf(request);
    const std::string client =
        key + "\n" +
        (!asked.user.empty() ? "user " + asked.user : request.remote_addr + " " + agent);
    const bool streams = asked.stream;
    auto replies = std::make_unique<RunningReplies>(
        *model->scheduler(), std::move(asked), RunningReplies::Asker{client, cacheRealmOf(request)},
        std::make_unique<Clients::Visit>(m_clients, request.remote_addr, agent, key),
        m_end.get_token());
    model.reset(); // from here on it may go
    if (!streams)
        return replyWhole(*replies, *writer, response);
    const auto stream = std::make_shared<Stream>();
    stream->replies = std::move(replies);
    stream->writer = std::move(writer);
    response.set_header("Cache-Control", "no-cache");
    response.set_chunked_content_provider(
        "text/event-stream",
        [stream](std::size_t, httplib::DataSink &sink) { return stream->step(sink); });
}

void Server::replyWhole(RunningReplies &replies, ReplyWriter &writer, Response &response)
{
    while (replies.left() > 0) {
        const auto event = replies.next(kLook);
        if (!event && HttpListener::clientHasGone())
            return;
        if (!event && replies.isEnding())
            throw ApiError(503, replies.whyStopped());
        if (!event)
            continue;
        if (event->failed)
            throw Error(*event->failed);
        if (event->finished && event->finished->finish == FinishReason::Stopped)
            throw ApiError(503, replies.whyStopped());
        writer.add(*event);
    }
    response.set_content(dumped(writer.whole()), kJson);
}

} // namespace fireside::server
