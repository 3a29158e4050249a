// Other people's servers, where node and their packages are at hand.
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"
#include "tools_fixture.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QProcess>

#include <algorithm>
#include <string>

namespace fireside::test {
namespace {

/// How a server out of npm is started; nothing where it is not installed.
std::optional<McpServerConfig> nodeServer(const QString &package)
{
    const QString folder = qEnvironmentVariable("FIRESIDE_NODE_CLIENTS");
    const QString start = folder + QStringLiteral("/node_modules/@modelcontextprotocol/") +
                          package + QStringLiteral("/dist/index.js");
    if (folder.isEmpty() || !QFileInfo::exists(start))
        return std::nullopt;
    McpServerConfig config{.name = package};
    config.command = QStringLiteral("node");
    config.arguments = QStringList{start};
    return config;
}

TEST(NodeServers, Everything)
{
    auto config = nodeServer(QStringLiteral("server-everything"));
    if (!config)
        FIRESIDE_SKIP("FIRESIDE_NODE_CLIENTS names no folder with server-everything");
    config->arguments += QStringLiteral("stdio");
    mcp::ClientLimits limits;
    limits.probe = std::chrono::seconds(10);
    SpokenWith server(*config, limits);
    ASSERT_TRUE(server.begin()) << qPrintable(server.failure);
    std::printf("server-everything: version %s, %lld tools\n", qPrintable(server.client->version()),
                static_cast<long long>(server.client->tools().size()));
    EXPECT_EQ(server.text(QStringLiteral("echo"), R"({"message":"hej"})"),
              QStringLiteral("Echo: hej"));
    const QString sum = server.text(QStringLiteral("get-sum"), R"({"a":19,"b":23})");
    EXPECT_TRUE(sum.contains(QLatin1String("42"))) << qPrintable(sum);
    EXPECT_TRUE(server.text(QStringLiteral("get-tiny-image")).contains(QLatin1String("image/png")));
    const ToolResult wrong = server.call(QStringLiteral("echo"), "{}");
    EXPECT_NE(wrong.kind, ToolResult::Done);
    const ToolResult slow = server.call(QStringLiteral("trigger-long-running-operation"),
                                        R"({"duration":1,"steps":4})");
    EXPECT_EQ(slow.kind, ToolResult::Done) << qPrintable(slow.text);
    EXPECT_GE(server.progress.size(), 2);
}

TEST(NodeServers, Filesystem)
{
    auto config = nodeServer(QStringLiteral("server-filesystem"));
    if (!config)
        FIRESIDE_SKIP("FIRESIDE_NODE_CLIENTS names no folder with server-filesystem");
    const TempDir folder;
    const QString path = QString::fromStdString(folder.path().string());
    QFile file(path + QStringLiteral("/note.txt"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("written here");
    file.close();
    config->arguments += path;
    SpokenWith server(*config, {});
    ASSERT_TRUE(server.begin()) << qPrintable(server.failure);
    std::printf("server-filesystem: version %s, %lld tools\n", qPrintable(server.client->version()),
                static_cast<long long>(server.client->tools().size()));
    const QByteArray asked = "{\"path\":\"" + file.fileName().toUtf8() + "\"}";
    EXPECT_TRUE(server.text(QStringLiteral("read_text_file"), asked)
                    .contains(QLatin1String("written here")));
    EXPECT_EQ(server.call(QStringLiteral("read_text_file"), R"({"path":"/etc/passwd"})").kind,
              ToolResult::ToolError);
}

/// The scenarios for clients of the public conformance suite, less those of extensions that are not
/// here (accounts of a company or of a machine without a key, skills). It counts each MUST and
/// SHOULD of the specification that it saw kept.
class PublicConformance : public testing::TestWithParam<const char *>
{};

TEST_P(PublicConformance, Passes)
{
    const QString folder = qEnvironmentVariable("FIRESIDE_NODE_CLIENTS");
    const QString start =
        folder + QStringLiteral("/node_modules/@modelcontextprotocol/conformance/dist/index.js");
    if (folder.isEmpty() || !QFileInfo::exists(start))
        FIRESIDE_SKIP("FIRESIDE_NODE_CLIENTS names no folder with the conformance suite");
    QProcess suite;
    suite.setProcessChannelMode(QProcess::MergedChannels);
    suite.start(QStringLiteral("node"),
                {start, QStringLiteral("client"), QStringLiteral("--command"),
                 QCoreApplication::applicationFilePath() + QStringLiteral(" --role client"),
                 QStringLiteral("--scenario"), QLatin1String(GetParam())});
    ASSERT_TRUE(suite.waitForFinished(300'000));
    const QString said = QString::fromUtf8(suite.readAll());
    EXPECT_EQ(suite.exitCode(), 0) << qPrintable(said);
    const qsizetype passed = said.indexOf(QLatin1String("Passed:"));
    ASSERT_GE(passed, 0) << qPrintable(said);
    std::printf("%s: %s\n", GetParam(),
                qPrintable(said.mid(passed).section(QLatin1Char('\n'), 0, 0)));
}

std::string scenarioName(const testing::TestParamInfo<const char *> &test)
{
    std::string name = test.param;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(
    Mcp, PublicConformance,
    testing::Values("initialize", "tools_call", "sse-retry", "request-metadata",
                    "http-standard-headers", "http-custom-headers", "http-invalid-tool-headers",
                    "json-schema-2020-12-preservation", "json-schema-ref-no-deref",
                    "elicitation-sep1034-client-defaults", "sep-2322-client-request-state"),
    scenarioName);

INSTANTIATE_TEST_SUITE_P(
    McpAuth, PublicConformance,
    testing::Values(
        "auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3",
        "auth/basic-cimd", "auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported",
        "auth/scope-omitted-when-undefined", "auth/scope-step-up", "auth/scope-retry-limit",
        "auth/token-endpoint-auth-basic", "auth/token-endpoint-auth-post",
        "auth/token-endpoint-auth-none", "auth/pre-registration",
        "auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback",
        "auth/resource-mismatch", "auth/offline-access-scope", "auth/offline-access-not-supported",
        "auth/authorization-server-migration", "auth/iss-supported", "auth/iss-not-advertised",
        "auth/iss-supported-missing", "auth/iss-wrong-issuer", "auth/iss-unexpected",
        "auth/iss-normalized", "auth/metadata-issuer-mismatch", "auth/client-credentials-basic",
        "auth/client-credentials-jwt", "auth/dpop", "auth/dpop-nonce"),
    scenarioName);

} // namespace
} // namespace fireside::test
