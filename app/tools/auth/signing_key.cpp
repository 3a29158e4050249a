#include "app/tools/auth/signing_key.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>

namespace fireside::auth {
namespace {

constexpr int kNumber = 32; // bytes of a coordinate, and of each half of a signature
constexpr auto kJwtLetters = QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals;

template <typename Type, void (*Free)(Type *)>
struct Freed
{
    void operator()(Type *pointer) const { Free(pointer); }
};
template <typename Type, void (*Free)(Type *)>
using Owned = std::unique_ptr<Type, Freed<Type, Free>>;

using Buffer = Owned<BIO, BIO_free_all>;
using Number = Owned<BIGNUM, BN_free>;
using Signature = Owned<ECDSA_SIG, ECDSA_SIG_free>;
using Digest = Owned<EVP_MD_CTX, EVP_MD_CTX_free>;

std::shared_ptr<EVP_PKEY> shared(EVP_PKEY *key)
{
    return key ? std::shared_ptr<EVP_PKEY>(key, EVP_PKEY_free) : nullptr;
}

/// What failed is told by what is returned; nobody looks at the library's list.
struct ForgetErrors
{
    ~ForgetErrors() { ERR_clear_error(); }
};

bool isP256(const EVP_PKEY *key)
{
    std::array<char, 64> name{};
    std::size_t length = 0;
    return EVP_PKEY_is_a(key, "EC") == 1 &&
           EVP_PKEY_get_group_name(key, name.data(), name.size(), &length) == 1 &&
           QByteArray(name.data()) == "prime256v1";
}

QByteArray padded(const BIGNUM *number)
{
    QByteArray bytes(kNumber, '\0');
    return BN_bn2binpad(number, reinterpret_cast<unsigned char *>(bytes.data()), kNumber) == kNumber
               ? bytes
               : QByteArray();
}

std::string coordinate(const EVP_PKEY *key, const char *name)
{
    BIGNUM *value = nullptr;
    EVP_PKEY_get_bn_param(key, name, &value);
    const Number owned(value);
    return value ? padded(value).toBase64(kJwtLetters).toStdString() : std::string();
}

int noPassword(char *, int, int, void *)
{
    return -1; // never asked for on the terminal
}

} // namespace

std::optional<SigningKey> SigningKey::generate()
{
    const ForgetErrors errors;
    auto key = shared(EVP_EC_gen("P-256"));
    return key ? std::optional(SigningKey(std::move(key))) : std::nullopt;
}

std::optional<SigningKey> SigningKey::read(const QByteArray &pem)
{
    const ForgetErrors errors;
    const Buffer buffer(BIO_new_mem_buf(pem.constData(), static_cast<int>(pem.size())));
    auto key = shared(PEM_read_bio_PrivateKey(buffer.get(), nullptr, noPassword, nullptr));
    return key && isP256(key.get()) ? std::optional(SigningKey(std::move(key))) : std::nullopt;
}

QByteArray SigningKey::pem() const
{
    const ForgetErrors errors;
    const Buffer buffer(BIO_new(BIO_s_mem()));
    if (PEM_write_bio_PKCS8PrivateKey(buffer.get(), m_key.get(), nullptr, nullptr, 0, nullptr,
                                      nullptr) != 1)
        return {};
    char *data = nullptr;
    const long size = BIO_get_mem_data(buffer.get(), &data);
    return {data, static_cast<qsizetype>(size)};
}

ToolJson SigningKey::publicKey() const
{
    const ForgetErrors errors;
    return {{"kty", "EC"},
            {"crv", "P-256"},
            {"x", coordinate(m_key.get(), OSSL_PKEY_PARAM_EC_PUB_X)},
            {"y", coordinate(m_key.get(), OSSL_PKEY_PARAM_EC_PUB_Y)}};
}

/// Both numbers, one after the other; the library has them in DER.
QByteArray SigningKey::signature(const QByteArray &text) const
{
    const ForgetErrors errors;
    const Digest digest(EVP_MD_CTX_new());
    const auto *const data = reinterpret_cast<const unsigned char *>(text.constData());
    std::array<unsigned char, 128> der{};
    std::size_t length = der.size();
    if (EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, m_key.get()) != 1 ||
        EVP_DigestSign(digest.get(), der.data(), &length, data,
                       static_cast<std::size_t>(text.size())) != 1)
        return {};
    const unsigned char *at = der.data();
    const Signature pair(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(length)));
    return pair ? padded(ECDSA_SIG_get0_r(pair.get())) + padded(ECDSA_SIG_get0_s(pair.get()))
                : QByteArray();
}

QByteArray SigningKey::token(ToolJson header, const ToolJson &claims) const
{
    header["alg"] = "ES256";
    const QByteArray text =
        bytesOf(header).toBase64(kJwtLetters) + '.' + bytesOf(claims).toBase64(kJwtLetters);
    return text + '.' + signature(text).toBase64(kJwtLetters);
}

} // namespace fireside::auth
