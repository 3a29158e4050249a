// Servers at an address: streamable HTTP of today and of sessions, and the way before it.
#include "app/network/connections.h"
#include "app/network/network_gate.h"
#include "app/tools/mcp/http_transport.h"
#include "tools_fixture.h"

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace fireside::test {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

/// A server whose ways are chosen by the test.
class HttpToolServer
{
public:
    bool session = false, streams = false, breaks = false, oldOnly = false, forgets = false;
    int refusal = 0; // status of every answer
    std::string redirect;
    std::string endpoint = "/messages?s=1"; // of the old way
    std::string flood;                      // the answer to a call has no end: "json" or "event"
    std::atomic<int> floodsEnded = 0;
    int port() const { return m_port; }

    HttpToolServer()
    {
        m_server.Post("/mcp", [this](const auto &asked, auto &answer) { post(asked, answer); });
        m_server.Get("/mcp", [this](const auto &asked, auto &answer) { get(asked, answer); });
        m_server.Delete("/mcp", [this](const auto &asked, auto &answer) {
            note(asked);
            ++deleted;
            answer.status = 204;
        });
        m_server.Post("/messages", [this](const auto &asked, auto &answer) {
            note(asked);
            push(replyTo(Json::parse(asked.body)));
            answer.status = 202;
        });
        m_server.set_keep_alive_timeout(1);
        m_port = m_server.bind_to_any_port("127.0.0.1");
        m_thread = std::thread([this] { m_server.listen_after_bind(); });
    }
    ~HttpToolServer()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_over = true;
        }
        m_news.notify_all();
        m_server.stop();
        m_thread.join();
    }
    McpServerConfig config() const
    {
        McpServerConfig config{.name = QStringLiteral("web")};
        config.url = QStringLiteral("http://127.0.0.1:%1/mcp").arg(m_port);
        return config;
    }
    /// Headers of the last request of a method.
    std::string header(const std::string &method, const std::string &name)
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_headers.find(method);
        if (found == m_headers.end())
            return "(no request)";
        const auto value = found->second.find(name);
        return value == found->second.end() ? std::string() : value->second;
    }
    void push(const Json &message)
    {
        if (message.is_null())
            return;
        const std::lock_guard lock(m_mutex);
        m_pushed.push_back("data: " + message.dump() + "\n\n");
        m_news.notify_all();
    }
    std::atomic<int> deleted = 0, listening = 0, gone = 0;

