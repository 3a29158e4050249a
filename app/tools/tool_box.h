#pragma once
#include "app/tools/auth/credentials.h"
#include "app/tools/input_queue.h"
#include "app/tools/mcp/config_file.h"
#include "app/tools/mcp/server.h"
#include "app/tools/tool_memory.h"

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QTimer>
#include <QUrl>

#include <chrono>
#include <functional>
#include <stop_token>

namespace fireside {

class NetworkGate;

/// All tools there are: the program's own and those of the servers in mcp.json, which it starts,
/// watches and ends. GUI thread.
class ToolBox : public QObject
{
    Q_OBJECT
public:
    using Answered = std::function<void(const ToolResult &)>;
    using Progressed = std::function<void(const mcp::CallProgress &)>;

    /// gate: nullptr: no server elsewhere can be used. secrets: where sign-ins are kept, which must
    /// outlive this; nullptr: until it ends. Nothing is started yet.
    explicit ToolBox(NetworkGate *gate, SecretStore *secrets = nullptr, QObject *parent = nullptr);
    ~ToolBox() override; // servers end with it

    /// Starts what is enabled; changes of mcp.json by others are taken over from now on.
    void start();

    /// Those that can be called now, the built-in ones first.
    const QList<Tool> &tools() const { return m_tools; }
    const QList<McpServer *> &servers() const { return m_servers; } // as in mcp.json
    McpServer *server(const QString &name) const;
    QString configPath() const { return m_file.path(); }
    QString configProblem() const { return m_file.problem(); }

    // Each returns why nothing was changed; empty: it was.
    QString putServer(const McpServerConfig &config, const QString &formerName);
    QString removeServer(const QString &name);
    QString enableServer(const QString &name, bool enabled);
    void restartServer(const QString &name);

    // Of a server that offers it (McpServer::authorizer()).
    void signIn(const QString &name);
    void declineSignIn(const QString &name);
    void signOut(const QString &name);
    /// Why sign-ins end with the program, as a clause; empty: they are kept.
    QString signInProblem() const { return m_keeper.problem(); }

    /// What servers ask of the user.
    InputQueue &inputs() { return m_inputs; }

    const ToolMemory &memory() const { return m_memory; }
    QString setFolder(const QString &folder);
    QString allowAlways(const Tool &tool);
    QString forgetAllowed();
    QString setNewChats(const QStringList &ids);

    /// `answered` comes once, later, unless it is cancelled.
    qint64 call(const Tool &tool, const QByteArray &arguments, std::chrono::milliseconds patience,
                Answered answered, Progressed progressed = {});
    void cancel(qint64 call);

    /// The program's language has changed: its own tools are called otherwise.
    void renameBuiltIn() { noteChange(); }

signals:
    void toolsChanged();
    void serversChanged(); // their list, or the state of one
    void memoryChanged();
    /// The user has agreed to go there.
    void browserWanted(const QUrl &address);

private:
    struct Running
    {
        std::stop_source stop{};        // built-in
        QPointer<mcp::Client> client{}; // of a server
        qint64 id = 0;                  // there
    };

    void readConfig();
    void noteChange();
    void sendBrowser(const QUrl &address);

    NetworkGate *const m_gate;
    McpConfigFile m_file;
    auth::CredentialKeeper m_keeper;
    InputQueue m_inputs;
    ToolMemory m_memory;
    QList<McpServer *> m_servers;
    QList<Tool> m_tools;
    QFileSystemWatcher m_watcher;
    QTimer m_reread;
    QHash<qint64, Running> m_running;
    qint64 m_calls = 0;
    bool m_started = false;
};

} // namespace fireside
