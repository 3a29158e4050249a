#pragma once
#include "app/tools/auth/metadata.h"

#include <QList>
#include <QPair>

// The pieces of the authorization code flow (OAuth 2.1, RFC 7636): pure, all randomness comes from
// newSecret().
namespace fireside::auth {

/// 256 random bits in letters that addresses may hold.
QString newSecret();
/// The challenge of a verifier: BASE64URL(SHA256(…)), without padding.
QString challengeOf(const QString &verifier);

/// What to ask for: what the challenge names, else what the user set, else all that the server
/// describes; with what was asked for before. offline_access is added where it is on offer, as
/// without it some never give a token to refresh.
QStringList scopesToAsk(const QStringList &challenged, const QStringList &configured,
                        const QStringList &described, const QStringList &before,
                        const QStringList &offered);

/// One attempt to sign in.
struct CodeRequest
{
    QString clientId, redirect, state, verifier, resource;
    QStringList scopes;
};
QUrl authorizationAddress(const QUrl &endpoint, const CodeRequest &request);

/// How the browser came back.
struct CodeReply
{
    enum Kind {
        Foreign, // not of this attempt; nothing changes
        Code,
        Refused,   // by the server or the user
        Untrusted, // of another server than the one that was asked
    };
    Kind kind = Foreign;
    QString code, text; // a clause
};
/// target: path and query as they came.
CodeReply readReply(const QByteArray &target, const QString &path, const QString &state,
                    const ServerMetadata &server);

using Form = QList<QPair<QString, QString>>;
/// application/x-www-form-urlencoded.
QByteArray encoded(const Form &form);
Form codeForm(const CodeRequest &request, const QString &code);
Form refreshForm(const QByteArray &token, const QString &resource);
Form revocationForm(const QByteArray &token, const QString &kind);    // RFC 7009, 2.1
Form machineForm(const QStringList &scopes, const QString &resource); // client_credentials

/// A request to the token's endpoint, with the client's proof of who it is where one is wanted.
struct TokenRequest
{
    QByteArray body;
    QByteArray authorization; // a header; empty: none
};
TokenRequest tokenRequest(Form form, const AuthClient &client, const ServerMetadata &server);

/// Where and as whom tokens of this client can be given back.
Revocation revocationOf(const AuthClient &client, const ServerMetadata &server);

/// What is sent to be registered (RFC 7591).
QByteArray registrationBody(const ServerMetadata &server, const QString &redirect,
                            const QStringList &scopes);

} // namespace fireside::auth
