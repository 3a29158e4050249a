#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <optional>

// What servers answer while signing in. All of it comes from outside: what is broken gives nothing,
// and a clause that says why.
namespace fireside::auth {

inline constexpr qint64 kLargestAnswer = 256 << 10;

/// What a server says about itself (RFC 9728).
struct ResourceMetadata
{
    QString resource;
    QStringList servers; // issuers that it trusts, the preferred one first
    QStringList scopes;
    bool proofs = false; // it takes tokens that are bound to a key
};
std::optional<ResourceMetadata> readResourceMetadata(const QByteArray &answer, const QUrl &server,
                                                     QString &problem);

/// Where and how one signs in (RFC 8414, OpenID Connect Discovery).
struct ServerMetadata
{
    QString issuer;
    QUrl authorization, token, registration, revocation; // the last two may be empty
    QStringList scopes;
    QStringList tokenMethods; // how clients prove who they are; empty: not said
    QStringList revocationMethods;
    bool documents = false;   // client IDs may be addresses of documents
    bool proofs = false;      // tokens can be bound to a key (RFC 9449)
    bool namesItself = false; // its redirects say who sends them (RFC 9207)
    bool operator==(const ServerMetadata &) const = default;
};
/// issuer: whom it must be about. server: for whose sake it is asked.
std::optional<ServerMetadata> readServerMetadata(const QByteArray &answer, const QUrl &issuer,
                                                 const QUrl &server, QString &problem);
/// Of servers of 2025-03-26, which need not describe themselves.
ServerMetadata customaryMetadata(const QUrl &root);

/// Who Fireside is for a server that signs in.
struct AuthClient
{
    QString id, secret;  // no secret: a public client
    QString method;      // of the token's endpoint; empty: as fits
    QString redirect;    // as it was registered with
    qint64 expires = 0;  // seconds since 1970; 0: never
    QByteArray key = {}; // PEM, that proves who it is in place of a secret
    bool operator==(const AuthClient &) const = default;
};
std::optional<AuthClient> readRegistration(const QByteArray &answer, QString &problem);

/// How tokens are given back (RFC 7009); no endpoint: they are not.
struct Revocation
{
    QString endpoint, method;
    bool operator==(const Revocation &) const = default;
};

struct Tokens
{
    QByteArray access, refresh;
    qint64 expires = 0; // seconds since 1970; 0: not said
    QStringList scopes; // empty: those that were asked for
    bool bound = false; // to a key, that each request has to prove
    bool operator==(const Tokens &) const = default;
};
/// mayBind: a proof of a key went with the request.
std::optional<Tokens> readTokens(const QByteArray &answer, qint64 now, bool mayBind,
                                 QString &problem);

/// "error" and "error_description" of a refusal (RFC 6749, 5.2); empty: it is none.
struct Refusal
{
    QString error, text;
};
Refusal readRefusal(const QByteArray &answer);

} // namespace fireside::auth
