// Speaking with servers that are programs, most of them misbehaving.
#include "tests/support/temp_dir.h"
#include "tools_fixture.h"

#include <QCoreApplication>
#include <QFile>
#include <QPointer>
#include <QProcess>

#include <algorithm>
#include <csignal>

namespace fireside::test {
namespace {

using namespace std::chrono_literals;
using mcp::kModern;

struct Era
{
    const char *speaks, *agreed;
    QStringList more = {};
};

class EraTest : public testing::TestWithParam<Era>
{};

TEST_P(EraTest, ToolsAreListedAndCalled)
{
    const Era &era = GetParam();
    SpokenWith server(
        scripted(QStringList{QStringLiteral("--speaks"), QLatin1String(era.speaks)} + era.more));
    ASSERT_TRUE(server.begin()) << qPrintable(server.failure);
    EXPECT_EQ(server.client->version(), QLatin1String(era.agreed));
    EXPECT_EQ(server.client->serverName(), QStringLiteral("scripted"));
    ASSERT_TRUE(server.has(QStringLiteral("echo")));
    const Tool &echo = server.client->tools().first();
    EXPECT_EQ(echo.title, QStringLiteral("Title of echo"));
    // In the order in which the server writes them.
    EXPECT_LT(echo.parameters.indexOf("z_last"), echo.parameters.indexOf("a_first"));
    const ToolResult result = server.call(QStringLiteral("echo"), R"({"z":1,"a":"ä"})");
    EXPECT_EQ(result.kind, ToolResult::Done);
    EXPECT_EQ(result.text, QStringLiteral(R"({"z":1,"a":"ä"})"));
}

INSTANTIATE_TEST_SUITE_P(
    All, EraTest,
    testing::Values(
        Era{"2026-07-28", "2026-07-28"}, Era{"modern-only", "2026-07-28"},
        Era{"modern-only", "2026-07-28", {QStringLiteral("--refusals"), QStringLiteral("1")}},
        Era{"2025-11-25", "2025-11-25"}, Era{"2025-06-18", "2025-06-18"},
        Era{"2025-03-26", "2025-03-26"}, Era{"2024-11-05", "2024-11-05"},
        Era{"2025-11-25", "2025-11-25", {QStringLiteral("--deaf")}},
        Era{"2025-11-25", "2025-11-25", {QStringLiteral("--chatter")}}));

TEST(ToolClient, ServersOfOtherVersionsAreRefusedInWords)
{
    for (const char *version : {"1999-01-01", "2099-01-01"}) {
        SpokenWith server(scripted({QStringLiteral("--speaks"), QLatin1String(version)}));
        EXPECT_FALSE(server.begin()) << version;
        EXPECT_TRUE(server.failure.contains(QLatin1String("version")))
            << qPrintable(server.failure);
    }
}

TEST(ToolClient, AServerThatRefusesItsOwnVersionIsNotAskedForEver)
{
    SpokenWith server(scripted({QStringLiteral("--refusals"), QStringLiteral("1000")}));
    EXPECT_FALSE(server.begin());
    EXPECT_TRUE(server.failure.contains(QLatin1String("version"))) << qPrintable(server.failure);
}

TEST(ToolClient, SilenceEndsTheAttempt)
{
    mcp::ClientLimits limits = hastyLimits();
    limits.start = 800ms;
    SpokenWith server(scripted({QStringLiteral("--mute")}), limits);
    EXPECT_FALSE(server.begin());
    EXPECT_TRUE(server.failure.contains(QLatin1String("answer"))) << qPrintable(server.failure);
}

TEST(ToolClient, MissingAndBrokenProgramsAreNamed)
{
    McpServerConfig config = scripted();
    config.command = QStringLiteral("no-such-program-here");
    SpokenWith missing(config);
    EXPECT_FALSE(missing.begin());
    EXPECT_TRUE(missing.failure.contains(config.command));
    config.command = QStringLiteral("/bin/sh");
    config.arguments = QStringList{QStringLiteral("-c"), QStringLiteral("echo oops >&2; exit 9")};
    SpokenWith broken(config);
    EXPECT_FALSE(broken.begin());
    EXPECT_TRUE(broken.failure.contains(QLatin1String("9"))) << qPrintable(broken.failure);
    EXPECT_TRUE(broken.failure.contains(QLatin1String("oops"))) << qPrintable(broken.failure);
}

TEST(ToolClient, ListsComePageByPageAndEnd)
{
    SpokenWith pages(scripted({QStringLiteral("--pages"), QStringLiteral("4")}));
    ASSERT_TRUE(pages.begin());
    EXPECT_TRUE(pages.has(QStringLiteral("echo")) && pages.has(QStringLiteral("page_3")));
    EXPECT_TRUE(pages.client->problems().isEmpty());
    SpokenWith endless(scripted({QStringLiteral("--endless-pages")}));
    ASSERT_TRUE(endless.begin());
    EXPECT_FALSE(endless.client->problems().isEmpty());
    EXPECT_LT(endless.client->tools().size(), 1001);
}

TEST(ToolClient, ResultsOfEveryKindBecomeWords)
{
    SpokenWith server(scripted());
    ASSERT_TRUE(server.begin());
    const auto call = [&](const char *tool) { return server.call(QLatin1String(tool)); };
    EXPECT_EQ(call("error").kind, ToolResult::Failed);
    EXPECT_TRUE(call("error").text.contains(QLatin1String("this cannot be")));
    EXPECT_EQ(call("failing").kind, ToolResult::ToolError);
    EXPECT_EQ(call("failing").text, QStringLiteral("it went wrong"));
    const QString picture = call("picture").text;
    for (const char *word : {"image/png", "inside", "file:///a", "file:///b", "unknown kind"})
        EXPECT_TRUE(picture.contains(QLatin1String(word))) << qPrintable(picture);
    EXPECT_EQ(call("ask").kind, ToolResult::Failed);
    EXPECT_TRUE(call("ask").text.contains(QLatin1String("input")));
    EXPECT_EQ(call("strange").kind, ToolResult::Failed);
    EXPECT_EQ(call("again").text, QStringLiteral("once more with opaque"));
    EXPECT_EQ(call("not there").kind, ToolResult::Failed);
    EXPECT_EQ(call("long").text.size(), 100'000);
}

TEST(ToolClient, GarbageAndWrongIdsDoNotConfuse)
{
    SpokenWith server(scripted());
    ASSERT_TRUE(server.begin());
    EXPECT_EQ(server.text(QStringLiteral("garbage")), QStringLiteral("after the garbage"));
    EXPECT_EQ(server.text(QStringLiteral("wrong_id")), QStringLiteral("the right one"));
    EXPECT_EQ(server.text(QStringLiteral("twice")), QStringLiteral("first"));
    EXPECT_EQ(server.text(QStringLiteral("echo"), R"({"n":1})"), QStringLiteral(R"({"n":1})"));
    EXPECT_TRUE(server.said.contains(QStringLiteral("this is no message")));
}

TEST(ToolClient, ProgressIsToldAndKeepsACallAlive)
{
    SpokenWith server(scripted());
    ASSERT_TRUE(server.begin());
    EXPECT_EQ(server.text(QStringLiteral("progress")), QStringLiteral("arrived"));
    EXPECT_EQ(server.progress, (QList<double>{1, 2, 3, 4}));
}

TEST(ToolClient, WhatTakesTooLongIsGivenUpAndCancelled)
{
    for (const char *version : {"2026-07-28", "2025-11-25"}) {
        SpokenWith server(scripted({QStringLiteral("--speaks"), QLatin1String(version)}));
        ASSERT_TRUE(server.begin());
        const ToolResult late = server.call(QStringLiteral("slow"), "{}", 50ms);
        EXPECT_EQ(late.kind, ToolResult::Failed);
        bool answered = false;
        const qint64 call =
            server.client->call({QStringLiteral("scripted"), QStringLiteral("slow")}, "{}", 60s,
                                [&](const ToolResult &) { answered = true; });
        server.client->cancel(call);
        const QString cancelled = server.text(QStringLiteral("cancelled"));
        EXPECT_EQ(cancelled.count(QLatin1Char(',')), 1) << qPrintable(cancelled);
        EXPECT_FALSE(answered);
    }
}

TEST(ToolClient, NewToolsAreFoundWhenTheServerSaysSo)
{
    for (const char *version : {"2026-07-28", "2025-11-25"}) {
        SpokenWith server(scripted({QStringLiteral("--speaks"), QLatin1String(version)}));
        ASSERT_TRUE(server.begin());
        EXPECT_FALSE(server.has(QStringLiteral("grown_0")));
        server.call(QStringLiteral("grow"));
        EXPECT_TRUE(waitFor([&] { return server.has(QStringLiteral("grown_0")); })) << version;
    }
}

TEST(ToolClient, DeathAndGiantMessagesEndCallsInWords)
{
    SpokenWith dying(scripted());
    ASSERT_TRUE(dying.begin());
    const ToolResult death = dying.call(QStringLiteral("die"));
    EXPECT_EQ(death.kind, ToolResult::Failed);
    EXPECT_TRUE(death.text.contains(QLatin1String("7"))) << qPrintable(death.text);
    SpokenWith giant(scripted());
    ASSERT_TRUE(giant.begin());
    const ToolResult much = giant.call(QStringLiteral("giant"));
    EXPECT_EQ(much.kind, ToolResult::Failed);
    EXPECT_TRUE(much.text.contains(QLatin1String("16 MB"))) << qPrintable(much.text);
}

TEST(ToolClient, AFloodIsNotKeptAndItsProgramIsKilled)
{
    constexpr qint64 kMost = (16 << 20) + (256 << 10); // a message, and what one read brings
    for (const char *where : {"stdout", "stderr", "lines"}) {
        SCOPED_TRACE(where);
        SpokenWith server(scripted());
        ASSERT_TRUE(server.begin());
        auto *const program = static_cast<mcp::ProgramTransport *>(server.transport);
        const QPointer<mcp::ProgramTransport> transport(program);
        const qint64 process = program->processId();
        qint64 most = 0;
        bool answered = false;
        const auto note = [&] {
            if (transport)
                most = std::max(most, transport->heldBytes());
        };
        const Tool *flood = nullptr;
        for (const Tool &tool : server.client->tools())
            if (tool.name == QLatin1String("flood"))
                flood = &tool;
        ASSERT_NE(flood, nullptr);
        ToolResult result;
        server.client->call(*flood, QByteArray("{\"where\":\"") + where + "\"}", 2s,
                            [&](const ToolResult &given) {
                                result = given;
                                answered = true;
                            });
        ASSERT_TRUE(waitFor([&] {
            note();
            return answered;
        }));
        EXPECT_EQ(result.kind, ToolResult::Failed);
        if (std::string_view(where) != "stdout") // it goes on until its client ends
            server.client.reset();
        else
            EXPECT_TRUE(result.text.contains(QLatin1String("16 MB"))) << qPrintable(result.text);
        EXPECT_TRUE(waitFor([&] {
            note();
            return !isAlive(process);
        }));
        EXPECT_LE(most, kMost);
    }
}

TEST(ToolClient, ProgramsGetFewVariables)
{
    qputenv("FIRESIDE_TEST_SECRET", "a key");
    McpServerConfig config = scripted();
    config.environment = {{QStringLiteral("GIVEN"), QStringLiteral("on purpose")}};
    SpokenWith server(config);
    ASSERT_TRUE(server.begin());
    const QString all = server.text(QStringLiteral("environment"));
    EXPECT_TRUE(all.contains(QLatin1String("PATH=")) && all.contains(QLatin1String("HOME=")));
    EXPECT_TRUE(all.contains(QLatin1String("GIVEN=on purpose")));
    EXPECT_FALSE(all.contains(QLatin1String("FIRESIDE_TEST_SECRET")));
    qunsetenv("FIRESIDE_TEST_SECRET");
}

TEST(ToolProcesses, EndWithTheirClient)
{
    qint64 server = 0, child = 0;
    {
        SpokenWith spoken(scripted());
        ASSERT_TRUE(spoken.begin());
        server = static_cast<mcp::ProgramTransport *>(spoken.transport)->processId();
        child = spoken.text(QStringLiteral("child")).toLongLong();
        EXPECT_TRUE(isAlive(server) && isAlive(child));
    }
    EXPECT_TRUE(waitFor([&] { return !isAlive(server) && !isAlive(child); }));
}

TEST(ToolProcesses, EndWhenTheProgramIsKilled)
{
    QProcess holder;
    holder.start(QCoreApplication::applicationFilePath(),
                 {QStringLiteral("--role"), QStringLiteral("holder")});
    ASSERT_TRUE(waitFor([&] { return holder.canReadLine(); }));
    const QList<QByteArray> numbers = holder.readLine().trimmed().split(' ');
    ASSERT_EQ(numbers.size(), 2);
    const qint64 server = numbers[0].toLongLong(), child = numbers[1].toLongLong();
    EXPECT_TRUE(isAlive(server) && isAlive(child));
    holder.kill(); // -9
    EXPECT_TRUE(waitFor([&] { return !isAlive(server) && !isAlive(child); }));
    holder.waitForFinished();
}

} // namespace
} // namespace fireside::test
