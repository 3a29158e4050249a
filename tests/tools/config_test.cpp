// mcp.json as others write it, and what stays of it when it is changed.
#include "app/tools/mcp/config_file.h"
#include "tests/support/temp_dir.h"

#include <QFile>

#include <gtest/gtest.h>

namespace fireside::test {
namespace {

class ConfigFileTest : public testing::Test
{
protected:
    QString path() const { return QString::fromStdString((m_folder.path() / "mcp.json").string()); }
    McpConfigFile with(const QByteArray &content)
    {
        QFile file(path());
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        return McpConfigFile(path());
    }
    QByteArray content(const QString &suffix = {}) const
    {
        QFile file(path() + suffix);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    TempDir m_folder;
};

TEST_F(ConfigFileTest, ReadsTheFormsOfSeveralPrograms)
{
    const McpConfigFile file = with(R"({"mcpServers": {
        "files": {"command": "npx", "args": ["-y", "server", 8], "env": {"A": "1", "B": 2},
                  "cwd": "/tmp", "alwaysAllow": ["x"]},
        "web": {"url": "https://example.org/mcp", "headers": {"Authorization": "Bearer x"}},
        "old": {"type": "sse", "url": "http://localhost:1/sse", "disabled": true},
        "surf": {"serverUrl": "https://example.org/surf"},
        "off": {"command": "a", "enabled": false},
        "none": {}, "both": {"command": "a", "url": "https://b.org"}, "text": "what",
        "wrong": {"url": "ftp://example.org"}, "line": {"url": "https://a.org",
        "headers": {"A": "b\r\nC: d"}}, "args": {"command": "a", "args": "b"}}})");
    ASSERT_TRUE(file.problem().isEmpty()) << qPrintable(file.problem());
    ASSERT_EQ(file.servers().size(), 11);
    const McpServerConfig &files = file.servers()[0];
    EXPECT_EQ(files.name, QStringLiteral("files"));
    EXPECT_EQ(files.command, QStringLiteral("npx"));
    EXPECT_EQ(files.arguments.join(u' '), QStringLiteral("-y server 8"));
    EXPECT_EQ(files.environment.size(), 2);
    EXPECT_EQ(files.environment[1].second, QStringLiteral("2"));
    EXPECT_EQ(files.folder, QStringLiteral("/tmp"));
    EXPECT_TRUE(files.enabled && files.problem.isEmpty());
    EXPECT_EQ(file.servers()[1].headers[0].second, QStringLiteral("Bearer x"));
    EXPECT_TRUE(file.servers()[2].oldStream && !file.servers()[2].enabled);
    EXPECT_EQ(file.servers()[3].url, QStringLiteral("https://example.org/surf"));
    EXPECT_FALSE(file.servers()[4].enabled);
    for (int i = 5; i < 11; ++i)
        EXPECT_FALSE(file.servers()[i].problem.isEmpty()) << qPrintable(file.servers()[i].name);
    EXPECT_EQ(with(R"({"servers": {"a": {"command": "b"}}})").servers().size(), 1);
    EXPECT_TRUE(with("").problem().isEmpty());
    EXPECT_TRUE(McpConfigFile(path() + u'x').problem().isEmpty()); // there is none
}

TEST_F(ConfigFileTest, BrokenFilesAreNamedAndNeverOverwritten)
{
    for (const QByteArray &broken :
         {QByteArray("{"), QByteArray("[]"), QByteArray("{\"mcpServers\": []}"),
          QByteArray(1'000'000, '['), QByteArray("\0\xff", 2)}) {
        McpConfigFile file = with(broken);
        EXPECT_FALSE(file.problem().isEmpty()) << broken.left(30).constData();
        EXPECT_FALSE(
            file.put({.name = QStringLiteral("x"), .command = QStringLiteral("y")}, {}).isEmpty());
        EXPECT_EQ(content(), broken);
    }
}

TEST_F(ConfigFileTest, ChangesKeepWhatIsNotKnownAndTheOrder)
{
    McpConfigFile file = with(R"({"theme": 1, "mcpServers": {"z": {"command": "a", "args": ["b"],
        "alwaysAllow": ["t"]}, "a": {"command": "c"}}})");
    McpServerConfig z = file.servers()[0];
    z.name = QStringLiteral("renamed");
    z.arguments.clear();
    z.environment = {{QStringLiteral("K"), QStringLiteral("v")}};
    EXPECT_EQ(file.put(z, QStringLiteral("z")), QString());
    EXPECT_EQ(file.put({.name = QStringLiteral("new"), .url = QStringLiteral("https://n.org")}, {}),
              QString());
    EXPECT_FALSE(
        file.put({.name = QStringLiteral("a"), .command = QStringLiteral("x")}, {}).isEmpty());
    const ToolJson json = parsedJson(content()).value_or(ToolJson());
    EXPECT_EQ(json.dump(),
              R"({"theme":1,"mcpServers":{"renamed":{"command":"a","alwaysAllow":["t"],)"
              R"("env":{"K":"v"}},"a":{"command":"c"},"new":{"url":"https://n.org"}}})");
    EXPECT_EQ(file.remove(QStringLiteral("a")), QString());
    EXPECT_EQ(file.servers().size(), 2);
    // It may hold keys.
    EXPECT_EQ(QFile::permissions(path()) & (QFile::ReadGroup | QFile::ReadOther),
              QFile::Permissions());
}

