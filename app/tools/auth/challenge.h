#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>

namespace fireside::auth {

/// How a server wants to be asked: WWW-Authenticate for tokens (RFC 6750, 3; RFC 9449, 7.1; RFC
/// 9728, 5.1).
struct Challenge
{
    bool bearer = false; // false: it says nothing of tokens
    bool proofs = false; // they may be bound to a key (DPoP)
    QString metadata;    // resource_metadata: where it describes itself
    QStringList scopes;
    QString error, description;
    bool operator==(const Challenge &) const = default;
};

/// Of several challenges that for bearer tokens and that for bound ones, together. What is
/// malformed ends it.
Challenge readChallenge(const QByteArray &header);

/// Words between spaces, each once, without what no scope may hold (RFC 6749, 3.3).
QStringList scopesIn(const QString &text);

} // namespace fireside::auth
