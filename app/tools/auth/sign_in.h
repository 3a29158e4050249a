#pragma once
#include "app/tools/auth/code_flow.h"
#include "app/tools/auth/discovery.h"
#include "app/tools/auth/signing_key.h"
#include "app/tools/mcp/server_config.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace fireside {
class LoopbackListener;
class NetworkGate;
} // namespace fireside

namespace fireside::auth {

struct Reply;

/// One attempt to sign in, after the user has said so: registers Fireside where nobody knows it
/// yet, sends the browser, waits for it to come back, and gets the tokens. Ends with one signal.
class SignIn : public QObject
{
    Q_OBJECT
public:
    /// known: as it was registered there before; without an id: never. key: that tokens are to be
    /// bound to.
    SignIn(NetworkGate &gate, const Discovered &where, const McpAuthConfig &config,
           const AuthClient &known, const QStringList &scopes, const std::optional<SigningKey> &key,
           const QString &purpose, QObject *parent = nullptr);
    ~SignIn() override;

    void start();

signals:
    void browserWanted(const QUrl &address);
    void done(const fireside::auth::AuthClient &client, const fireside::auth::Tokens &tokens);
    /// forget: the server does not know the registration any more.
    void failed(const QString &why, bool forget);

private:
    void registerClient();
    void sendBrowser();
    void takeCode(const QString &code);
    void takeTokens(const Reply &reply);
    void fail(const QString &why, bool forget = false);

    NetworkGate &m_gate;
    const Discovered m_where;
    const McpAuthConfig m_config;
    const QString m_purpose;
    const std::optional<SigningKey> m_key;
    AuthClient m_client;
    CodeRequest m_request;
    std::unique_ptr<LoopbackListener> m_listener;
    QTimer m_patience;
    bool m_codeCame = false, m_over = false;
};

/// The file with the user's key, PEM; nothing: there is none. A clause where it cannot be used.
QByteArray keyIn(const McpAuthConfig &config, QString &problem);
/// Who Fireside is there without being registered first: as the user has set, or by the address of
/// a document. Nothing: it has to be registered.
std::optional<AuthClient> configuredClient(const McpAuthConfig &config,
                                           const ServerMetadata &server);

} // namespace fireside::auth
