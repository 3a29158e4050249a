#pragma once
#include "app/tools/mcp/client.h"
#include "app/tools/mcp/server_config.h"

#include <QElapsedTimer>

#include <memory>

namespace fireside {

class NetworkGate;

/// How a server fares.
struct McpServerState
{
    enum Kind { Off, Starting, Ready, Waiting, Failed };
    Kind kind = Off;
    QString text; // why it waits or failed
    bool operator==(const McpServerState &) const = default;
};

/// One server of mcp.json: started while it is enabled, started again when it dies, after pauses
/// that grow, and given up after several failures in a row.
class McpServer : public QObject
{
    Q_OBJECT
public:
    struct Patience
    {
        std::chrono::milliseconds firstPause{1'000}, longestPause{30'000};
        std::chrono::milliseconds steady{60'000}; // so long it must have run to count as well again
        int tries = 5;
        mcp::ClientLimits client{};
    };

    /// gate: nullptr: no server elsewhere can be used.
    McpServer(const McpServerConfig &config, NetworkGate *gate, const Patience &patience,
              QObject *parent = nullptr);
    McpServer(const McpServerConfig &config, NetworkGate *gate, QObject *parent = nullptr);
    ~McpServer() override;

    const McpServerConfig &config() const { return m_config; }
    const McpServerState &state() const { return m_state; }
    const QList<Tool> &tools() const { return m_tools; } // empty unless it is Ready
    QStringList problems() const;
    QString version() const;
    QString serverName() const;
    const QStringList &lastLines() const { return m_lines; } // that it has said beside messages

    void start(); // anew, too
    void stop();  // its program ends in the background
    /// nullptr unless it is Ready.
    mcp::Client *client() const;

signals:
    void changed(); // state, tools or words

private:
    void launch();
    void takeFailure(const QString &why);
    void setState(McpServerState::Kind kind, const QString &text = {});
    void drop();
    void noteTools();

    const McpServerConfig m_config;
    NetworkGate *const m_gate;
    const Patience m_patience;
    McpServerState m_state;
    mcp::Client *m_client = nullptr;
    QList<Tool> m_tools;
    QStringList m_lines;
    QTimer m_pause;
    QElapsedTimer m_ready; // stands still while the computer sleeps
    int m_failures = 0;
};

} // namespace fireside
