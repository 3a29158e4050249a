// Clients that are slow, idle, greedy or lie about what they send: others are served all the while.
#include "engine/core/error.h"
#include "tests/server/compressed.h"
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"
#include "tests/support/require.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <semaphore>
#include <thread>

namespace fireside {
namespace {

using nlohmann::json;
using test::RawClient;
using test::RunningServer;
using namespace std::chrono_literals;

const std::string kHealth = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string post(const std::string &path, const std::string &headers, const std::string &body)
{
    return "POST " + path +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           "Connection: close\r\n" +
           headers + "\r\n" + body;
}

std::string chunked(const std::string &body, std::size_t piece)
{
    std::string text;
    char size[32];
    for (std::size_t at = 0; at < body.size(); at += piece) {
        const std::string one = body.substr(at, piece);
        std::snprintf(size, sizeof size, "%zx\r\n", one.size());
        text += size + one + "\r\n";
    }
    return text + "0\r\n\r\n";
}

std::string lengthOf(const std::string &body)
{
    return "Content-Length: " + std::to_string(body.size()) + "\r\n";
}

std::string exchanged(const RunningServer &server, const std::string &request)
{
    const RawClient client(server.port());
    client.send(request);
    return client.receiveAll();
}

int statusOf(const std::string &reply)
{
    return reply.size() > 12 && reply.starts_with("HTTP/1.1 ") ? std::stoi(reply.substr(9, 3)) : 0;
}

/// A server whose model is never loaded: enough for what is refused before.
std::unique_ptr<RunningServer> serverWith(const server::HttpLimits &limits)
{
    server::ServerOptions options;
    options.limits = limits;
    return std::make_unique<RunningServer>(
        std::vector{RunningServer::hosted("starter", test::starterModel())}, options);
}

std::string healthOf(const RunningServer &server)
{
    const RawClient client(server.port());
    client.send(kHealth);
    return client.receiveUntil("\r\n\r\n").substr(0, 12);
}

class HttpLimitsTest : public testing::Test
{
protected:
    static void SetUpTestSuite() { s_server = new RunningServer; }
    static void TearDownTestSuite() { delete s_server; }

    static std::string tokenized(const std::string &headers, const std::string &body)
    {
        return exchanged(*s_server, post("/v1/messages/count_tokens", headers, body));
    }
    static std::string question(const std::string &text = "Hello")
    {
        return json{{"model", "starter"}, {"messages", {{{"role", "user"}, {"content", text}}}}}
            .dump();
    }

