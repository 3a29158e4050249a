#pragma once
#include "app/network/http_exchange.h"
#include "app/tools/auth/code_flow.h"

#include <functional>

namespace fireside::auth {

/// What came of a small question.
struct Reply
{
    int status = 0; // of HTTP; 0: nothing came, `problem` says why
    QByteArray body;
    QString problem; // a clause; empty: an answer of whatever status
    bool isFine() const { return status >= 200 && status < 300; }
};

/// A form for an endpoint, with the client's proof of who it is.
ExchangeRequest formRequest(const QUrl &endpoint, const QString &purpose, const TokenRequest &form);

/// Asks, and answers once, later; never when `owner` is gone by then.
void ask(NetworkGate &gate, ExchangeRequest request, QObject *owner,
         std::function<void(const Reply &)> answered);

} // namespace fireside::auth