private:
    void note(const httplib::Request &asked)
    {
        const std::lock_guard lock(m_mutex);
        const Json body = Json::parse(asked.body, nullptr, false);
        m_headers[body.is_object() ? body.value("method", asked.method) : asked.method] =
            asked.headers;
    }
    Json replyTo(const Json &message) const
    {
        const std::string method = message.value("method", std::string());
        const Json id = message.value("id", Json());
        if (id.is_null())
            return nullptr;
        Json result = Json::object();
        const bool modern = !session && !oldOnly;
        if (method == "server/discover" && modern)
            result = {{"supportedVersions", {"2026-07-28"}},
                      {"capabilities", {{"tools", {{"listChanged", true}}}}}};
        else if (method == "server/discover")
            return {
                {"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", -32000}, {"message", "no"}}}};
        else if (method == "initialize")
            result = {{"protocolVersion", oldOnly ? "2024-11-05" : "2025-11-25"},
                      {"capabilities", {{"tools", Json::object()}}},
                      {"serverInfo", {{"name", "web"}, {"version", "1"}}}};
        else if (method == "tools/list")
            result = {{"tools",
                       {{{"name", "where"},
                         {"inputSchema",
                          {{"type", "object"},
                           {"properties",
                            {{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}}}}}}}}}};
        else if (method == "tools/call")
            result = {
                {"content",
                 {{{"type", "text"},
                   {"text", message.value("/params/arguments"_json_pointer, Json()).dump()}}}}};
        return {{"jsonrpc", "2.0"}, {"id", id}, {"result", result}};
    }
    void post(const httplib::Request &asked, httplib::Response &answer)
    {
        note(asked);
        const Json message = Json::parse(asked.body);
        const std::string method = message.value("method", std::string());
        if (refusal != 0 || (oldOnly && asked.path == "/mcp")) {
            answer.status = refusal != 0 ? refusal : 405;
            if (!redirect.empty())
                answer.set_header("Location", redirect);
            return;
        }
        if (forgets && method == "tools/call" && asked.has_header("Mcp-Session-Id")) {
            answer.status = 404;
            return;
        }
        if (method == "server/discover" && session) {
            answer.status = 400; // as servers with sessions say it
            answer.set_content(replyTo(message).dump(), "application/json");
            return;
        }
        if (session && method == "initialize")
            answer.set_header("Mcp-Session-Id", "s-1");
        if (method == "subscriptions/listen")
            return stream(answer, false);
        if (!flood.empty() && method == "tools/call")
            return pour(answer);
        const Json reply = replyTo(message);
        if (reply.is_null()) {
            answer.status = 202;
            return;
        }
        if (breaks &&
            method == "tools/call") { // the answer comes where the stream is taken up again
            const std::lock_guard lock(m_mutex);
            m_owed = "data: " + reply.dump() + "\n\n";
            answer.set_content("id: e-1\nretry: 20\ndata: \n\n", "text/event-stream");
            return;
        }
        if (streams)
            answer.set_content(": hello\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: "
                               "\"method\":\"notifications/x\"}\n\ndata: " +
                                   reply.dump() + "\n\n",
                               "text/event-stream");
        else
            answer.set_content(reply.dump(), "application/json");
    }
    void pour(httplib::Response &answer)
    {
        const auto write = [this, first = true](std::size_t, httplib::DataSink &sink) mutable {
            std::string piece(1 << 20, 'x');
            if (flood == "event" && std::exchange(first, false))
                piece = "data: " + piece;
            {
                const std::lock_guard lock(m_mutex);
                if (m_over)
                    return false;
            }
            return sink.write(piece.data(), piece.size());
        };
        answer.set_chunked_content_provider(flood == "json" ? "application/json"
                                                            : "text/event-stream",
                                            write, [this](bool) { ++floodsEnded; });
    }
    void get(const httplib::Request &asked, httplib::Response &answer)
    {
        note(asked);
        if (asked.has_header("Last-Event-ID")) {
            const std::lock_guard lock(m_mutex);
            lastEvent = asked.get_header_value("Last-Event-ID");
            answer.set_content(m_owed, "text/event-stream");
            return;
        }
        if (!session && !oldOnly) {
            answer.status = 405;
            return;
        }
        stream(answer, oldOnly);
    }
    void stream(httplib::Response &answer, bool old)
    {
        ++listening;
        answer.set_chunked_content_provider(
            "text/event-stream",
            [this, old, first = true](std::size_t, auto &sink) mutable {
                std::unique_lock lock(m_mutex);
                std::string text = std::exchange(first, false) && old
                                       ? "event: endpoint\ndata: " + endpoint + "\n\n"
                                       : std::string();
                m_news.wait_for(lock, 50ms, [&] { return m_over || !m_pushed.empty(); });
                for (const std::string &one : std::exchange(m_pushed, {}))
                    text += one;
                if (m_over) {
                    sink.done();
                    return true;
                }
                lock.unlock();
                text += ": still here\n\n";
                return sink.write(text.data(), text.size());
            },
            [this](bool) { ++gone; });
    }

    httplib::Server m_server;
    int m_port = 0;
    std::thread m_thread;
    std::mutex m_mutex;
    std::condition_variable m_news;
    bool m_over = false;
    std::vector<std::string> m_pushed;
    std::string m_owed;
    std::map<std::string, httplib::Headers> m_headers;

public:
    std::string lastEvent;
};

class HttpTools : public testing::Test
{
protected:
    std::unique_ptr<SpokenWith> speak(const McpServerConfig &config)
    {
        return std::make_unique<SpokenWith>(new mcp::HttpTransport(m_gate, config, nullptr),
                                            hastyLimits());
    }
    Connections m_connections;
    NetworkGate m_gate{m_connections};
    HttpToolServer m_server;
};

