// How the client brings servers' questions to the user, and the answers back.
#include "app/tools/input_queue.h"
#include "app/tools/mcp/client.h"
#include "tools_fixture.h"

#include <QElapsedTimer>

namespace fireside::test {
namespace {

/// A way to a server that the test plays itself.
class PlayedTransport : public mcp::Transport
{
public:
    void open() override
    {
        QMetaObject::invokeMethod(this, &mcp::Transport::opened, Qt::QueuedConnection);
    }
    void send(const mcp::Outgoing &message) override { sent += message.body; }
    void abandon(qint64) override {}
    void agree(const QString &) override {}
    void close() override {}
    bool isRemote() const override { return true; }

    ToolJson last(const char *method) const
    {
        for (auto one = sent.crbegin(); one != sent.crend(); ++one)
            if (textIn(*one, "method") == QLatin1String(method))
                return *one;
        return {};
    }
    void reply(const char *method, ToolJson result)
    {
        emit received({{"jsonrpc", "2.0"}, {"id", last(method)["id"]}, {"result", result}});
    }
    void tell(const char *text) { emit received(*parsedJson(text)); }
    QList<ToolJson> sent;
};

const char *const kForm = R"({"method":"elicitation/create","params":{"message":"Sure?",
    "requestedSchema":{"type":"object","properties":{"sure":{"type":"boolean"}}}}})";

class InputTest : public testing::Test
{
protected:
    void SetUp() override
    {
        m_transport = new PlayedTransport;
        m_client = std::make_unique<mcp::Client>(m_transport, QStringLiteral("played"));
        m_transport->setParent(&m_owner);
        QObject::connect(&m_inputs, &InputQueue::browserWanted, &m_owner,
                         [this](const QUrl &url) { m_opened += url; });
    }
    void begin(bool modern)
    {
        m_client->start();
        ASSERT_TRUE(waitFor([this] { return !m_transport->sent.isEmpty(); }));
        if (modern) {
            m_transport->reply("server/discover",
                               {{"supportedVersions", {"2026-07-28"}},
                                {"capabilities", {{"tools", ToolJson::object()}}}});
        } else {
            m_transport->reply("server/discover", ToolJson::object());
            m_transport->reply("initialize", {{"protocolVersion", "2025-11-25"},
                                              {"capabilities", {{"tools", ToolJson::object()}}}});
        }
        m_transport->reply("tools/list",
                           {{"tools", {{{"name", "t"}, {"inputSchema", {{"type", "object"}}}}}}});
        ASSERT_EQ(m_client->tools().size(), 1);
    }
    qint64 call(std::chrono::milliseconds patience = std::chrono::seconds(60))
    {
        m_result.reset();
        return m_client->call(m_client->tools().first(), "{}", patience,
                              [this](const ToolResult &result) { m_result = result; });
    }
    void done()
    {
        m_transport->reply("tools/call", {{"content", {{{"type", "text"}, {"text", "done"}}}}});
        ASSERT_TRUE(m_result);
        EXPECT_EQ(m_result->text, QStringLiteral("done"));
    }
    ToolJson lastParams() const { return m_transport->last("tools/call")["params"]; }
    static ToolJson form() { return *parsedJson(kForm); }
    static InputAnswer sure() { return {InputAnswer::Accept, {{"sure", true}}}; }

    QObject m_owner;
    InputQueue m_inputs;
    PlayedTransport *m_transport = nullptr;
    std::unique_ptr<mcp::Client> m_client;
    std::optional<ToolResult> m_result;
    QList<QUrl> m_opened;
};

