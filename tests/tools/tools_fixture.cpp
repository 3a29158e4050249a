#include "tools_fixture.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFile>
#include <QThread>

#include <algorithm>

namespace fireside::test {

bool waitFor(const std::function<bool()> &condition)
{
    const QDeadlineTimer deadline(300'000);
    while (!condition()) {
        if (deadline.hasExpired())
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QThread::msleep(1);
    }
    return true;
}

McpServerConfig scripted(const QStringList &arguments)
{
    McpServerConfig config{.name = QStringLiteral("scripted")};
    config.command = QStringLiteral(FIRESIDE_SCRIPTED_SERVER);
    config.arguments = arguments;
    return config;
}

mcp::ClientLimits hastyLimits()
{
    mcp::ClientLimits limits;
    limits.probe = std::chrono::milliseconds(300);
    return limits;
}

/// A zombie is not.
bool isAlive(qint64 process)
{
    QFile status(QStringLiteral("/proc/%1/stat").arg(process));
    if (!status.open(QIODevice::ReadOnly))
        return false;
    const QByteArray text = status.readAll();
    const QByteArray state = text.mid(text.lastIndexOf(')') + 2, 1);
    return state != "Z" && state != "X";
}

SpokenWith::SpokenWith(const McpServerConfig &config, const mcp::ClientLimits &limits)
    : SpokenWith(new mcp::ProgramTransport(config), limits)
{}

SpokenWith::SpokenWith(mcp::Transport *way, const mcp::ClientLimits &limits)
    : transport(way)
    , client(std::make_unique<mcp::Client>(way, QStringLiteral("scripted"), limits))
{
    transport->setParent(this);
    connect(client.get(), &mcp::Client::ready, this, [this] { ready = true; });
    connect(client.get(), &mcp::Client::failed, this,
            [this](const QString &why) { failure = why; });
    connect(client.get(), &mcp::Client::said, this, [this](const QString &line) { said += line; });
}

SpokenWith::~SpokenWith()
{
    client.reset();
    qDeleteAll(findChildren<mcp::Transport *>());
}

bool SpokenWith::begin()
{
    client->start();
    EXPECT_TRUE(waitFor([this] { return ready || !failure.isEmpty(); }));
    return ready;
}

bool SpokenWith::has(const QString &tool) const
{
    return std::any_of(client->tools().begin(), client->tools().end(),
                       [&](const Tool &one) { return one.name == tool; });
}

ToolResult SpokenWith::call(const QString &tool, const QByteArray &arguments,
                            std::chrono::milliseconds patience)
{
    bool answered = false;
    ToolResult given;
    Tool asked{QStringLiteral("scripted"), tool};
    for (const Tool &one : client->tools())
        asked = one.name == tool ? one : asked;
    client->call(
        asked, arguments, patience,
        [&](const ToolResult &result) {
            EXPECT_FALSE(answered);
            answered = true;
            given = result;
        },
        [&](const mcp::CallProgress &step) { progress += step.done; });
    EXPECT_TRUE(waitFor([&] { return answered; }));
    return given;
}

} // namespace fireside::test