TEST_F(HttpTools, TodaysServersAreAskedWithoutASession)
{
    for (const bool streams : {false, true}) {
        m_server.streams = streams;
        const auto spoken = speak(m_server.config());
        ASSERT_TRUE(spoken->begin()) << qPrintable(spoken->failure);
        EXPECT_EQ(spoken->client->version(), QStringLiteral("2026-07-28"));
        EXPECT_EQ(spoken->text(QStringLiteral("where"), R"({"region":"Ås"})"),
                  QStringLiteral(R"({"region":"Ås"})"));
        EXPECT_EQ(m_server.header("tools/call", "MCP-Protocol-Version"), "2026-07-28");
        EXPECT_EQ(m_server.header("tools/call", "Mcp-Method"), "tools/call");
        EXPECT_EQ(m_server.header("tools/call", "Mcp-Name"), "where");
        EXPECT_EQ(m_server.header("tools/call", "Mcp-Param-Region"), "=?base64?w4Vz?=");
        EXPECT_EQ(m_server.header("tools/call", "Accept"), "application/json, text/event-stream");
        EXPECT_EQ(m_server.header("tools/call", "Mcp-Session-Id"), "");
        EXPECT_TRUE(waitFor([&] { return m_server.listening > 0; })); // subscriptions/listen
    }
    EXPECT_TRUE(waitFor([&] { return m_server.gone == m_server.listening; })); // it hung up
    EXPECT_GE(m_connections.records().size(), 6);
    EXPECT_EQ(m_connections.records().first().purpose, QStringLiteral("tools of web"));
}

TEST_F(HttpTools, SessionsAreKeptAndGivenBack)
{
    m_server.session = true;
    {
        const auto spoken = speak(m_server.config());
        ASSERT_TRUE(spoken->begin()) << qPrintable(spoken->failure);
        EXPECT_EQ(spoken->client->version(), QStringLiteral("2025-11-25"));
        EXPECT_EQ(spoken->text(QStringLiteral("where"), R"({"a":1})"),
                  QStringLiteral(R"({"a":1})"));
        EXPECT_EQ(m_server.header("tools/call", "Mcp-Session-Id"), "s-1");
        EXPECT_EQ(m_server.header("tools/call", "MCP-Protocol-Version"), "2025-11-25");
        EXPECT_EQ(m_server.header("tools/call", "Mcp-Method"), "");
        EXPECT_TRUE(waitFor([&] { return m_server.listening > 0; }));
        spoken->client.reset();
        EXPECT_TRUE(waitFor([&] { return m_server.deleted == 1; }));
        EXPECT_EQ(m_server.header("DELETE", "Mcp-Session-Id"), "s-1");
    }
}

TEST_F(HttpTools, StreamsThatEndEarlyAreTakenUpAgain)
{
    m_server.session = m_server.breaks = true;
    const auto spoken = speak(m_server.config());
    ASSERT_TRUE(spoken->begin());
    EXPECT_EQ(spoken->text(QStringLiteral("where"), R"({"a":2})"), QStringLiteral(R"({"a":2})"));
    EXPECT_EQ(m_server.lastEvent, "e-1");
}

TEST_F(HttpTools, ServersOfTheOldWayAreFound)
{
    m_server.oldOnly = true;
    const auto spoken = speak(m_server.config());
    ASSERT_TRUE(spoken->begin()) << qPrintable(spoken->failure);
    EXPECT_EQ(spoken->client->version(), QStringLiteral("2024-11-05"));
    EXPECT_EQ(spoken->text(QStringLiteral("where"), R"({"a":3})"), QStringLiteral(R"({"a":3})"));
}

TEST_F(HttpTools, AnEndpointElsewhereGetsNothing)
{
    HttpToolServer other;
    const std::string port = std::to_string(m_server.port());
    m_server.oldOnly = true;
    for (const std::string &endpoint :
         {"http://127.0.0.1:" + std::to_string(other.port()) + "/messages",
          "//127.0.0.1:" + std::to_string(other.port()) + "/messages",
          "http://localhost:" + port + "/messages", "https://127.0.0.1:" + port + "/messages",
          "//127.0.0.2:" + port + "/messages", std::string("http://127.0.0.1/messages")}) {
        m_server.endpoint = endpoint;
        McpServerConfig config = m_server.config();
        config.headers = {{QStringLiteral("X-Key"), QStringLiteral("a secret")}};
        const auto spoken = speak(config);
        EXPECT_FALSE(spoken->begin()) << endpoint;
        EXPECT_TRUE(spoken->failure.contains(QLatin1String("another server")))
            << endpoint << qPrintable(spoken->failure);
    }
    EXPECT_EQ(other.header("initialize", "X-Key"), "(no request)");
    EXPECT_EQ(m_server.header("tools/list", "X-Key"), "(no request)");
    m_server.endpoint = "http://127.0.0.1:" + port + "/messages"; // itself in full
    const auto spoken = speak(m_server.config());
    EXPECT_TRUE(spoken->begin()) << qPrintable(spoken->failure);
}

