#pragma once
#include "app/remote/secret_store.h"
#include "app/tools/auth/metadata.h"

#include <QHash>
#include <QObject>

#include <functional>

namespace fireside::auth {

/// What was got by signing in, bound to the server that it is for and to the one that gave it.
struct Credentials
{
    QString server; // its address
    QString issuer;
    AuthClient client; // as it was registered there
    Tokens tokens;
    QStringList asked; // scopes
    Revocation revocation = {};
    QByteArray key = {}; // PEM, that the tokens are bound to; empty: to none
    bool operator==(const Credentials &) const = default;
};
QByteArray written(const Credentials &credentials);
/// Nothing where it is broken, or another server's.
std::optional<Credentials> readCredentials(const QByteArray &text, const QString &server);

/// Keeps them in the desktop's keyring, and where that refuses until the program ends.
class CredentialKeeper : public QObject
{
    Q_OBJECT
public:
    using Known = std::function<void(const std::optional<Credentials> &)>;

    /// secrets: nullptr: nothing outlives the program.
    explicit CredentialKeeper(SecretStore *secrets, QObject *parent = nullptr);

    /// Later; the keyring is asked once for each server.
    void fetch(const QString &server, QObject *owner, Known answer);
    void keep(const Credentials &credentials);
    /// At once; what it was is told now or later.
    void forget(const QString &server, Known last);
    /// Why it is forgotten when the program ends, as a clause; empty: it is not.
    QString problem() const { return m_problem; }

signals:
    void problemChanged();

private:
    void note(const QString &problem);

    SecretStore *const m_secrets;
    QHash<QString, std::optional<Credentials>> m_known; // by the server's address
    QString m_problem;
};

} // namespace fireside::auth