TEST_F(InputTest, TodaysServersAskInPlaceOfAResult)
{
    m_inputs.follow(*m_client);
    begin(true);
    const ToolJson meta = m_transport->last("tools/list")["params"]["_meta"];
    EXPECT_TRUE(meta["io.modelcontextprotocol/clientCapabilities"].contains("elicitation"));
    call();
    const ToolJson first = m_transport->last("tools/call");
    m_transport->reply("tools/call", {{"resultType", "input_required"},
                                      {"inputRequests", {{"a", form()}, {"b", form()}}},
                                      {"requestState", "{\"n\": 1}"}});
    ASSERT_EQ(m_inputs.count(), 2);
    EXPECT_EQ(m_inputs.first()->request.message, QStringLiteral("Sure?"));
    m_inputs.answer(m_inputs.first()->id, sure());
    EXPECT_EQ(m_transport->last("tools/call"), first); // the second is still open
    // Another call knows nothing of it.
    std::optional<ToolResult> other;
    m_client->call(m_client->tools().first(), "{}", std::chrono::seconds(60),
                   [&](const ToolResult &result) { other = result; });
    EXPECT_FALSE(lastParams().contains("inputResponses"));
    EXPECT_FALSE(lastParams().contains("requestState"));
    m_transport->reply("tools/call", {{"content", ToolJson::array()}});
    EXPECT_TRUE(other);
    m_inputs.answer(m_inputs.first()->id, {InputAnswer::Decline, {}});
    EXPECT_EQ(m_inputs.count(), 0);
    EXPECT_NE(m_transport->last("tools/call")["id"], first["id"]);
    EXPECT_EQ(bytesOf(lastParams()["inputResponses"]),
              R"({"a":{"action":"accept","content":{"sure":true}},"b":{"action":"decline"}})");
    EXPECT_EQ(lastParams()["requestState"], "{\"n\": 1}");
    // It may ask again; what was said before is not said twice.
    m_transport->reply("tools/call",
                       {{"resultType", "input_required"}, {"inputRequests", {{"c", form()}}}});
    m_inputs.answer(m_inputs.first()->id, {});
    EXPECT_EQ(bytesOf(lastParams()["inputResponses"]), R"({"c":{"action":"cancel"}})");
    EXPECT_FALSE(lastParams().contains("requestState"));
    done();
}

TEST_F(InputTest, NoTimeRunsWhileTheUserThinks)
{
    m_inputs.follow(*m_client);
    begin(true);
    call(std::chrono::milliseconds(200));
    m_transport->reply("tools/call",
                       {{"resultType", "input_required"}, {"inputRequests", {{"a", form()}}}});
    QElapsedTimer thinking;
    thinking.start();
    waitFor([&] { return thinking.elapsed() > 500; });
    ASSERT_FALSE(m_result);
    m_inputs.answer(m_inputs.first()->id, sure());
    EXPECT_TRUE(waitFor([&] { return m_result.has_value(); })); // now it does
    EXPECT_EQ(m_result->kind, ToolResult::Failed);
}

TEST_F(InputTest, ASessionAsksByItself)
{
    m_inputs.follow(*m_client);
    begin(false);
    EXPECT_TRUE(m_transport->last("initialize")["params"]["capabilities"].contains("elicitation"));
    call();
    ToolJson request = form();
    request["jsonrpc"] = "2.0";
    request["id"] = "q-1";
    m_transport->tell(bytesOf(request).constData());
    ASSERT_EQ(m_inputs.count(), 1);
    m_inputs.answer(m_inputs.first()->id, sure());
    EXPECT_EQ(
        bytesOf(m_transport->sent.last()),
        R"({"jsonrpc":"2.0","id":"q-1","result":{"action":"accept","content":{"sure":true}}})");
    request["id"] = 7;
    m_transport->tell(bytesOf(request).constData());
    m_transport->tell(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
    EXPECT_EQ(m_inputs.count(), 0);
    m_transport->tell(R"({"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{}})");
    EXPECT_EQ(m_transport->sent.last()["error"]["code"], -32602);
    m_transport->tell(R"({"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{}})");
    EXPECT_EQ(m_transport->sent.last()["error"]["code"], -32601);
    m_transport->tell(R"({"jsonrpc":"2.0","id":10,"method":"ping"})");
    EXPECT_EQ(bytesOf(m_transport->sent.last()), R"({"jsonrpc":"2.0","id":10,"result":{}})");
    done();
}

TEST_F(InputTest, StoppingAndDyingCloseTheQuestion)
{
    m_inputs.follow(*m_client);
    begin(true);
    const qint64 id = call();
    m_transport->reply("tools/call",
                       {{"resultType", "input_required"}, {"inputRequests", {{"a", form()}}}});
    ASSERT_EQ(m_inputs.count(), 1);
    const qint64 question = m_inputs.first()->id;
    m_client->cancel(id);
    EXPECT_EQ(m_inputs.count(), 0);
    m_inputs.answer(question, sure()); // too late
    EXPECT_FALSE(m_result);
    call();
    m_transport->reply("tools/call",
                       {{"resultType", "input_required"}, {"inputRequests", {{"a", form()}}}});
    ASSERT_EQ(m_inputs.count(), 1);
    emit m_transport->broken(QStringLiteral("it has died"));
    EXPECT_EQ(m_inputs.count(), 0);
    ASSERT_TRUE(m_result);
    EXPECT_EQ(m_result->kind, ToolResult::Failed);
}

