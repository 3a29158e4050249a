#include "app/tools/auth/proofs.h"

#include "app/tools/auth/code_flow.h"

#include <QCryptographicHash>

namespace fireside::auth {
namespace {

constexpr qint64 kLife = 60; // seconds of an assertion

} // namespace

QByteArray clientAssertion(const SigningKey &key, const QString &clientId, const QString &issuer,
                           qint64 now)
{
    const std::string id = clientId.toStdString();
    return key.token({{"typ", "JWT"}}, {{"iss", id},
                                        {"sub", id},
                                        {"aud", issuer.toStdString()},
                                        {"jti", newSecret().toStdString()},
                                        {"iat", now},
                                        {"exp", now + kLife}});
}

QByteArray proofOf(const SigningKey &key, const QByteArray &method, const QUrl &url,
                   const QByteArray &token, const QByteArray &nonce, qint64 now)
{
    const QUrl place = url.adjusted(QUrl::RemoveQuery | QUrl::RemoveFragment);
    ToolJson claims{{"jti", newSecret().toStdString()},
                    {"htm", method.toStdString()},
                    {"htu", place.toString(QUrl::FullyEncoded).toStdString()},
                    {"iat", now}};
    if (!token.isEmpty())
        claims["ath"] =
            QCryptographicHash::hash(token, QCryptographicHash::Sha256)
                .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals)
                .toStdString();
    if (!nonce.isEmpty())
        claims["nonce"] = nonce.toStdString();
    return key.token({{"typ", "dpop+jwt"}, {"jwk", key.publicKey()}}, claims);
}

} // namespace fireside::auth
