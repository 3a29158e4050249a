#pragma once
#include "app/tools/auth/challenge.h"
#include "app/tools/auth/metadata.h"

#include <QObject>

namespace fireside {
class NetworkGate;
}

namespace fireside::auth {

struct Reply;

/// What is known before anybody signs in.
struct Discovered
{
    ServerMetadata server; // where one signs in
    QString resource;      // what for
    QStringList scopes;    // that exist
    bool proofs = false;   // tokens are bound to a key: both can
};

/// Finds out where one signs in to a server: asks it for its description, and those that it trusts
/// for theirs, each at the places and in the order of the specifications. Nothing about the user
/// is sent. Ends with one signal, and is used once.
class Discovery : public QObject
{
    Q_OBJECT
public:
    /// issuer: that is preferred where the server trusts several; empty: none.
    Discovery(NetworkGate &gate, const QUrl &server, const Challenge &challenge,
              const QString &issuer, const QString &purpose, QObject *parent = nullptr);

    void start();

signals:
    void found(const fireside::auth::Discovered &what);
    void failed(const QString &why); // a clause

private:
    void askServer();
    void takeResource(const Reply &reply);
    void chooseIssuer(const QStringList &issuers);
    void askIssuer();
    void takeIssuer(const Reply &reply);

    NetworkGate &m_gate;
    const QUrl m_server;
    const QString m_preferred, m_purpose;
    QList<QUrl> m_places;
    QUrl m_issuer;
    Discovered m_found;
    bool m_described = false; // the server says whom it trusts
    bool m_proofs;            // it takes tokens that are bound to a key
    QString m_problem;        // of the last place that answered
};

} // namespace fireside::auth
