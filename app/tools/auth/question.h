#pragma once
#include "app/network/http_exchange.h"
#include "app/tools/auth/code_flow.h"
#include "app/tools/auth/signing_key.h"

#include <functional>

namespace fireside::auth {

/// What came of a small question.
struct Reply
{
    int status = 0; // of HTTP; 0: nothing came, `problem` says why
    QByteArray body;
    QByteArray nonce; // that a proof has to hold; empty: none
    QString problem;  // a clause; empty: an answer of whatever status
    bool isFine() const { return status >= 200 && status < 300; }
};

/// A form for an endpoint, with the client's proof of who it is.
ExchangeRequest formRequest(const QUrl &endpoint, const QString &purpose, const TokenRequest &form);

/// Asks, and answers once, later; never when `owner` is gone by then.
void ask(NetworkGate &gate, ExchangeRequest request, QObject *owner,
         std::function<void(const Reply &)> answered);

/// For tokens.
struct TokenQuestion
{
    ServerMetadata server;
    Form form;
    AuthClient client;
    std::optional<SigningKey> key; // that they are to be bound to; nothing: to none
    QString purpose;
};
/// The same; once more where the server wants its nonce in the proof.
void ask(NetworkGate &gate, const TokenQuestion &question, QObject *owner,
         const std::function<void(const Reply &)> &answered, const QByteArray &nonce = {});

} // namespace fireside::auth
