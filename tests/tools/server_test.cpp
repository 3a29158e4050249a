// Servers of mcp.json: started, started again, given up, switched off; and their tools in the box.
#include "app/network/connections.h"
#include "app/network/network_gate.h"
#include "app/tools/tool_box.h"
#include "app/tools/tool_names.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"
#include "tools_fixture.h"

#include <QDir>
#include <QFile>

namespace fireside::test {
namespace {

using namespace std::chrono_literals;

McpServer::Patience hasty(int tries)
{
    McpServer::Patience patience;
    patience.firstPause = 10ms;
    patience.longestPause = 20ms;
    patience.tries = tries;
    patience.client = hastyLimits();
    return patience;
}

class ToolServers : public testing::Test
{
protected:
    QString path(const char *name) const
    {
        return QString::fromStdString((m_folder.path() / name).string());
    }
    int starts() const { return static_cast<int>(QFile(path("marker")).size()); }
    QStringList marked(int failing)
    {
        return {QStringLiteral("--marker"), path("marker"), QStringLiteral("--fail-starts"),
                QString::number(failing)};
    }

    TempDir m_folder;
    QObject m_owner;
};

TEST_F(ToolServers, StartAgainUntilTheyRun)
{
    McpServer server(scripted(marked(2)), nullptr, nullptr, hasty(5), &m_owner);
    QList<McpServerState::Kind> states;
    QString words;
    QObject::connect(&server, &McpServer::changed, &m_owner, [&] {
        states += server.state().kind;
        if (server.state().kind == McpServerState::Waiting)
            words = server.state().text;
    });
    server.start();
    ASSERT_TRUE(waitFor([&] { return server.state().kind == McpServerState::Ready; }));
    EXPECT_EQ(starts(), 3);
    EXPECT_TRUE(words.contains(QLatin1String("I do not want to start"))) << qPrintable(words);
    EXPECT_FALSE(server.tools().isEmpty());
    server.stop();
    EXPECT_EQ(server.state().kind, McpServerState::Off);
    EXPECT_TRUE(server.tools().isEmpty());
}

TEST_F(ToolServers, AreGivenUpAfterSeveralFailures)
{
    McpServer server(scripted(marked(1000)), nullptr, nullptr, hasty(3), &m_owner);
    server.start();
    ASSERT_TRUE(waitFor([&] { return server.state().kind == McpServerState::Failed; }));
    EXPECT_EQ(starts(), 3);
    EXPECT_TRUE(server.state().text.contains(QLatin1String("3")))
        << qPrintable(server.state().text);
    server.start(); // the user wants it once more
    ASSERT_TRUE(waitFor([&] { return starts() == 6; }));
}

TEST_F(ToolServers, ThatDieInACallComeBack)
{
    McpServer server(scripted(marked(0)), nullptr, nullptr, hasty(3), &m_owner);
    server.start();
    ASSERT_TRUE(waitFor([&] { return server.state().kind == McpServerState::Ready; }));
    ToolResult given;
    server.client()->call({QStringLiteral("scripted"), QStringLiteral("die")}, "{}", 60s,
                          [&](const ToolResult &result) { given = result; });
    ASSERT_TRUE(waitFor([&] { return !given.text.isEmpty(); }));
    EXPECT_EQ(given.kind, ToolResult::Failed);
    ASSERT_TRUE(waitFor([&] { return server.state().kind == McpServerState::Ready; }));
    EXPECT_EQ(starts(), 2);
}

TEST_F(ToolServers, ThatDieWhenProbedAreGivenUp)
{
    McpServer server(scripted({QStringLiteral("--dies-when-probed")}), nullptr, nullptr, hasty(2),
                     &m_owner);
    server.start();
    ASSERT_TRUE(waitFor([&] { return server.state().kind == McpServerState::Failed; }));
}

class ToolBoxTest : public ToolServers
{
protected:
    void SetUp() override
    {
        m_home.emplace("XDG_CONFIG_HOME", m_folder.path().c_str());
        QDir().mkpath(path("fireside"));
    }
    void writeConfig(const QByteArray &json)
    {
        QFile file(path("fireside/mcp.json"));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(json);
    }
    static QByteArray entry(const QByteArray &more = {})
    {
        return R"({"command": ")" FIRESIDE_SCRIPTED_SERVER R"(")" + more + "}";
    }
    static const Tool *find(const ToolBox &box, const QString &id)
    {
        for (const Tool &tool : box.tools())
            if (tool.id() == id)
                return &tool;
        return nullptr;
    }
    static ToolResult call(ToolBox &box, const Tool &tool, const QByteArray &arguments)
    {
        std::optional<ToolResult> given;
        box.call(tool, arguments, 60s, [&](const ToolResult &result) { given = result; });
        EXPECT_FALSE(given); // later
        EXPECT_TRUE(waitFor([&] { return given.has_value(); }));
        return given.value_or(ToolResult());
    }

