#pragma once
#include "app/tools/mcp/client.h"
#include "app/tools/mcp/server_config.h"

#include <QElapsedTimer>

#include <memory>

namespace fireside {

class NetworkGate;

namespace auth {
class Authorizer;
class CredentialKeeper;
} // namespace auth

/// How a server fares.
struct McpServerState
{
    enum Kind { Off, Starting, SignIn, Ready, Waiting, Failed };
    Kind kind = Off;
    QString text; // why it waits or failed; of SignIn where
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

    /// gate: nullptr: no server elsewhere can be used. keeper: nullptr: nobody signs in.
    McpServer(const McpServerConfig &config, NetworkGate *gate, auth::CredentialKeeper *keeper,
              const Patience &patience, QObject *parent = nullptr);
    McpServer(const McpServerConfig &config, NetworkGate *gate,
              auth::CredentialKeeper *keeper = nullptr, QObject *parent = nullptr);
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
    /// nullptr: one does not sign in to it, or it was not started yet.
    auth::Authorizer *authorizer() const { return m_authorizer; }

signals:
    void changed();                       // state, tools or words
    void clientMade(mcp::Client *client); // that starts next

private:
    void launch();
    void takeFailure(const QString &why);
    void setState(McpServerState::Kind kind, const QString &text = {});
    void drop();
    void noteTools();
    void noteSignIn();
    auth::Authorizer *authorizerFor(const McpServerConfig &expandedConfig);

    const McpServerConfig m_config;
    NetworkGate *const m_gate;
    auth::CredentialKeeper *const m_keeper;
    const Patience m_patience;
    auth::Authorizer *m_authorizer = nullptr;
    McpServerState m_state;
    mcp::Client *m_client = nullptr;
    QList<Tool> m_tools;
    QStringList m_lines;
    QTimer m_pause;
    QElapsedTimer m_ready; // stands still while the computer sleeps
    int m_failures = 0;
};

} // namespace fireside