TEST_F(InputTest, ASessionThatIsGivenUpIsToldSo)
{
    m_inputs.follow(*m_client);
    begin(false);
    const qint64 id = call();
    ToolJson request = form();
    request["jsonrpc"] = "2.0";
    request["id"] = 3;
    m_transport->tell(bytesOf(request).constData());
    m_client->cancel(id);
    EXPECT_EQ(m_inputs.count(), 0);
    bool told = false;
    for (const ToolJson &one : m_transport->sent)
        told = told || bytesOf(one) == R"({"jsonrpc":"2.0","id":3,"result":{"action":"cancel"}})";
    EXPECT_TRUE(told);
    m_transport->tell(bytesOf(request).constData());
    ASSERT_EQ(m_inputs.count(), 1);
    m_client.reset();
    EXPECT_EQ(m_inputs.count(), 0);
}

TEST_F(InputTest, PagesThatHaveToBeVisitedFirst)
{
    m_inputs.follow(*m_client);
    begin(false);
    const auto demand = [this] {
        const ToolJson error{{"code", -32042},
                             {"message", "first"},
                             {"data",
                              {{"elicitations",
                                {{{"mode", "url"},
                                  {"url", "https://example.org/key"},
                                  {"elicitationId", "e-1"},
                                  {"message", "your key"}}}}}}};
        emit m_transport->received(
            {{"jsonrpc", "2.0"}, {"id", m_transport->last("tools/call")["id"]}, {"error", error}});
    };
    call();
    const ToolJson first = m_transport->last("tools/call");
    demand();
    ASSERT_EQ(m_inputs.count(), 1);
    EXPECT_TRUE(m_opened.isEmpty());
    const auto completed = [this] {
        m_transport->tell(R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",
                              "params":{"elicitationId":"e-1"}})");
    };
    completed(); // before anything was opened
    ASSERT_EQ(m_inputs.count(), 1);
    m_inputs.answer(m_inputs.first()->id, {InputAnswer::Accept, {}});
    EXPECT_EQ(m_opened, QList<QUrl>{QUrl(QStringLiteral("https://example.org/key"))});
    ASSERT_EQ(m_inputs.count(), 1); // until it is done
    EXPECT_TRUE(m_inputs.first()->request.opened);
    EXPECT_EQ(m_transport->last("tools/call"), first);
    m_transport->tell(R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",
                          "params":{"elicitationId":"another"}})");
    ASSERT_EQ(m_inputs.count(), 1);
    completed();
    EXPECT_EQ(m_inputs.count(), 0);
    EXPECT_NE(m_transport->last("tools/call")["id"], first["id"]);
    demand(); // still, or again
    m_inputs.answer(m_inputs.first()->id, {InputAnswer::Accept, {}});
    m_inputs.answer(m_inputs.first()->id, {InputAnswer::Accept, {}}); // the user says so
    EXPECT_EQ(m_opened.size(), 2);
    done();
    call();
    demand();
    m_inputs.answer(m_inputs.first()->id, {InputAnswer::Decline, {}});
    ASSERT_TRUE(m_result);
    EXPECT_TRUE(m_result->text.contains(QLatin1String("not opened"))) << qPrintable(m_result->text);
}

TEST_F(InputTest, WhereNobodyAnswersNothingIsOffered)
{
    begin(true);
    const ToolJson meta = m_transport->last("tools/list")["params"]["_meta"];
    EXPECT_TRUE(meta["io.modelcontextprotocol/clientCapabilities"].empty());
    call();
    m_transport->reply("tools/call",
                       {{"resultType", "input_required"}, {"inputRequests", {{"a", form()}}}});
    ASSERT_TRUE(m_result);
    EXPECT_EQ(m_result->kind, ToolResult::Failed);
}

TEST_F(InputTest, WhatCannotBeAskedFailsTheCall)
{
    m_inputs.follow(*m_client);
    begin(true);
    for (const char *bad :
         {R"({"a":{"method":"sampling/createMessage","params":{}}})", R"({"a":7})", R"([1])",
          R"({"a":{"method":"elicitation/create","params":{"mode":"url","url":"file:///x"}}})"}) {
        call();
        m_transport->reply("tools/call",
                           {{"resultType", "input_required"}, {"inputRequests", *parsedJson(bad)}});
        EXPECT_EQ(m_inputs.count(), 0);
        ASSERT_TRUE(m_result) << bad;
        EXPECT_EQ(m_result->kind, ToolResult::Failed);
    }
}

} // namespace
} // namespace fireside::test
