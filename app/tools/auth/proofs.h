#pragma once
#include "app/tools/auth/signing_key.h"

#include <QString>
#include <QUrl>

namespace fireside::auth {

/// Who a client is, instead of a secret (RFC 7523, 2.2): for one server, for a minute.
QByteArray clientAssertion(const SigningKey &key, const QString &clientId, const QString &issuer,
                           qint64 now);

/// That a request comes from whoever has the key that a token is bound to (RFC 9449, 4.2): for
/// this request alone. token: that it carries; empty: it asks for one. nonce: that the server has
/// asked for; empty: none.
QByteArray proofOf(const SigningKey &key, const QByteArray &method, const QUrl &url,
                   const QByteArray &token, const QByteArray &nonce, qint64 now);

} // namespace fireside::auth