TEST_F(HttpTools, AnswersWithoutAnEndAreGivenUp)
{
    for (const char *flood : {"json", "event"}) {
        SCOPED_TRACE(flood);
        m_server.flood = flood;
        m_server.floodsEnded = 0;
        const auto spoken = speak(m_server.config());
        ASSERT_TRUE(spoken->begin()) << qPrintable(spoken->failure);
        const ToolResult result = spoken->call(QStringLiteral("where"));
        EXPECT_EQ(result.kind, ToolResult::Failed);
        // The second where more came at once than an answer may have.
        EXPECT_TRUE(result.text.contains(QLatin1String("too long")) ||
                    result.text.contains(QLatin1String("does not end")))
            << qPrintable(result.text);
        EXPECT_TRUE(waitFor([&] { return m_server.floodsEnded == 1; })) << "it is read no further";
    }
}

TEST_F(HttpTools, AForgottenSessionIsAFailureThatStartsAnew)
{
    m_server.session = m_server.forgets = true;
    const auto spoken = speak(m_server.config());
    ASSERT_TRUE(spoken->begin());
    EXPECT_EQ(spoken->call(QStringLiteral("where")).kind, ToolResult::Failed);
    EXPECT_TRUE(waitFor([&] { return !spoken->failure.isEmpty(); }));
}

TEST_F(HttpTools, RefusalsAreToldInWords)
{
    for (const auto &[status, word] : {std::pair(401, "who asks"), std::pair(403, "who asks"),
                                       std::pair(500, "500"), std::pair(429, "429")}) {
        m_server.refusal = status;
        const auto spoken = speak(m_server.config());
        EXPECT_FALSE(spoken->begin());
        EXPECT_TRUE(spoken->failure.contains(QLatin1String(word))) << qPrintable(spoken->failure);
    }
    m_server.refusal = 307;
    m_server.redirect = "http://127.0.0.2:9/mcp";
    const auto spoken = speak(m_server.config());
    EXPECT_FALSE(spoken->begin());
    EXPECT_TRUE(spoken->failure.contains(QLatin1String("127.0.0.2")))
        << qPrintable(spoken->failure);
    McpServerConfig nobody = m_server.config();
    nobody.url = QStringLiteral("http://127.0.0.1:1/mcp");
    const auto closed = speak(nobody);
    EXPECT_FALSE(closed->begin());
}

TEST_F(HttpTools, KeysAreNotSentInTheClear)
{
    McpServerConfig config = m_server.config();
    config.headers = {{QStringLiteral("Authorization"), QStringLiteral("Bearer key")}};
    const auto here = speak(config); // this computer
    ASSERT_TRUE(here->begin()) << qPrintable(here->failure);
    EXPECT_EQ(m_server.header("tools/list", "Authorization"), "Bearer key");
    config.url = QStringLiteral("http://192.0.2.1/mcp");
    const auto elsewhere = speak(config);
    EXPECT_FALSE(elsewhere->begin());
    EXPECT_TRUE(elsewhere->failure.contains(QLatin1String("https")))
        << qPrintable(elsewhere->failure);
}

TEST_F(HttpTools, NothingGoesOutWhileOffline)
{
    m_connections.setOffline(true);
    QObject owner;
    McpServer server(m_server.config(), &m_gate, nullptr, &owner);
    server.start();
    EXPECT_EQ(server.state().kind, McpServerState::Failed);
    EXPECT_TRUE(server.state().text.contains(QLatin1String("offline")));
    m_connections.setOffline(false);
    const auto spoken = speak(m_server.config());
    ASSERT_TRUE(spoken->begin());
    m_connections.setOffline(true);
    EXPECT_TRUE(waitFor([&] { return !spoken->failure.isEmpty(); }));
}

} // namespace
} // namespace fireside::test
