#pragma once
#include "app/tools/tool_json.h"

#include <QByteArray>

#include <memory>
#include <optional>

struct evp_pkey_st;

namespace fireside::auth {

/// A private key on the curve P-256, for signatures of the kind ES256 (RFC 7518, 3.4).
class SigningKey
{
public:
    static std::optional<SigningKey> generate();
    /// PEM, without a password. Nothing: it is no key, or one of another kind.
    static std::optional<SigningKey> read(const QByteArray &pem);

    QByteArray pem() const;
    ToolJson publicKey() const; // as a JWK (RFC 7517)
    /// Signed (RFC 7515, compact), with "alg" in its header.
    QByteArray token(ToolJson header, const ToolJson &claims) const;

private:
    explicit SigningKey(std::shared_ptr<evp_pkey_st> key)
        : m_key(std::move(key))
    {}
    QByteArray signature(const QByteArray &text) const;

    std::shared_ptr<evp_pkey_st> m_key; // it never changes
};

} // namespace fireside::auth
