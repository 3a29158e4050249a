#include "app/network/connections.h"
#include "app/network/network_gate.h"
#include "app/tools/mcp/http_transport.h"
#include "tools_fixture.h"

#include <QCoreApplication>

#include <cstdio>
#include <gtest/gtest.h>

namespace {

/// "--role holder": starts the scripted server, has it start a program of its own, prints the
/// numbers of both and waits to be killed.
int holdUntilKilled()
{
    using namespace fireside;
    test::SpokenWith server(test::scripted());
    if (!server.begin())
        return 1;
    const auto *program = static_cast<mcp::ProgramTransport *>(server.transport);
    std::printf("%lld %s\n", static_cast<long long>(program->processId()),
                qPrintable(server.text(QStringLiteral("child"))));
    std::fflush(stdout);
    return QCoreApplication::exec();
}

/// "--role client … URL", as @modelcontextprotocol/conformance starts a client: calls every tool of
/// the server there.
int callEverything(const QString &url)
{
    using namespace fireside;
    Connections connections;
    NetworkGate gate(connections);
    McpServerConfig config{.name = QStringLiteral("conformance")};
    config.url = url;
    bool failed = false;
    {
        test::SpokenWith server(new mcp::HttpTransport(gate, config), {});
        failed = !server.begin();
        std::printf("%s %s\n", qPrintable(server.client->version()), qPrintable(server.failure));
        for (const Tool &tool : server.client->tools())
            std::printf("%s: %s\n", qPrintable(tool.name),
                        qPrintable(server.text(tool.name, R"({"a": 5, "b": 3})")));
    }
    return failed ? 1 : 0;
}

} // namespace

int main(int argc, char **argv)
{
    // Only this computer is asked.
    for (const char *name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"})
        qunsetenv(name);
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.contains(QLatin1String("--role")))
        return arguments.contains(QLatin1String("client")) ? callEverything(arguments.last())
                                                           : holdUntilKilled();
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
