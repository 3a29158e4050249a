#pragma once
#include "app/tools/mcp/line_reader.h"
#include "app/tools/mcp/server_config.h"
#include "app/tools/mcp/transport.h"

#include <QProcess>
#include <QTimer>

#include <memory>

namespace fireside::mcp {

/// A server that is a program of this computer, over its standard input and output, one message a
/// line. It gets few variables, and a group of processes of its own. It ends with this program: its
/// input ends, then come signals to the group; where this program is killed, the kernel kills the
/// server, and a shell that waits for that kills what else is in the group.
class ProgramTransport : public Transport
{
    Q_OBJECT
public:
    explicit ProgramTransport(const McpServerConfig &config, QObject *parent = nullptr);
    ~ProgramTransport() override; // waits a second at most

    void open() override;
    void send(const Outgoing &message) override;
    void abandon(qint64) override {}
    void agree(const QString &) override {}
    void close() override;
    bool isRemote() const override { return false; }
    qint64 processId() const { return m_group; }
    /// Bytes of its output that are kept: lines that have not ended, and what was not read yet.
    qint64 heldBytes() const
    {
        return m_output.held() + m_errors.held() + (m_process ? m_process->bytesAvailable() : 0);
    }

private:
    void readOutput();
    void readErrors();
    void guard();
    void dropOutput();
    void endFlood(const QString &why);
    void fail(const QString &why);
    void signalGroup(int signal) const;
    QString howItEnded() const;

    const McpServerConfig m_config;
    QProcess *m_process = nullptr, *m_guard = nullptr;
    LineReader m_output, m_errors;
    QTimer m_patience; // while it is closed
    qint64 m_group = 0;
    int m_signals = 0;
    bool m_over = false;
    QString m_lastWords; // of its errors
};

} // namespace fireside::mcp
