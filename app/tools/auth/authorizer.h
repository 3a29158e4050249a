#pragma once
#include "app/tools/auth/code_flow.h"
#include "app/tools/auth/credentials.h"
#include "app/tools/auth/discovery.h"
#include "app/tools/auth/signing_key.h"
#include "app/tools/mcp/server_config.h"

#include <QObject>

#include <optional>

namespace fireside {
class NetworkGate;
}

namespace fireside::auth {

class SignIn;

/// What the user is asked before a browser is opened.
struct SignInOffer
{
    QString host;       // of the page that would be opened
    QStringList scopes; // that are asked for; may be empty
    bool more = false;  // it is signed in already, but that is not enough
    QString problem;    // of the last attempt, a clause
    bool operator==(const SignInOffer &) const = default;
};

/// Signs in to one server (OAuth 2.1, as the Model Context Protocol has it). Requests that were
/// refused are reported to it; it refreshes the token, or offers the user to sign in, and tells
/// when they can be sent again. Nothing is opened before signIn().
class Authorizer : public QObject
{
    Q_OBJECT
public:
    Authorizer(NetworkGate &gate, const McpServerConfig &config, CredentialKeeper &keeper,
               QObject *parent = nullptr);
    ~Authorizer() override;

    /// That each request carries; empty: none.
    QByteArray token() const { return m_has ? m_has->tokens.access : QByteArray(); }
    /// Where one is bound to a key with a proof for this very request.
    QList<QPair<QByteArray, QByteArray>> headersFor(const QByteArray &method,
                                                    const QUrl &url) const;
    bool isBound() const { return m_has && m_has->tokens.bound && m_key; }
    /// That the server wants in the next proof; empty: the last one.
    void noteNonce(const QByteArray &nonce);
    /// An answer 401, or a 403 that wants more scopes, to a request that carried `token`. settled()
    /// comes later. Several may wait at once.
    void challenged(const Challenge &challenge, const QByteArray &token, bool forbidden);
    /// A request that carried the token was answered.
    void succeeded();

    const std::optional<SignInOffer> &offer() const { return m_offer; }
    bool isSigningIn() const { return m_signIn; }
    bool isDeclined() const { return m_declined; } // the offer, for now
    /// Where the browser was sent to.
    const QUrl &page() const { return m_page; }
    bool isSignedIn() const { return m_has && !m_has->tokens.access.isEmpty(); }
    /// That nothing more can be done here, as a clause; empty: it can.
    const QString &problem() const { return m_problem; }

    void signIn();  // the user agrees to the offer
    void decline(); // not now; the offer stays
    void signOut();
    void beginAnew(); // the user wants another try

signals:
    void changed(); // the offer, or whether it is signed in
    /// again: what was refused is to be sent once more; else why not, as a clause.
    void settled(bool again, const QString &why);
    void browserWanted(const QUrl &address);

private:
    void discover();
    void afterDiscovery(const Discovered &what);
    void refresh();
    void askMachine();
    void askToken(const Form &form, const AuthClient &client);
    void makeOffer(const QString &problem = {});
    void take(const AuthClient &client, const Tokens &tokens);
    void settle(bool again, const QString &why = {});
    void giveUp(const QString &why);
    QStringList wantedScopes() const;
    QString purpose() const;

    NetworkGate &m_gate;
    const McpServerConfig m_config;
    const QUrl m_address;
    CredentialKeeper &m_keeper;
    std::optional<Credentials> m_has;
    std::optional<SigningKey> m_key; // that tokens are bound to, or are to be
    QByteArray m_nonce;
    std::optional<Discovered> m_where;
    std::optional<SignInOffer> m_offer;
    Challenge m_challenge;
    enum class Source { Kept, Refreshed, SignedIn };
    Source m_source = Source::Kept; // of the token
    bool m_forbidden = false;       // more scopes are wanted
    bool m_working = false;         // a challenge is being dealt with
    bool m_proven = true;           // the token has been accepted once
    bool m_fetched = false;         // what was kept has been looked for
    int m_rounds = 0;               // challenges since a request was answered
    bool m_declined = false;
    QUrl m_page;
    SignIn *m_signIn = nullptr;
    QString m_problem;
};

} // namespace fireside::auth