    inline static RunningServer *s_server = nullptr;
};

TEST_F(HttpLimitsTest, CompressedAndChunkedBodiesAreRead)
{
    const std::string body = question();
    const std::string expected = tokenized(lengthOf(body), body);
    ASSERT_EQ(statusOf(expected), 200) << expected;
    const std::string answer = expected.substr(expected.find("\r\n\r\n"));
    const auto same = [&](const std::string &headers, const std::string &sent) {
        const std::string reply = tokenized(headers, sent);
        return statusOf(reply) == 200 && reply.ends_with(answer) ? "" : headers + reply;
    };
    const std::string chunks = "Transfer-Encoding: chunked\r\n";
    for (const std::size_t piece : {1u, 7u, 4096u})
        EXPECT_EQ(same(chunks, chunked(body, piece)), "");
    const std::vector<std::pair<std::string, std::string>> codings{
        {"gzip", test::gzipped(body)},
        {"deflate", test::deflated(body, true)},
        {"br", test::brotlied(body)},
        {"gzip, br", test::brotlied(test::gzipped(body))}};
    for (const auto &[coding, sent] : codings) {
        const std::string header = "Content-Encoding: " + coding + "\r\n";
        EXPECT_EQ(same(header + lengthOf(sent), sent), "");
        EXPECT_EQ(same(header + chunks, chunked(sent, 5)), "");
    }
}

TEST_F(HttpLimitsTest, TheLimitIsOfWhatComesOutOfTheBody)
{
    const std::string large = question(std::string(17 << 20, ' '));
    const std::string chunks = "Transfer-Encoding: chunked\r\n";
    EXPECT_EQ(statusOf(tokenized(lengthOf(large), {})), 413) << "before the body is sent";
    EXPECT_EQ(statusOf(tokenized(chunks, chunked(large, 1 << 20))), 413);
    for (const auto &[coding, sent] : std::vector<std::pair<std::string, std::string>>{
             {"gzip", test::gzipped(large)},
             {"deflate", test::deflated(large, true)},
             {"br", test::brotlied(large)},
             {"gzip, gzip", test::gzipped(test::gzipped(large))}}) {
        const std::string header = "Content-Encoding: " + coding + "\r\n";
        EXPECT_EQ(statusOf(tokenized(header + lengthOf(sent), sent)), 413) << coding;
        EXPECT_EQ(statusOf(tokenized(header + chunks, chunked(sent, 1000))), 413) << coding;
    }
    for (const char *coding : {"zstd", "compress", "gzip, zstd"})
        EXPECT_EQ(
            statusOf(tokenized(
                std::string("Content-Encoding: ") + coding + "\r\nContent-Length: 4\r\n", "abcd")),
            415)
            << coding;
    const std::string refusal =
        tokenized("Content-Encoding: zstd\r\nContent-Length: 4\r\n", "abcd");
    EXPECT_NE(refusal.find("br, deflate and gzip"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find(R"("type":"error")"), std::string::npos) << "in the interface's shape";
}

TEST_F(HttpLimitsTest, KeptConnectionsAnswerRequestAfterRequest)
{
    const RawClient client(s_server->port());
    for (int i = 0; i < 3; ++i) {
        client.send(kHealth);
        EXPECT_TRUE(client.receiveUntil(R"({"status":"ok"})").starts_with("HTTP/1.1 200"));
    }
    client.send(kHealth + "GET /v1/models/none HTTP/1.1\r\nHost: localhost\r\n\r\n" +
                "HEAD /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const std::string all = client.receiveAll();
    const std::size_t first = all.find("HTTP/1.1 200"), second = all.find("HTTP/1.1 404"),
                      third = all.rfind("HTTP/1.1 200");
    EXPECT_LT(first, second) << all;
    EXPECT_LT(second, third) << "in their order: " << all;
    EXPECT_TRUE(all.ends_with("\r\n\r\n")) << "HEAD has no body: " << all;
    const std::string old = exchanged(*s_server, "GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n");
    EXPECT_TRUE(old.ends_with(R"({"status":"ok"})")) << "closed behind it: " << old;
}

TEST_F(HttpLimitsTest, AClientThatAsksIsToldToSendItsBody)
{
    const std::string body = question();
    const RawClient client(s_server->port());
    client.send(post("/v1/messages/count_tokens", "Expect: 100-continue\r\n" + lengthOf(body), {}));
    EXPECT_EQ(client.receiveUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(body);
    EXPECT_EQ(statusOf(client.receiveAll()), 200);
    EXPECT_EQ(statusOf(exchanged(*s_server, post("/v1/chat/completions", "Expect: x\r\n", {}))),
              417);
}

TEST_F(HttpLimitsTest, RefusedRequestsNeedNoBody)
{
    const std::string rest = "Content-Length: 1000\r\n\r\n"; // which does not come
    EXPECT_EQ(statusOf(exchanged(*s_server, "POST /v1/completions HTTP/1.1\r\nHost: "
                                            "evil.example\r\n" +
                                                rest)),
              403);
    EXPECT_EQ(statusOf(exchanged(*s_server, "POST /v1/completions HTTP/1.1\r\nHost: "
                                            "localhost\r\nContent-Type: text/plain\r\n" +
                                                rest)),
              415);
    const std::string page = "Origin: https://evil.example\r\n";
    EXPECT_EQ(statusOf(exchanged(*s_server, "OPTIONS /v1/completions HTTP/1.1\r\nHost: "
                                            "localhost\r\n" +
                                                page + "\r\n")),
              403);
}

TEST_F(HttpLimitsTest, HeadsThatAreNoneAreAnsweredAndTheConnectionEnds)
{
    EXPECT_EQ(statusOf(exchanged(*s_server, "hello\r\n\r\n")), 400);
    EXPECT_EQ(statusOf(exchanged(*s_server, "GET / HTTP/3\r\n\r\n")), 505);
    EXPECT_EQ(statusOf(exchanged(*s_server, "GET / HTTP/1.1\r\n" + std::string(40'000, 'a'))), 431);
    const RawClient client(s_server->port());
    client.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                "application/json\r\nContent-Length: 10\r\n\r\nabc");
    client.endSending();
    EXPECT_EQ(statusOf(client.receiveAll()), 400) << "a body that is cut";
}

TEST_F(HttpLimitsTest, RequestsOfTooManyMessagesAreRefusedBeforeAnyWork)
{
    json many = json::parse(question());
    for (int i = 0; i < 10'000; ++i)
        many["messages"].push_back({{"role", "user"}, {"content", "x"}});
    for (const char *path : {"/v1/messages/count_tokens", "/v1/chat/completions"}) {
        const std::string body = many.dump();
        const std::string reply = exchanged(*s_server, post(path, lengthOf(body), body));
        EXPECT_EQ(statusOf(reply), 400);
        EXPECT_NE(reply.find("10001 entries"), std::string::npos) << reply;
    }
    const std::string items = json{{"model", "starter"}, {"input", many["messages"]}}.dump();
    EXPECT_NE(
        exchanged(*s_server, post("/v1/responses", lengthOf(items), items)).find("10001 entries"),
        std::string::npos);
    many["messages"].erase(many["messages"].begin() + 300, many["messages"].end());
    const std::string some = many.dump();
    EXPECT_NE(
        tokenized(lengthOf(some), some).find("300 messages, at least as many tokens > 256 maximum"),
        std::string::npos);
    const std::string blanks = question(std::string(4 << 20, ' '));
    EXPECT_NE(tokenized(lengthOf(blanks), blanks).find("has 4194304 bytes"), std::string::npos);
    const std::string prompt =
        json{{"model", "starter"}, {"prompt", std::string(4 << 20, ' ')}}.dump();
    EXPECT_NE(exchanged(*s_server, post("/v1/completions", lengthOf(prompt), prompt))
                  .find("has 4194304 bytes"),
              std::string::npos);
}

TEST(HttpStarvationTest, IdleAndSlowConnectionsHoldNobodyUp)
{
    server::HttpLimits limits;
    limits.headTime = limits.keepAlive = limits.silence = limits.wholeRequest = 600s;
    limits.running = 2;
    const auto server = serverWith(limits);
    std::vector<RawClient> idle;
    for (int i = 0; i < 60; ++i)
        idle.emplace_back(server->port());
    for (int i = 0; i < 60; ++i) {
        idle.emplace_back(server->port());
        idle.back().send("GET /health HTTP/1.1\r\nHost: local");
    }
    for (int i = 0; i < 60; ++i) {
        idle.emplace_back(server->port());
        idle.back().send(post("/v1/chat/completions", "Content-Length: 1000\r\n", "{"));
    }
    for (int i = 0; i < 5; ++i) // each would wait for ten minutes
        EXPECT_EQ(healthOf(*server), "HTTP/1.1 200");
    EXPECT_EQ(server->client().Get("/v1/models")->status, 200);
}

/// Requests wait for its model until the client or the server goes.
class WaitingModels : public server::ServedModels
{
public:
    std::vector<Listed> list() const override
    {
        return {{"m", server::ModelDesk::State::Loading, 0, {}, {}}};
    }
    server::ModelDesk::Use use(const std::string &, const std::function<bool()> &gone) override
    {
        m_waiting.release();
        while (!gone())
            std::this_thread::sleep_for(10ms);
        throw server::ApiError(503, "gone");
    }
    bool waitForRequest() { return m_waiting.try_acquire_for(60s); }
    bool hasRequest() { return m_waiting.try_acquire(); }

private:
    std::counting_semaphore<> m_waiting{0};
};

struct WaitingServer
{
    explicit WaitingServer(const server::HttpLimits &limits)
        : server(models, {{}, limits})
        , thread([this](const std::stop_token &stop) { server.run(stop); })
    {}
    WaitingModels models;
    server::Server server;
    std::jthread thread;
};

const std::string kAsked = post("/v1/completions", "Content-Length: 13\r\n", R"({"model":"m"})");

int statusFrom(int port, const std::string &request)
{
    const RawClient client(port);
    client.send(request);
    return statusOf(client.receiveUntil("\r\n\r\n"));
}

TEST(HttpStarvationTest, HealthIsAnsweredWhileAllWorkersAreBusy)
{
    server::HttpLimits limits;
    limits.running = 1;
    WaitingServer waiting(limits);
    const int port = waiting.server.port();
    const RawClient first(port), second(port);
    first.send(kAsked);
    ASSERT_TRUE(waiting.models.waitForRequest());
    second.send(kAsked);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(statusFrom(port, kHealth), 200);
    // And who is refused need not wait either.
    EXPECT_EQ(statusFrom(port, "GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
    waiting.thread.request_stop();
    EXPECT_EQ(statusOf(first.receiveAll()), 503) << "the server's end is told";
}

TEST(HttpStarvationTest, AnAddressCannotTakeAllWorkers)
{
    server::HttpLimits limits;
    limits.runningPerAddress = 1;
    WaitingServer waiting(limits);
    const RawClient first(waiting.server.port()), second(waiting.server.port());
    first.send(kAsked);
    ASSERT_TRUE(waiting.models.waitForRequest());
    second.send(kAsked);
    {
        const RawClient third(waiting.server.port());
        third.send(kHealth);
        EXPECT_EQ(statusOf(third.receiveUntil("\r\n\r\n")), 200) << "the second has come by now";
    }
    EXPECT_FALSE(waiting.models.hasRequest());
    first.endSending(); // the client has gone: its request ends, and the next begins
    EXPECT_TRUE(waiting.models.waitForRequest());
}

TEST(HttpStarvationTest, TheConnectionIdleLongestMakesRoom)
{
    for (const bool perAddress : {true, false}) {
        server::HttpLimits limits;
        limits.headTime = 600s;
        (perAddress ? limits.connectionsPerAddress : limits.connections) = 4;
        const auto server = serverWith(limits);
        std::vector<RawClient> idle;
        for (int i = 0; i < 40; ++i) {
            idle.emplace_back(server->port());
            EXPECT_TRUE(idle.back().isConnected());
        }
        EXPECT_EQ(healthOf(*server), "HTTP/1.1 200");
        EXPECT_TRUE(idle.front().isClosed());
        idle.back().send(kHealth);
        EXPECT_TRUE(idle.back().receiveUntil("\r\n\r\n").starts_with("HTTP/1.1 200"));
    }
}

TEST(HttpStarvationTest, WhereAllConnectionsAreBusyOthersAreToldSo)
{
    server::HttpLimits limits;
    limits.connections = 1;
    WaitingServer waiting(limits);
    const RawClient first(waiting.server.port());
    first.send(kAsked);
    ASSERT_TRUE(waiting.models.waitForRequest());
    EXPECT_EQ(statusFrom(waiting.server.port(), kHealth), 200);
    EXPECT_EQ(statusFrom(waiting.server.port(), kAsked), 503);
}

TEST(HttpTimeTest, HeadsBodiesAndPausesHaveATime)
{
    server::HttpLimits limits;
    limits.headTime = 300ms;
    limits.wholeRequest = 900ms;
    limits.silence = 300ms;
    limits.keepAlive = 300ms;
    const auto server = serverWith(limits);
    const RawClient nothing(server->port());
    EXPECT_EQ(nothing.receiveAll(), "") << "closed without a word";
    EXPECT_EQ(statusOf(exchanged(*server, "GET /health HTTP/1.1\r\n")), 408);
    const std::string start = post("/v1/completions", "Content-Length: 100000\r\n", "{");
    EXPECT_EQ(statusOf(exchanged(*server, start)), 408) << "silence";
    const RawClient kept(server->port());
    kept.send(kHealth);
    EXPECT_TRUE(kept.receiveAll().ends_with(R"({"status":"ok"})")) << "closed after a pause";
}

// A byte now and then is no silence, but the whole request has an end as well.
TEST(HttpTimeTest, ASlowDripEnds)
{
    server::HttpLimits limits;
    limits.headTime = 300ms;
    limits.wholeRequest = 600ms;
    limits.silence = 600s;
    const auto server = serverWith(limits);
    for (const std::string &start :
         {std::string("GET /health HTTP/1.1\r\nX-A: "),
          post("/v1/completions", "Content-Length: 100000\r\n", "{"),
          post("/v1/completions", "Transfer-Encoding: chunked\r\n", "1000\r\n")}) {
        const RawClient client(server->port());
        bool open = client.send(start);
        for (int i = 0; open && i < 3000; ++i) {
            std::this_thread::sleep_for(20ms);
            open = client.send(" ");
        }
        EXPECT_FALSE(open) << "a minute of blanks";
    }
}

TEST(HttpTimeTest, LargeBodiesAreLimitedTogether)
{
    server::HttpLimits limits;
    limits.largeBodyBytes = 3 << 20;
    limits.wholeRequest = limits.silence = 600s;
    const auto server = serverWith(limits);
    const std::string part(4 << 20, ' ');
    const RawClient first(server->port()), second(server->port());
    const std::string start = post("/v1/completions", "Content-Length: 8000000\r\n", {});
    first.send(start + part.substr(0, 3 << 20));
    second.send(start);
    second.send(part);
    EXPECT_EQ(statusOf(second.receiveAll()), 503);
    EXPECT_EQ(healthOf(*server), "HTTP/1.1 200");
}

TEST(ListenTest, ASecondServerOnThePortIsRefusedAndThePortNamed)
{
    const auto first = serverWith({});
    for (const char *host : {"127.0.0.1", "localhost", "0.0.0.0", "::"}) {
        server::ServerOptions options;
        options.guard.host = host;
        options.guard.port = first->port();
        options.guard.keys = {{{}, "0123456789abcdef"}};
        try {
            server::Server second(first->shelf(), options);
            FAIL() << host;
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Io);
            const std::string port = "port " + std::to_string(first->port());
            EXPECT_NE(std::string(error.what()).find(port), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("in use"), std::string::npos) << error.what();
        }
    }
}

TEST(ListenTest, IPv6PortsAreNotSharedEither)
{
    const auto shelf = serverWith({});
    server::ServerOptions options;
    options.guard.host = "::1";
    std::unique_ptr<server::Server> first;
    try {
        first = std::make_unique<server::Server>(shelf->shelf(), options);
    } catch (const Error &error) {
        FIRESIDE_SKIP(std::string("no IPv6 here: ") + error.what());
    }
    options.guard.port = first->port();
    EXPECT_THROW(server::Server(shelf->shelf(), options), Error);
    options.guard.host = "[::1]";
    EXPECT_THROW(server::Server(shelf->shelf(), options), Error);
    first.reset();
    EXPECT_NO_THROW(server::Server(shelf->shelf(), options)) << "it is free again";
}

TEST(ListenTest, PortsAndHostsThatAreNoneAreRefused)
{
    const auto shelf = serverWith({});
    const auto refused = [&](const std::string &host, int port) -> std::string {
        server::ServerOptions options;
        options.guard = {.host = host, .port = port, .keys = {{{}, "0123456789abcdef"}}};
        try {
            server::Server one(shelf->shelf(), options);
            return "served";
        } catch (const Error &error) {
            return error.what();
        }
    };
    EXPECT_NE(refused("127.0.0.1", 65536).find("65536"), std::string::npos);
    EXPECT_NE(refused("127.0.0.1", -1).find("-1"), std::string::npos);
    for (const char *host : {"", " ", "\t"})
        EXPECT_NE(refused(host, 0).find("is empty"), std::string::npos) << host;
    EXPECT_NE(refused("203.0.113.7", 0).find("no such address"), std::string::npos);
    EXPECT_EQ(refused("localhost", 0), "served");
}

} // namespace
} // namespace fireside