    std::optional<ScopedEnv> m_home;
};

TEST_F(ToolBoxTest, OffersWhatIsBuiltInAndWhatServersHave)
{
    writeConfig(R"({"mcpServers": {"one": )" + entry() + R"(, "off": )" +
                entry(R"(, "disabled": true)") + "}}");
    ToolBox box(nullptr);
    EXPECT_NE(find(box, QStringLiteral("built-in/calculate")), nullptr);
    EXPECT_EQ(find(box, QStringLiteral("built-in/read_text_file")), nullptr);
    EXPECT_EQ(box.servers().size(), 2);
    EXPECT_EQ(find(box, QStringLiteral("one/echo")), nullptr);
    box.start();
    ASSERT_TRUE(waitFor([&] { return find(box, QStringLiteral("one/echo")) != nullptr; }));
    EXPECT_EQ(find(box, QStringLiteral("off/echo")), nullptr);
    EXPECT_EQ(call(box, *find(box, QStringLiteral("one/echo")), R"({"b":2})").text,
              QStringLiteral(R"({"b":2})"));
    EXPECT_EQ(
        call(box, *find(box, QStringLiteral("built-in/calculate")), R"({"expression":"2^100"})")
            .text,
        QStringLiteral("1267650600228229401496703205376"));
    const Tool echo = *find(box, QStringLiteral("one/echo"));
    EXPECT_EQ(box.enableServer(QStringLiteral("one"), false), QString());
    EXPECT_EQ(find(box, QStringLiteral("one/echo")), nullptr);
    EXPECT_EQ(call(box, echo, "{}").kind, ToolResult::Failed);
    QFile file(path("fireside/mcp.json"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll().count("\"disabled\": true"), 2);
}

TEST_F(ToolBoxTest, TakesOverWhatOthersChangeInTheFile)
{
    ToolBox box(nullptr);
    box.start();
    EXPECT_TRUE(box.servers().isEmpty());
    writeConfig(R"({"mcpServers": {"late": )" + entry() + "}}");
    ASSERT_TRUE(waitFor([&] { return find(box, QStringLiteral("late/echo")) != nullptr; }));
    writeConfig("{ broken");
    ASSERT_TRUE(waitFor([&] { return !box.configProblem().isEmpty(); }));
    EXPECT_EQ(find(box, QStringLiteral("late/echo")), nullptr);
    EXPECT_FALSE(box.putServer(scripted(), {}).isEmpty()); // nothing is overwritten
    writeConfig("{}");
    ASSERT_TRUE(waitFor([&] { return box.configProblem().isEmpty(); }));
}

TEST_F(ToolBoxTest, WhatIsDisabledIsNeverStarted)
{
    const QByteArray marker = path("starts").toUtf8();
    const QByteArray off =
        entry(R"(, "args": ["--marker", ")" + marker + R"("], "disabled": true)");
    const auto kindOf = [](const ToolBox &box, const char *name) {
        const McpServer *const server = box.server(QString::fromLatin1(name));
        return server ? server->state().kind : McpServerState::Failed;
    };
    const QByteArray remote = R"({"url": "http://127.0.0.1:1/mcp", "disabled": true})";
    writeConfig(R"({"mcpServers": {"off": )" + off + R"(, "web": )" + remote + "}}");
    Connections connections;
    NetworkGate gate(connections);
    ToolBox box(&gate);
    box.start();
    EXPECT_EQ(kindOf(box, "off"), McpServerState::Off);
    EXPECT_EQ(kindOf(box, "web"), McpServerState::Off);
    connections.setOffline(true);
    connections.setOffline(false);
    EXPECT_EQ(kindOf(box, "web"), McpServerState::Off);
    // Read again while it runs: one that is new, and one that changed.
    writeConfig(R"({"mcpServers": {"off": )" + off + R"(, "later": )" + off + R"(, "web": )" +
                remote + R"(, "one": )" + entry() + "}}");
    ASSERT_TRUE(waitFor([&] { return find(box, QStringLiteral("one/echo")) != nullptr; }));
    for (const char *name : {"off", "later", "web"})
        EXPECT_EQ(kindOf(box, name), McpServerState::Off) << name;
    EXPECT_EQ(box.enableServer(QStringLiteral("one"), false), QString());
    EXPECT_EQ(kindOf(box, "one"), McpServerState::Off);
    EXPECT_FALSE(QFile::exists(QString::fromUtf8(marker)));
    EXPECT_EQ(connections.records().size(), 0);
}

TEST_F(ToolBoxTest, PermissionHoldsOnlyForWhatTheToolWas)
{
    writeConfig(R"({"mcpServers": {"one": )" + entry() + "}}");
    const QString id = QStringLiteral("one/echo");
    {
        ToolBox box(nullptr);
        box.start();
        ASSERT_TRUE(waitFor([&] { return find(box, id) != nullptr; }));
        EXPECT_FALSE(box.memory().allows(*find(box, id)));
        EXPECT_EQ(box.allowAlways(*find(box, id)), QString());
        EXPECT_TRUE(box.memory().allows(*find(box, id)));
        Tool other = *find(box, id);
        other.fingerprint[0] = other.fingerprint[0] == '0' ? '1' : '0';
        EXPECT_FALSE(box.memory().allows(other));
    }
    ToolBox box(nullptr);
    box.start();
    ASSERT_TRUE(waitFor([&] { return find(box, id) != nullptr; }));
    EXPECT_TRUE(box.memory().allows(*find(box, id))); // after a new start
    McpServerConfig config = box.server(QStringLiteral("one"))->config();
    config.arguments = QStringList{QStringLiteral("--deaf")}; // another command, another tool
    EXPECT_EQ(box.putServer(config, config.name), QString());
    ASSERT_TRUE(waitFor([&] { return find(box, id) != nullptr; }));
    EXPECT_FALSE(box.memory().allows(*find(box, id)));
    EXPECT_EQ(box.forgetAllowed(), QString());
    EXPECT_EQ(box.memory().allowedCount(), 0);
}

TEST_F(ToolBoxTest, CallsCanBeGivenUp)
{
    writeConfig(R"({"mcpServers": {"one": )" + entry() + "}}");
    ToolBox box(nullptr);
    box.start();
    ASSERT_TRUE(waitFor([&] { return find(box, QStringLiteral("one/slow")) != nullptr; }));
    bool answered = false;
    const qint64 id = box.call(*find(box, QStringLiteral("one/slow")), "{}", 60s,
                               [&](const ToolResult &) { answered = true; });
    box.cancel(id);
    const ToolResult cancelled = call(box, *find(box, QStringLiteral("one/cancelled")), "{}");
    EXPECT_NE(cancelled.text, QStringLiteral("[]"));
    EXPECT_FALSE(answered);
}

TEST(ToolNames, AreUniqueAndHarmless)
{
    const auto tool = [](const char *server, const char *name) {
        return Tool{QLatin1String(server), QString::fromUtf8(name)};
    };
    EXPECT_EQ(namesForModels({tool("a", "read"), tool("b", "write")}),
              (QStringList{QStringLiteral("read"), QStringLiteral("write")}));
    EXPECT_EQ(namesForModels({tool("a b", "read"), tool("c", "read"), tool("c", "x.y z")}),
              (QStringList{QStringLiteral("a_b__read"), QStringLiteral("c__read"),
                           QStringLiteral("x_y_z")}));
    const QStringList names =
        namesForModels({tool("ä", "tool"), tool("ö", "tool"), tool("ü", "tool")});
    EXPECT_EQ(QSet<QString>(names.begin(), names.end()).size(), 3);
    const QByteArray longName(200, 'n');
    for (const QString &name : namesForModels({tool("s", longName), tool("t", longName)}))
        EXPECT_LE(name.size(), 64);
}

TEST(ToolNames, LongResultsAreCutAndSaidToBe)
{
    const ToolResult whole{ToolResult::Done, QString(100, u'x')};
    EXPECT_EQ(capped(whole, 100), whole);
    const ToolResult cut = capped(whole, 40);
    EXPECT_EQ(cut.whole, 100);
    EXPECT_TRUE(cut.text.startsWith(QString(40, u'x') + QStringLiteral("\n[")))
        << qPrintable(cut.text);
    EXPECT_TRUE(cut.text.contains(QLatin1String("40")) && cut.text.contains(QLatin1String("100")));
    const QString smile = QString(39, u'x') + QString::fromUcs4(U"\x1F600") + QString(60, u'x');
    EXPECT_TRUE(capped({ToolResult::Done, smile}, 40).text.startsWith(QString(39, u'x') + u'\n'));
}

TEST(ToolNames, NothingInResultsIsHidden)
{
    const auto shown = [](const QString &text) {
        return capped({ToolResult::Done, text}, 200).text;
    };
    const QString plain =
        QStringLiteral("a\tb\nä 世界 😀 👩‍💻 ✌️ شكرًا نمی‌خواهم");
    EXPECT_EQ(shown(plain), plain);
    EXPECT_EQ(shown(QStringLiteral("a\r\nb\rc")), QStringLiteral("a\nb\nc"));
    QString nothing(1, QChar(0));
    EXPECT_EQ(shown(nothing + u'x'), QStringLiteral("\\u0000x"));
    EXPECT_EQ(shown(QStringLiteral("\x1b[2Jx\x7f")), QStringLiteral("\\u001b[2Jx\\u007f"));
    EXPECT_EQ(shown(QStringLiteral("rm \u202egpj.x\u2066")),
              QStringLiteral("rm \\u202egpj.x\\u2066"));
    EXPECT_EQ(shown(QString(QChar(0xD800)) + u'x'), QStringLiteral("\\ud800x"));
    // Letters without a shape, which models read.
    const QString order = QString::fromUcs4(U"ok\U000E006F\U000E0062");
    EXPECT_EQ(shown(order), QStringLiteral("ok\\udb40\\udc6f\\udb40\\udc62"));
    EXPECT_EQ(shown(QStringLiteral("✌\ufe0f\ufe00")), QStringLiteral("✌\ufe0f\\ufe00"));
    // What that makes longer stays within the limit, and is not cut in the middle.
    const ToolResult long_ = capped({ToolResult::Done, QString(1000, QChar(1))}, 100);
    EXPECT_TRUE(
        long_.text.startsWith(QStringLiteral("\\u0001").repeated(16) + QStringLiteral("\n[")))
        << qPrintable(long_.text);
    EXPECT_EQ(long_.whole, 1000);
}

} // namespace
} // namespace fireside::test
