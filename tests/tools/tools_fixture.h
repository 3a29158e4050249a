#pragma once
#include "app/tools/mcp/client.h"
#include "app/tools/mcp/program_transport.h"
#include "app/tools/mcp/server.h"

#include <QByteArray>
#include <QObject>
#include <QStringList>

#include <functional>
#include <gtest/gtest.h>
#include <memory>

namespace fireside::test {

/// Runs the event loop until the condition holds; false after a time that no working machine needs.
bool waitFor(const std::function<bool()> &condition);

/// How the scripted server is started.
McpServerConfig scripted(const QStringList &arguments = {});
/// Nobody is to wait long for what never comes.
mcp::ClientLimits hastyLimits();
bool isAlive(qint64 process);

/// A client that speaks with a program.
class SpokenWith : public QObject
{
public:
    explicit SpokenWith(const McpServerConfig &config,
                        const mcp::ClientLimits &limits = hastyLimits());
    /// With another way there.
    SpokenWith(mcp::Transport *transport, const mcp::ClientLimits &limits);
    ~SpokenWith() override;

    bool begin(); // true: it is ready; false: it failed
    ToolResult call(const QString &tool, const QByteArray &arguments = "{}",
                    std::chrono::milliseconds patience = std::chrono::seconds(60));
    QString text(const QString &tool, const QByteArray &arguments = "{}")
    {
        return call(tool, arguments).text;
    }
    bool has(const QString &tool) const;

    mcp::Transport *transport;
    std::unique_ptr<mcp::Client> client;
    bool ready = false;
    QString failure;
    QStringList said;
    QList<double> progress;
};

} // namespace fireside::test
