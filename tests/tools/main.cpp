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

} // namespace

namespace fireside::test {
int runConformanceClient(const QString &url);
}

int main(int argc, char **argv)
{
    // Only this computer is asked.
    for (const char *name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"})
        qunsetenv(name);
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.contains(QLatin1String("--role")))
        return arguments.contains(QLatin1String("client"))
                   ? fireside::test::runConformanceClient(arguments.last())
                   : holdUntilKilled();
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
