#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>

namespace fireside::auth {

/// How a server wants to be asked: WWW-Authenticate for bearer tokens (RFC 6750, 3; RFC 9728, 5.1).
struct Challenge
{
    bool bearer = false; // false: it says nothing of bearer tokens
    QString metadata;    // resource_metadata: where it describes itself
    QStringList scopes;
    QString error, description;
    bool operator==(const Challenge &) const = default;
};

/// Of several challenges the one for bearer tokens. What is malformed ends it.
Challenge readChallenge(const QByteArray &header);

/// Words between spaces, each once, without what no scope may hold (RFC 6749, 3.3).
QStringList scopesIn(const QString &text);

} // namespace fireside::auth
