// Bodies of requests to the server, read and made ready for a model, without a socket.
#include "app/server/body_reader.h"
#include "app/server/chat_request.h"
#include "app/server/content_coding.h"
#include "app/server/kept_responses.h"
#include "app/server/messages_reply.h"
#include "app/server/messages_requests.h"
#include "app/server/openai_requests.h"
#include "app/server/responses_requests.h"
#include "engine/engine.h"
#include "tests/fuzz/target.h"

#include <algorithm>
#include <memory>
#include <string>

namespace fireside::fuzz {
namespace {

using server::AskedReplies;
using server::json;

/// The starter model, and an earlier response to go on from.
struct Served
{
    static Served &get()
    {
        static Served served;
        return served;
    }
    Engine engine;
    const std::shared_ptr<const LoadedModel> model =
        engine.load(FIRESIDE_SOURCE_DIR "/resources/models/fireside-starter-29m-q5_k_m.gguf",
                    {.backend = BackendKind::Cpu, .context = 1024});
    server::Grammars grammars{*model};
    server::ServedModel served{*model, "starter", {}, grammars};
    server::KeptResponses kept;

private:
    Served() { kept.keep({"resp_1", {{"user", "Hello"}, {"assistant", "Hi."}}, "{}", "[]"}); }
};

void checkReplies(const AskedReplies &asked, const Served &with)
{
    check(!asked.requests.empty());
    const std::int64_t vocabulary = with.model->model().config().vocabulary;
    for (const GenerateRequest &request : asked.requests)
        for (const TokenId id : request.prompt)
            check(id >= 0 && id < vocabulary);
}

AskedReplies readAs(std::string_view interface, const json &body, const Served &with)
{
    if (interface == "completions")
        return server::readCompletion(body, with.served).replies;
    if (interface == "messages")
        return server::readMessages(body, with.served);
    if (interface == "count_tokens")
        return server::readCountTokens(body, with.served);
    if (interface == "responses")
        return server::readResponses(body, with.served, with.kept).replies;
    return server::readChat(body, with.served).replies;
}

/// The first line names the interface, the rest is the body. What is refused is told in JSON.
void requests(Bytes input)
{
    Served &with = Served::get();
    const std::string_view text = textOf(input);
    const std::size_t line = std::min(text.find('\n'), text.size());
    const std::string_view interface = text.substr(0, line);
    int status = 0;
    std::string told, field, code;
    try {
        const json body =
            server::parsedBody(std::string(text.substr(std::min(line + 1, text.size()))));
        checkReplies(readAs(interface, body, with), with);
        return;
    } catch (const server::ApiError &error) {
        status = error.status;
        told = error.what();
        field = error.param;
        code = error.code;
    } catch (const Error &error) {
        status = 400;
        told = error.what();
    }
    check(status >= 400 && status < 600 && !told.empty());
    const json answer = json::parse(server::dumped(server::errorBody(status, told, field, code)));
    check(answer.at("error").at("message").is_string());
    const json other = json::parse(server::dumped(server::messagesError(status, told)));
    check(other.at("error").at("message").is_string());
}

/// Bytes of a connection up to the body that a handler gets. No part may pass its limit.
void httpRequests(Bytes input)
{
    constexpr std::size_t kMaxBytes = 100'000, kPieceBytes = 7;
    const std::string_view text = textOf(input);
    const std::size_t end = server::endOfHead(text, 0);
    if (end == std::string_view::npos)
        return;
    const auto head = server::readHead(text.substr(0, end));
    if (std::holds_alternative<server::HttpProblem>(head))
        return;
    const auto frame = server::bodyFrameOf(std::get<server::HttpHead>(head), kMaxBytes);
    if (std::holds_alternative<server::HttpProblem>(frame))
        return;
    server::BodyReader reader(std::get<server::BodyFrame>(frame), kMaxBytes);
    std::string rest;
    for (std::size_t at = end; at < text.size() && !reader.problem(); at += kPieceBytes) {
        rest += text.substr(at, kPieceBytes);
        reader.take(rest);
    }
    check(reader.bytes() <= kMaxBytes);
    try {
        check(server::decodedBody(reader.takeBody(), std::get<server::BodyFrame>(frame).codings,
                                  kMaxBytes)
                  .size() <= kMaxBytes);
    } catch (const server::ApiError &error) {
        check(error.status == 400 || error.status == 413);
    }
}

} // namespace

std::vector<Target> targets()
{
    return {{"http", httpRequests}, {"requests", requests}};
}

} // namespace fireside::fuzz
