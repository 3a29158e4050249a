// Keys of clients: signatures, and tokens that are bound to a key.
#include "app/tools/auth/proofs.h"
#include "sign_in_fixture.h"
#include "tests/support/temp_dir.h"

#include <QFile>

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace fireside::test {
namespace {

using auth::SigningKey;
constexpr auto kLetters = QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals;

QByteArray part(const QByteArray &token, int index)
{
    return QByteArray::fromBase64(token.split('.').value(index), kLetters);
}

/// As whoever gets it finds out.
bool isSigned(const QByteArray &token, const SigningKey &key)
{
    const QByteArray pem = key.pem(), both = part(token, 2);
    const QByteArray text = token.left(token.lastIndexOf('.'));
    if (both.size() != 64)
        return false;
    BIO *const buffer = BIO_new_mem_buf(pem.constData(), static_cast<int>(pem.size()));
    EVP_PKEY *const read = PEM_read_bio_PrivateKey(buffer, nullptr, nullptr, nullptr);
    const auto *const bytes = reinterpret_cast<const unsigned char *>(both.constData());
    ECDSA_SIG *const pair = ECDSA_SIG_new();
    ECDSA_SIG_set0(pair, BN_bin2bn(bytes, 32, nullptr), BN_bin2bn(bytes + 32, 32, nullptr));
    unsigned char *der = nullptr;
    const int length = i2d_ECDSA_SIG(pair, &der);
    EVP_MD_CTX *const context = EVP_MD_CTX_new();
    EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, read);
    const int fine = EVP_DigestVerify(context, der, static_cast<std::size_t>(length),
                                      reinterpret_cast<const unsigned char *>(text.constData()),
                                      static_cast<std::size_t>(text.size()));
    EVP_MD_CTX_free(context);
    OPENSSL_free(der);
    ECDSA_SIG_free(pair);
    EVP_PKEY_free(read);
    BIO_free(buffer);
    return fine == 1;
}

QByteArray pemOf(EVP_PKEY *key, const char *password = nullptr)
{
    BIO *const buffer = BIO_new(BIO_s_mem());
    PEM_write_bio_PKCS8PrivateKey(buffer, key, password ? EVP_aes_128_cbc() : nullptr, password,
                                  password ? static_cast<int>(qstrlen(password)) : 0, nullptr,
                                  nullptr);
    char *data = nullptr;
    const long size = BIO_get_mem_data(buffer, &data);
    const QByteArray pem(data, static_cast<qsizetype>(size));
    BIO_free(buffer);
    EVP_PKEY_free(key);
    return pem;
}

TEST(SigningKeys, SignWhatTheirPublicHalfChecks)
{
    const auto key = SigningKey::generate(), other = SigningKey::generate();
    ASSERT_TRUE(key && other);
    for (int i = 0; i < 50; ++i) { // numbers with zeros in front come now and then
        const QByteArray token = key->token({{"typ", "JWT"}}, {{"n", i}});
        ASSERT_TRUE(isSigned(token, *key)) << token.data();
        EXPECT_FALSE(isSigned(token, *other));
        EXPECT_EQ(part(token, 0), R"({"typ":"JWT","alg":"ES256"})");
    }
    const auto again = SigningKey::read(key->pem());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->publicKey(), key->publicKey());
    EXPECT_NE(other->publicKey(), key->publicKey());
    const ToolJson jwk = key->publicKey();
    EXPECT_EQ(QByteArray::fromBase64(QByteArray::fromStdString(jwk["x"]), kLetters).size(), 32);
    EXPECT_EQ(QByteArray::fromBase64(QByteArray::fromStdString(jwk["y"]), kLetters).size(), 32);
    EXPECT_FALSE(jwk.contains("d"));
}