TEST_F(ConfigFileTest, WhatOthersWroteMeanwhileStays)
{
    McpConfigFile file = with(R"({"mcpServers": {"mine": {"command": "a"}}})");
    const auto elsewhere = [this](const QByteArray &text) {
        QFile other(path());
        ASSERT_TRUE(other.open(QIODevice::WriteOnly));
        other.write(text);
    };
    elsewhere(R"({"theirs": 1, "mcpServers": {"mine": {"command": "a"}, "b": {"command": "c"}}})");
    EXPECT_EQ(file.put({.name = QStringLiteral("new"), .command = QStringLiteral("n")}, {}),
              QString());
    EXPECT_EQ(parsedJson(content()).value_or(ToolJson()).dump(),
              R"({"theirs":1,"mcpServers":{"mine":{"command":"a"},"b":{"command":"c"},)"
              R"("new":{"command":"n"}}})");
    elsewhere(R"({"mcpServers": {"c": {"command": "d"}, "new": {"command": "e"}}})");
    EXPECT_EQ(file.remove(QStringLiteral("new")), QString());
    EXPECT_EQ(parsedJson(content()).value_or(ToolJson()).dump(),
              R"({"mcpServers":{"c":{"command":"d"}}})");
    elsewhere("{ broken"); // and is not overwritten
    EXPECT_FALSE(file.remove(QStringLiteral("c")).isEmpty());
    EXPECT_EQ(content(), "{ broken");
}

TEST_F(ConfigFileTest, CommentsAreReadAndTheirFileIsKept)
{
    const QByteArray commented = "{ // servers\n \"mcpServers\": {\"a\": {\"command\": \"b\"}} }";
    McpConfigFile file = with(commented);
    ASSERT_EQ(file.servers().size(), 1);
    McpServerConfig off = file.servers()[0];
    off.enabled = false;
    EXPECT_EQ(file.put(off, off.name), QString());
    EXPECT_EQ(content(QStringLiteral(".with-comments")), commented);
    EXPECT_FALSE(McpConfigFile(path()).servers()[0].enabled);
}

TEST(ServerConfig, VariablesAreFilledIn)
{
    QProcessEnvironment variables;
    variables.insert(QStringLiteral("KEY"), QStringLiteral("secret"));
    McpServerConfig config{.name = QStringLiteral("a")};
    config.url = QStringLiteral("https://${HOST:-example.org}/x");
    config.headers = {{QStringLiteral("Authorization"), QStringLiteral("Bearer ${KEY}${env:KEY}")}};
    const McpServerConfig filled = expanded(config, variables);
    EXPECT_EQ(filled.problem, QString());
    EXPECT_EQ(filled.url, QStringLiteral("https://example.org/x"));
    EXPECT_EQ(filled.headers[0].second, QStringLiteral("Bearer secretsecret"));
    config.headers[0].second = QStringLiteral("${MISSING}");
    EXPECT_TRUE(expanded(config, variables).problem.contains(QLatin1String("MISSING")));
    variables.insert(QStringLiteral("KEY"), QStringLiteral("a\nInjected: b"));
    config.headers[0].second = QStringLiteral("${KEY}");
    EXPECT_FALSE(expanded(config, variables).problem.isEmpty());
}

TEST(ServerConfig, CommandLinesAreSplitAndJoined)
{
    EXPECT_EQ(splitCommandLine(QStringLiteral("  npx  -y 'a b' \"c \\\" d\" e\\ f '' ")),
              (QStringList{QStringLiteral("npx"), QStringLiteral("-y"), QStringLiteral("a b"),
                           QStringLiteral("c \" d"), QStringLiteral("e f"), QString()}));
    for (const QStringList &words :
         {QStringList{QStringLiteral("a")},
          QStringList{QStringLiteral("a b"), QStringLiteral("\"")},
          QStringList{QStringLiteral("\\"), QStringLiteral("'"), QStringLiteral("x\ty")},
          QStringList{QStringLiteral("x"), QStringLiteral("")}})
        EXPECT_EQ(splitCommandLine(joinedCommandLine(words)), words);
}

} // namespace
} // namespace fireside::test
