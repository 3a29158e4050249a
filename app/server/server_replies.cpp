// Requests for replies, of every interface: read, computed together, and written.
#include "app/server/error_answer.h"
#include "app/server/messages_reply.h"
#include "app/server/messages_requests.h"
#include "app/server/openai_reply.h"
#include "app/server/openai_requests.h"
#include "app/server/responses_reply.h"
#include "app/server/running_replies.h"
#include "app/server/server.h"

#include <chrono>

namespace fireside::server {
namespace {

constexpr std::chrono::milliseconds kLook{100};    // between two looks whether a client has gone
constexpr std::chrono::milliseconds kBreath{2000}; // between two signs of life in a stream

/// A reply that is written while it comes.
struct Stream
{
    Stream(std::unique_ptr<RunningReplies> runs, std::unique_ptr<ReplyWriter> writes,
           std::atomic<int> &all)
        : replies(std::move(runs))
        , writer(std::move(writes))
        , streams(all)
    {
        ++streams;
    }
    ~Stream() { --streams; }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    std::unique_ptr<RunningReplies> replies;
    std::unique_ptr<ReplyWriter> writer;
    std::atomic<int> &streams; // of the server
    std::chrono::steady_clock::time_point written = std::chrono::steady_clock::now();
    bool begun = false;

    bool send(httplib::DataSink &sink, const std::string &text)
    {
        if (text.empty())
            return true;
        written = std::chrono::steady_clock::now();
        return sink.write(text.data(), text.size());
    }
    /// What happens next; false when the client has gone.
    bool go(httplib::DataSink &sink)
    {
        if (!std::exchange(begun, true) && !send(sink, writer->begin()))
            return false;
        const auto event = replies->next(kLook);
        if (HttpListener::clientHasGone())
            return false;
        if (!event)
            return std::chrono::steady_clock::now() - written < kBreath ||
                   send(sink, writer->breath());
        const bool stopped = event->finished && event->finished->finish == FinishReason::Stopped;
        if (event->failed || stopped) {
            replies.reset();
            const bool sent =
                send(sink, event->failed
                               ? writer->failed(statusOf(*event->failed), event->failed->what())
                               : writer->failed(503, "the server is being shut down"));
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

void Server::requireChatModel() const
{
    if (!m_scheduler)
        throw ApiError(400, "this model gives embeddings only", "model");
}

void Server::chat(const Request &request, Response &response)
{
    requireChatModel();
    OpenAiRequest asked = readChat(parsedBody(request.body), m_served);
    auto writer = std::make_unique<OpenAiReply>(OpenAiReply::Kind::Chat, m_served,
                                                asked.replies.requests.size(), asked.includeUsage);
    reply(std::move(asked.replies), std::move(writer), "messages", request, response);
}

void Server::completion(const Request &request, Response &response)
{
    requireChatModel();
    OpenAiRequest asked = readCompletion(parsedBody(request.body), m_served);
    auto writer = std::make_unique<OpenAiReply>(OpenAiReply::Kind::Completion, m_served,
                                                asked.replies.requests.size(), asked.includeUsage);
    reply(std::move(asked.replies), std::move(writer), "prompt", request, response);
}

void Server::messages(const Request &request, Response &response)
{
    requireChatModel();
    AskedReplies asked = readMessages(parsedBody(request.body), m_served);
    auto writer = std::make_unique<MessagesReply>(m_served, asked.requests.front());
    reply(std::move(asked), std::move(writer), "messages", request, response);
}

void Server::countTokens(const Request &request, Response &response)
{
    requireChatModel();
    const AskedReplies asked = readCountTokens(parsedBody(request.body), m_served);
    response.set_content(dumped({{"input_tokens", asked.requests.front().prompt.size()}}), kJson);
}

void Server::responses(const Request &request, Response &response)
{
    requireChatModel();
    ResponsesRequest asked = readResponses(parsedBody(request.body), m_served, m_kept);
    AskedReplies replies = std::move(asked.replies);
    auto writer = std::make_unique<ResponsesReply>(m_served, std::move(asked), m_kept);
    reply(std::move(replies), std::move(writer), "input", request, response);
}

void Server::reply(AskedReplies asked, std::unique_ptr<ReplyWriter> writer,
                   const std::string &prompt, const Request &request, Response &response)
{
    for (const GenerateRequest &one : asked.requests)
        if (one.prompt.size() >= static_cast<std::size_t>(m_model.context()))
            throw ApiError(400,
                           "the prompt has " + std::to_string(one.prompt.size()) +
                               " tokens, the context " + std::to_string(m_model.context()),
                           prompt, "context_length_exceeded");
    const std::string client =
        !asked.user.empty() ? "user " + asked.user
                            : request.remote_addr + " " + request.get_header_value("User-Agent");
    const bool streams = asked.stream;
    auto replies = std::make_unique<RunningReplies>(*m_scheduler, std::move(asked), client);
    if (!streams)
        return replyWhole(*replies, *writer, response);
    const auto stream = std::make_shared<Stream>(std::move(replies), std::move(writer), m_streams);
    response.set_header("Cache-Control", "no-cache");
    response.set_chunked_content_provider(
        "text/event-stream",
        [stream](std::size_t, httplib::DataSink &sink) { return stream->go(sink); });
}

void Server::replyWhole(RunningReplies &replies, ReplyWriter &writer, Response &response)
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
        writer.add(*event);
    }
    response.set_content(dumped(writer.whole()), kJson);
}

} // namespace fireside::server
