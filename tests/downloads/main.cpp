#include "download_fixture.h"

#include <QCoreApplication>

#include <gtest/gtest.h>

namespace {

/// "--role downloader URL FOLDER SIZE SHA256": downloads until it is done or killed.
int downloadUntilKilled(const QStringList &arguments)
{
    using namespace fireside;
    Connections connections;
    NetworkGate gate(connections);
    RemoteFile file;
    file.url = QUrl(arguments.value(0));
    file.name = QStringLiteral("model.bin");
    file.size = arguments.value(2).toLongLong();
    file.digest = {ExpectedDigest::Kind::Sha256, arguments.value(3).toLatin1()};
    Download download(gate, {{}, arguments.value(1), {file}}, {}, test::hastyPolicy());
    QObject::connect(&download, &Download::finished, [](const QString &problem) {
        QCoreApplication::exit(problem.isEmpty() ? 0 : 1);
    });
    download.start();
    return QCoreApplication::exec();
}

} // namespace

int main(int argc, char **argv)
{
    // Only this computer is asked.
    for (const char *name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"})
        qunsetenv(name);
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (const qsizetype role = arguments.indexOf(QLatin1String("--role")); role >= 0)
        return downloadUntilKilled(arguments.mid(role + 2));
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