TEST(SigningKeys, OthersAreNone)
{
    for (const QByteArray &pem : {QByteArray(), QByteArray("-----BEGIN PRIVATE KEY-----\n"),
                                  QByteArray(100'000, 'A'), pemOf(EVP_EC_gen("P-384")),
                                  pemOf(EVP_RSA_gen(2048)), pemOf(EVP_EC_gen("P-256"), "password")})
        EXPECT_FALSE(SigningKey::read(pem)) << pem.left(60).data();
    EXPECT_TRUE(SigningKey::read(pemOf(EVP_EC_gen("P-256"))));
}

TEST(SigningKeys, ProofsAreOfOneRequest)
{
    const auto key = SigningKey::generate();
    const QUrl url(QStringLiteral("https://x.example/a%20b?c=d#e"));
    const QByteArray proof = auth::proofOf(*key, "POST", url, "token", "nonce", 1'700'000'000);
    EXPECT_TRUE(isSigned(proof, *key));
    const auto header = parsedJson(part(proof, 0)), claims = parsedJson(part(proof, 1));
    ASSERT_TRUE(header && claims);
    EXPECT_EQ((*header)["typ"], "dpop+jwt");
    EXPECT_EQ((*header)["jwk"], key->publicKey());
    EXPECT_EQ((*claims)["htm"], "POST");
    EXPECT_EQ((*claims)["htu"], "https://x.example/a%20b");
    EXPECT_EQ((*claims)["iat"], 1'700'000'000);
    EXPECT_EQ((*claims)["nonce"], "nonce");
    EXPECT_EQ((*claims)["ath"], "PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A"); // of "token"
    const auto without = parsedJson(part(auth::proofOf(*key, "GET", url, {}, {}, 1), 1));
    EXPECT_FALSE(without->contains("ath") || without->contains("nonce"));
    EXPECT_NE((*without)["jti"], (*claims)["jti"]);
    const QByteArray who =
        auth::clientAssertion(*key, QStringLiteral("me"), QStringLiteral("https://i"), 5);
    EXPECT_TRUE(isSigned(who, *key));
    const auto said = parsedJson(part(who, 1));
    EXPECT_EQ((*said)["iss"], "me");
    EXPECT_EQ((*said)["sub"], "me");
    EXPECT_EQ((*said)["aud"], "https://i");
    EXPECT_EQ((*said)["exp"], 65);
}

TEST_F(SignInTest, TokensAreBoundToAKeyWhereBothCan)
{
    m_server.proofs = true;
    ASSERT_TRUE(signedIn()) << qPrintable(problem()) << m_server.proofProblem();
    EXPECT_EQ(m_spoken->text(QStringLiteral("who")), QStringLiteral("you"));
    EXPECT_TRUE(m_authorizer->isBound());
    m_server.revoke(); // refreshed with the same key
    EXPECT_EQ(m_spoken->text(QStringLiteral("who")), QStringLiteral("you"));
    EXPECT_EQ(m_server.refreshed, 1);
    begin(); // with the next start the key is there still
    ASSERT_TRUE(m_spoken->begin()) << qPrintable(m_spoken->failure) << m_server.proofProblem();
    EXPECT_EQ(m_server.authorizations, 1);
    EXPECT_EQ(m_server.proofProblem(), "");
}

TEST_F(SignInTest, NoncesOfServersAreRepeated)
{
    m_server.proofs = true;
    m_server.proofNonce = "first";
    ASSERT_TRUE(signedIn()) << qPrintable(problem()) << m_server.proofProblem();
    m_server.change([](AuthServer &server) { server.proofNonce = "second"; });
    EXPECT_EQ(m_spoken->text(QStringLiteral("who")), QStringLiteral("you"));
    EXPECT_EQ(m_server.authorizations, 1);
}

TEST_F(SignInTest, WithoutTheServersWordNothingIsBound)
{
    ASSERT_TRUE(signedIn());
    EXPECT_FALSE(m_authorizer->isBound());
}

TEST_F(SignInTest, AKeyInPlaceOfASecret)
{
    const TempDir folder;
    const QString path = QString::fromStdString((folder.path() / "key.pem").string());
    m_config.auth = {.clientId = QStringLiteral("me"), .privateKeyFile = path};
    const auto write = [&](const QByteArray &text) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    };
    for (const char *broken : {"", "no key"}) {
        if (*broken)
            write(broken);
        begin();
        m_spoken->client->start();
        ASSERT_TRUE(waitFor([this] { return over(); }));
        EXPECT_TRUE(m_spoken->failure.contains(path)) << qPrintable(m_spoken->failure);
    }
    const auto key = SigningKey::generate();
    write(key->pem());
    begin();
    ASSERT_TRUE(signedIn()) << qPrintable(problem());
    const QByteArray sent = QByteArray::fromStdString(m_server.last("client_assertion"));
    EXPECT_TRUE(isSigned(sent, *key));
    EXPECT_EQ((*parsedJson(part(sent, 1)))["aud"], m_server.address());
    EXPECT_FALSE(m_secrets.kept.begin().value().contains("PRIVATE"));
}

} // namespace
} // namespace fireside::test
