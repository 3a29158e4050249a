// Signing in, the pure parts: what servers say, which addresses are asked, what is sent.
#include "app/tools/auth/addresses.h"
#include "app/tools/auth/challenge.h"
#include "app/tools/auth/code_flow.h"
#include "app/tools/auth/credentials.h"
#include "app/tools/auth/sign_in.h"

#include <QSet>
#include <QUrlQuery>

#include <gtest/gtest.h>

namespace fireside::auth {
namespace {

QStringList words(const QList<QUrl> &urls)
{
    QStringList list;
    for (const QUrl &url : urls)
        list += url.toString(QUrl::FullyEncoded);
    return list;
}

const QUrl kServer(QStringLiteral("https://tools.example/mcp"));
const QUrl kIssuer(QStringLiteral("https://auth.example"));

QByteArray issuerText(const char *more = "")
{
    return QByteArray(R"({"issuer":"https://auth.example",)"
                      R"("authorization_endpoint":"https://auth.example/go?x=1",)"
                      R"("token_endpoint":"https://auth.example/token",)"
                      R"("code_challenge_methods_supported":["plain","S256"])") +
           more + "}";
}

std::optional<ServerMetadata> issuer(const QByteArray &text, QString *problem = nullptr)
{
    QString why;
    const auto read = readServerMetadata(text, kIssuer, kServer, why);
    if (problem)
        *problem = why;
    EXPECT_EQ(read.has_value(), why.isEmpty()) << qPrintable(why);
    return read;
}

TEST(AuthChallenge, IsFoundAmongOthers)
{
    const Challenge read = readChallenge(
        R"(Basic realm="a, b", Bearer error="insufficient_scope", scope="a b a", )"
        R"(resource_metadata="https://x/\"y", error_description="no, really", Digest scope="z")");
    EXPECT_TRUE(read.bearer);
    EXPECT_EQ(read.error, QStringLiteral("insufficient_scope"));
    EXPECT_EQ(read.scopes, (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
    EXPECT_EQ(read.metadata, QStringLiteral("https://x/\"y"));
    EXPECT_EQ(read.description, QStringLiteral("no, really"));
    EXPECT_TRUE(readChallenge("bearer").bearer);
    EXPECT_TRUE(readChallenge("Digest scope=z, Bearer error=e").scopes.isEmpty());
    EXPECT_TRUE(readChallenge("Negotiate abc==\nBearer scope=q").bearer);
    EXPECT_EQ(readChallenge("Bearer scope = q").scopes, QStringList{QStringLiteral("q")});
}

TEST(AuthChallenge, BrokenOnesGiveWhatWasReadUntilThere)
{
    for (const char *text : {"", "Basic realm=x", "=", "\"", ",,,", "B\xff earer"})
        EXPECT_FALSE(readChallenge(text).bearer) << text;
    EXPECT_EQ(readChallenge("Bearer error=e, scope=\"never ends").error, QStringLiteral("e"));
    EXPECT_TRUE(readChallenge("Bearer error=e, scope=\"never ends").scopes.isEmpty());
    EXPECT_FALSE(readChallenge("Bearer " + QByteArray(20'000, 'a')).bearer);
    EXPECT_TRUE(scopesIn(QStringLiteral("a\"b c\\d \u00e9")).isEmpty());
}

TEST(AuthAddresses, OrderOfPlaces)
{
    EXPECT_EQ(words(resourcePlaces(kServer, QString())),
              (QStringList{
                  QStringLiteral("https://tools.example/.well-known/oauth-protected-resource/mcp"),
                  QStringLiteral("https://tools.example/.well-known/oauth-protected-resource")}));
    EXPECT_EQ(words(resourcePlaces(kServer, QStringLiteral("https://a/b"))).first(),
              QStringLiteral("https://a/b"));
    EXPECT_EQ(resourcePlaces(QUrl(QStringLiteral("https://h:8/")), QString()).size(), 1);
    EXPECT_EQ(
        words(issuerPlaces(kIssuer)),
        (QStringList{QStringLiteral("https://auth.example/.well-known/oauth-authorization-server"),
                     QStringLiteral("https://auth.example/.well-known/openid-configuration")}));
    EXPECT_EQ(words(issuerPlaces(QUrl(QStringLiteral("https://a:9/t/1/")))),
              (QStringList{QStringLiteral("https://a:9/.well-known/oauth-authorization-server/t/1"),
                           QStringLiteral("https://a:9/.well-known/openid-configuration/t/1"),
                           QStringLiteral("https://a:9/t/1/.well-known/openid-configuration")}));
}

TEST(AuthAddresses, ResourcesAreThisServerOrAbove)
{
    EXPECT_EQ(resourceOf(QUrl(QStringLiteral("HTTPS://Tools.Example:443/mcp?x=1#y"))),
              QStringLiteral("https://tools.example/mcp"));
    EXPECT_EQ(resourceOf(QUrl(QStringLiteral("https://u:p@h:8/"))), QStringLiteral("https://h:8"));
    for (const char *fine : {"https://tools.example/mcp", "https://tools.example",
                             "https://tools.example:443/", "https://TOOLS.example/mcp/"})
        EXPECT_TRUE(covers(QLatin1String(fine), kServer)) << fine;
    for (const char *other :
         {"", "https://tools.example/mc", "https://tools.example/mcp/x", "http://tools.example/mcp",
          "https://tools.example:8/mcp", "https://evil.example/mcp", "https://tools.example/mcp?q",
          "https://tools.example@evil.example/mcp", "https://u@tools.example/mcp",
          "https://tools.example/mcp#x", "tools.example"})
        EXPECT_FALSE(covers(QLatin1String(other), kServer)) << other;
}

TEST(AuthAddresses, ServersElsewhereNameNothingOfThisNetwork)
{
    const QUrl here(QStringLiteral("http://127.0.0.1:8/mcp"));
    const QUrl inside(QStringLiteral("https://192.168.1.2/mcp"));
    for (const char *fine : {"https://auth.example/x", "https://8.8.8.8", "https://[2001:db8::1]/"})
        EXPECT_EQ(problemOf(QUrl(QLatin1String(fine)), kServer), QString()) << fine;
    for (const char *bad : {"http://auth.example",
                            "https://127.0.0.1/x",
                            "https://localhost",
                            "http://localhost:8",
                            "https://[::1]/",
                            "https://10.1.2.3",
                            "https://172.20.0.1",
                            "https://192.168.0.1",
                            "https://169.254.169.254/latest",
                            "https://[fe80::1]",
                            "https://[fd00::1]",
                            "https://[::ffff:10.0.0.1]/",
                            "https://0.0.0.0",
                            "https://0x7f.1/",
                            "https://2130706433",
                            "https://printer",
                            "https://nas.local",
                            "https://metadata.google.internal",
                            "https://u:p@auth.example",
                            "https://auth.example/#x",
                            "ftp://auth.example",
                            "file:///etc/passwd",
                            "javascript:alert(1)",
                            "https://",
                            ""})
        EXPECT_NE(problemOf(QUrl(QLatin1String(bad)), kServer), QString()) << bad;
    EXPECT_EQ(problemOf(QUrl(QStringLiteral("http://localhost:9/")), here), QString());
    EXPECT_EQ(problemOf(QUrl(QStringLiteral("https://10.0.0.9/")), inside), QString());
    EXPECT_NE(problemOf(QUrl(QStringLiteral("http://10.0.0.9/")), inside), QString());
    EXPECT_NE(problemOf(QUrl(QStringLiteral("http://127.0.0.1/")), inside), QString());
}

TEST(AuthMetadata, OfServers)
{
    QString problem;
    const auto read = readResourceMetadata(
        R"({"resource":"https://tools.example/mcp","authorization_servers":["https://a",7],)"
        R"("scopes_supported":["x","y y"]})",
        kServer, problem);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->servers, QStringList{QStringLiteral("https://a")});
    EXPECT_EQ(read->scopes, (QStringList{QStringLiteral("x"), QStringLiteral("y")}));
    for (const QByteArray &text :
         {QByteArray("{}"), QByteArray("[]"), QByteArray("nonsense"),
          QByteArray(R"({"resource":"https://evil.example/mcp"})"),
          R"({"resource":"https://tools.example/mcp","x":")" + QByteArray(300'000, 'x') + "\"}"}) {
        problem.clear();
        EXPECT_FALSE(readResourceMetadata(text, kServer, problem)) << text.left(80).data();
        EXPECT_FALSE(problem.isEmpty());
    }
}

TEST(AuthMetadata, OfIssuers)
{
    const auto read = issuer(issuerText(R"(,"client_id_metadata_document_supported":true,)"
                                        R"("token_endpoint_auth_methods_supported":["none"])"));
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->documents);
    EXPECT_FALSE(read->namesItself);
    EXPECT_EQ(read->tokenMethods, QStringList{QStringLiteral("none")});
    // With the slash that some add after a host alone; it counts as it is written later.
    EXPECT_TRUE(issuer(issuerText().replace("auth.example\",", "auth.example/\",")));
    const auto refused = [](QByteArray text, const char *word) {
        QString problem;
        EXPECT_FALSE(issuer(text, &problem)) << text.data();
        EXPECT_TRUE(problem.contains(QLatin1String(word))) << qPrintable(problem);
    };
    refused(issuerText().replace(R"("issuer":"https://auth.example")",
                                 R"("issuer":"https://evil.example")"),
            "evil.example");
    refused(issuerText().replace(R"("issuer":"https://auth.example")",
                                 R"("issuer":"https://auth.example/t")"),
            "/t");
    refused(issuerText().replace("S256", "S512"), "PKCE");
    refused(issuerText().replace("code_challenge_methods_supported", "x"), "PKCE");
    refused(issuerText().replace("https://auth.example/token", "http://auth.example/token"),
            "https");
    refused(issuerText().replace("https://auth.example/go", "https://127.0.0.1/go"), "network");
    refused(issuerText().replace("token_endpoint", "x"), "where one signs in");
    refused(issuerText(R"(,"registration_endpoint":"https://10.0.0.1/r")"), "network");
    refused("<html>", "JSON");
}

TEST(AuthMetadata, OfTokensAndRegistrations)
{
    QString problem;
    const auto tokens = readTokens(
        R"({"access_token":"abc","token_type":"bearer","expires_in":60,"refresh_token":"r r"})",
        1000, false, problem);
    ASSERT_TRUE(tokens);
    EXPECT_EQ(tokens->expires, 1060);
    EXPECT_TRUE(tokens->refresh.isEmpty()); // no token has spaces
    EXPECT_EQ(readTokens(R"({"access_token":"a","token_type":"Bearer","expires_in":1e300})", 5,
                         false, problem)
                  ->expires,
              0);
    for (const char *bad :
         {"{}", R"({"access_token":"a b","token_type":"Bearer"})",
          R"({"access_token":"a\r\nX: y","token_type":"Bearer"})", R"({"access_token":"a"})",
          R"({"access_token":"a","token_type":"DPoP"})",
          R"({"access_token":7,"token_type":"Bearer"})", "[", ""}) {
        problem.clear();
        EXPECT_FALSE(readTokens(bad, 0, false, problem)) << bad;
        EXPECT_FALSE(problem.isEmpty()) << bad;
    }
    EXPECT_EQ(readRegistration(R"({"client_id":"me","client_secret":"s"})", problem)->secret,
              QStringLiteral("s"));
    for (const char *bad : {"{}", R"({"client_id":""})", R"({"client_id":"a\nb"})"})
        EXPECT_FALSE(readRegistration(bad, problem)) << bad;
    EXPECT_EQ(readRefusal(R"({"error":"invalid_grant","error_description":"gone\n now"})").text,
              QStringLiteral("gone now"));
    EXPECT_TRUE(readRefusal("<html>").error.isEmpty());
}

TEST(AuthFlow, ProofsAreThoseOfTheSpecification)
{
    // RFC 7636, appendix B.
    EXPECT_EQ(challengeOf(QStringLiteral("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")),
              QStringLiteral("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
    QSet<QString> seen;
    for (int i = 0; i < 100; ++i) {
        const QString secret = newSecret();
        EXPECT_EQ(secret.size(), 43);
        seen.insert(secret);
    }
    EXPECT_EQ(seen.size(), 100);
}

TEST(AuthFlow, ScopesAreThoseThatAreNamedFirst)
{
    const QStringList a{QStringLiteral("a")}, b{QStringLiteral("b")}, c{QStringLiteral("c")};
    const QStringList offline{QStringLiteral("offline_access")};
    EXPECT_EQ(scopesToAsk(a, b, c, {}, {}), a);
    EXPECT_EQ(scopesToAsk({}, b, c, {}, {}), b);
    EXPECT_EQ(scopesToAsk({}, {}, c, {}, {}), c);
    EXPECT_EQ(scopesToAsk(b, {}, {}, a, {}), a + b); // what there was stays
    EXPECT_EQ(scopesToAsk(a, {}, {}, {}, offline), a + offline);
    EXPECT_TRUE(scopesToAsk({}, {}, {}, {}, offline).isEmpty()); // the server's choice
}

TEST(AuthFlow, AddressesAndFormsHoldWhatTheyMust)
{
    const CodeRequest request{QStringLiteral("me&you"),
                              QStringLiteral("http://127.0.0.1:5/callback"),
                              QStringLiteral("st"),
                              QStringLiteral("verifier"),
                              QStringLiteral("https://tools.example/mcp"),
                              {QStringLiteral("a"), QStringLiteral("b+c")}};
    const QUrl url = authorizationAddress(issuer(issuerText())->authorization, request);
    const QUrlQuery query(url);
    const auto value = [&](const char *name) {
        return query.queryItemValue(QLatin1String(name), QUrl::FullyDecoded);
    };
    EXPECT_EQ(value("x"), QStringLiteral("1")); // of its own
    EXPECT_EQ(value("client_id"), request.clientId);
    EXPECT_EQ(value("redirect_uri"), request.redirect);
    EXPECT_EQ(value("resource"), request.resource);
    EXPECT_EQ(value("scope"), QStringLiteral("a b+c"));
    EXPECT_EQ(value("code_challenge"), challengeOf(request.verifier));
    EXPECT_EQ(value("code_challenge_method"), QStringLiteral("S256"));
    EXPECT_EQ(value("response_type"), QStringLiteral("code"));
    EXPECT_FALSE(url.toString(QUrl::FullyEncoded).contains(request.verifier));
    EXPECT_EQ(encoded({{QStringLiteral("a b"), QStringLiteral("c&d=é+")}}),
              QByteArray("a%20b=c%26d%3D%C3%A9%2B"));

    ServerMetadata server;
    const auto sent = [&](const AuthClient &client) {
        return tokenRequest(codeForm(request, QStringLiteral("code")), client, server);
    };
    EXPECT_TRUE(sent({QStringLiteral("me"), {}, {}, {}, 0}).body.contains("client_id=me"));
    const AuthClient known{QStringLiteral("me:x"), QStringLiteral("s"), {}, {}, 0};
    EXPECT_EQ(sent(known).authorization, "Basic " + QByteArray("me%3Ax:s").toBase64());
    EXPECT_FALSE(sent(known).body.contains("client_secret"));
    server.tokenMethods = QStringList{QStringLiteral("client_secret_post")};
    EXPECT_TRUE(sent(known).authorization.isEmpty());
    EXPECT_TRUE(sent(known).body.contains("client_secret=s"));
}

TEST(AuthFlow, RepliesOfOthersChangeNothing)
{
    ServerMetadata server;
    server.issuer = QStringLiteral("https://auth.example");
    const auto kind = [&](const char *target) {
        return readReply(target, QStringLiteral("/callback"), QStringLiteral("st"), server).kind;
    };
    EXPECT_EQ(kind("/callback?code=c&state=st"), CodeReply::Code);
    EXPECT_EQ(kind("/callback?code=c&state=st&iss=https%3A%2F%2Fauth.example"), CodeReply::Code);
    for (const char *foreign : {"/", "/callback", "/callback?code=c", "/callback?code=c&state=",
                                "/callback?code=c&state=ST", "/x?code=c&state=st", "//callback",
                                "/callback?code=c&state=st&state=st", "/callback?error=x&state=y"})
        EXPECT_EQ(kind(foreign), CodeReply::Foreign) << foreign;
    EXPECT_EQ(kind("/callback?code=c&state=st&iss=https%3A%2F%2Fevil.example"),
              CodeReply::Untrusted);
    EXPECT_EQ(kind("/callback?code=c&state=st&iss=https%3A%2F%2Fauth.example%2F"),
              CodeReply::Untrusted);
    EXPECT_EQ(kind("/callback?error=access_denied&state=st"), CodeReply::Refused);
    EXPECT_EQ(kind("/callback?state=st"), CodeReply::Refused);
    EXPECT_EQ(kind("/callback?code=a&code=b&state=st"), CodeReply::Refused);
    server.namesItself = true;
    EXPECT_EQ(kind("/callback?code=c&state=st"), CodeReply::Untrusted);
    EXPECT_EQ(readReply("/callback?code=a+b&state=st&iss=https://auth.example",
                        QStringLiteral("/callback"), QStringLiteral("st"), server)
                  .code,
              QStringLiteral("a b"));
    EXPECT_EQ(readReply("/callback?code=c&state=", QStringLiteral("/callback"), {}, server).kind,
              CodeReply::Foreign); // without a state of ours nothing fits
}

TEST(AuthFlow, RegistrationsAskForNoSecretUnlessTheyMust)
{
    ServerMetadata server;
    const auto body = [&] {
        return registrationBody(server, QStringLiteral("http://127.0.0.1:5/callback"), {});
    };
    EXPECT_TRUE(body().contains(R"("token_endpoint_auth_method":"none")"));
    EXPECT_TRUE(body().contains(R"("application_type":"native")"));
    EXPECT_TRUE(body().contains("refresh_token"));
    server.tokenMethods = QStringList{QStringLiteral("client_secret_basic")};
    EXPECT_TRUE(body().contains(R"("token_endpoint_auth_method":"client_secret_basic")"));
}

TEST(AuthFlow, DocumentsAreForServersThatReadThem)
{
    McpAuthConfig config;
    ServerMetadata server;
    EXPECT_FALSE(configuredClient(config, server));
    config.clientId = QStringLiteral("https://me.example/fireside.json");
    EXPECT_FALSE(configuredClient(config, server));
    server.documents = true;
    EXPECT_TRUE(configuredClient(config, server));
    config.clientId = QStringLiteral("me");
    server.documents = false;
    EXPECT_EQ(configuredClient(config, server)->id, QStringLiteral("me"));
}

TEST(AuthCredentials, BelongToOneServer)
{
    const Credentials kept{QStringLiteral("https://tools.example/mcp"),
                           QStringLiteral("https://auth.example"),
                           {QStringLiteral("id"), QStringLiteral("secret"), QStringLiteral("none"),
                            QStringLiteral("http://127.0.0.1:5/callback"), 7},
                           {"access", "refresh", 99, {QStringLiteral("a")}},
                           {QStringLiteral("a"), QStringLiteral("b")}};
    EXPECT_EQ(readCredentials(written(kept), kept.server), kept);
    EXPECT_FALSE(readCredentials(written(kept), QStringLiteral("https://evil.example/mcp")));
    for (const char *bad : {"", "{}", "[]", "{\"server\":7}"})
        EXPECT_FALSE(readCredentials(bad, kept.server)) << bad;
}

} // namespace
} // namespace fireside::auth
