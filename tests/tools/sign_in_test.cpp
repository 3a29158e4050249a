// Signing in to servers of tools, whole: with a server that does as it should, or lies.
#include "sign_in_fixture.h"

#include <QElapsedTimer>

namespace fireside::test {
namespace {

TEST_F(SignInTest, NothingIsOpenedBeforeTheUserSaysSo)
{
    m_spoken->client->start();
    ASSERT_TRUE(offered());
    EXPECT_EQ(m_authorizer->offer()->host, m_config.url.mid(7).section(QLatin1Char('/'), 0, 0));
    EXPECT_EQ(m_authorizer->offer()->scopes, QStringList{QStringLiteral("read")});
    // As long as the user thinks, no time of the server's runs: the probe has 300 ms.
    QElapsedTimer thinking;
    thinking.start();
    waitFor([&] { return thinking.elapsed() > 600; });
    EXPECT_TRUE(m_browser.opened.isEmpty());
    EXPECT_EQ(m_server.registrations + m_server.authorizations, 0);
    m_authorizer->signIn();
    ASSERT_TRUE(waitFor([this] { return over(); }));
    ASSERT_TRUE(m_spoken->ready) << qPrintable(m_spoken->failure) << qPrintable(problem());
    EXPECT_EQ(m_spoken->client->version(), QStringLiteral("2026-07-28"));
    EXPECT_EQ(m_spoken->text(QStringLiteral("who")), QStringLiteral("you"));
    EXPECT_TRUE(waitFor([this] { return !m_browser.page.isEmpty(); }));
    EXPECT_TRUE(m_browser.page.contains("Signed in"));
    EXPECT_EQ(m_server.last("resource"), m_server.address() + "/mcp");
    EXPECT_TRUE(m_server.last("redirect_uri").starts_with("http://127.0.0.1:"));
    EXPECT_FALSE(m_authorizer->offer());
    bool recorded = false;
    for (const ConnectionRecord &record : m_connections.records())
        recorded = recorded || record.purpose == QStringLiteral("sign-in for tools of web");
    EXPECT_TRUE(recorded);
}

TEST_F(SignInTest, IsKeptInTheKeyringAndForgottenWhenSignedOut)
{
    ASSERT_TRUE(signedIn());
    ASSERT_EQ(m_secrets.kept.size(), 1);
    EXPECT_TRUE(m_secrets.kept.begin().value().contains("access-1"));
    EXPECT_EQ(m_keeper->problem(), QString());
    begin();
    ASSERT_TRUE(m_spoken->begin()) << qPrintable(m_spoken->failure);
    EXPECT_EQ(m_server.authorizations, 1);
    m_authorizer->signOut();
    EXPECT_TRUE(m_secrets.kept.isEmpty());
    begin();
    m_spoken->client->start();
    EXPECT_TRUE(offered());
}

TEST_F(SignInTest, SigningOutGivesTheTokensBack)
{
    ASSERT_TRUE(signedIn());
    m_authorizer->signOut();
    ASSERT_TRUE(waitFor([this] { return m_server.revoked().size() == 2; }));
    auto forms = m_server.revoked();
    std::sort(forms.begin(), forms.end());
    EXPECT_EQ(forms[0], "token=access-1&token_type_hint=access_token&client_id=client-1");
    EXPECT_EQ(forms[1], "token=refresh-1&token_type_hint=refresh_token&client_id=client-1");
    int recorded = 0;
    for (const ConnectionRecord &record : m_connections.records())
        recorded += record.purpose == QStringLiteral("sign-out from tools of web");
    EXPECT_EQ(recorded, 2);
    EXPECT_TRUE(m_secrets.kept.isEmpty());
    m_authorizer->signOut(); // there is nothing more
    begin();
    m_spoken->client->start();
    EXPECT_TRUE(offered());
    EXPECT_EQ(m_server.revoked().size(), 2u);
}

TEST_F(SignInTest, WhatAnEarlierRunHasGotIsGivenBackToo)
{
    m_config.auth = {.clientId = QStringLiteral("mine"), .clientSecret = QStringLiteral("s:1")};
    begin();
    ASSERT_TRUE(signedIn()) << qPrintable(problem());
    begin();
    m_authorizer->signOut();
    EXPECT_TRUE(m_secrets.kept.isEmpty());
    ASSERT_TRUE(waitFor([this] { return m_server.revoked().size() == 2; }));
    EXPECT_EQ(m_server.revoked()[0].find("client_id"), std::string::npos); // in a header
}

TEST_F(SignInTest, SigningOutDependsOnNobody)
{
    const auto signedOut = [this] {
        begin();
        m_secrets.kept.clear();
        if (!signedIn())
            return false;
        m_authorizer->signOut();
        return m_secrets.kept.isEmpty() && !m_authorizer->isSignedIn();
    };
    m_server.change([](AuthServer &server) { server.revocationStatus = 503; });
    EXPECT_TRUE(signedOut());
    ASSERT_TRUE(waitFor([this] { return m_server.revoked().size() == 2; }));
    // Nobody says where, or it is not encrypted, or within a network that the server is not in.
    for (const char *place :
         {"http://198.51.100.7/revoke", "ftp://example.org/", "/revoke", "x y"}) {
        m_server.change([&](AuthServer &server) { server.revocationPlace = place; });
        EXPECT_TRUE(signedOut()) << place;
    }
    m_server.change([](AuthServer &server) { server.revokes = false; });
    EXPECT_TRUE(signedOut());
    EXPECT_EQ(m_server.revoked().size(), 2u);
    for (const ConnectionRecord &record : m_connections.records())
        EXPECT_TRUE(record.host.contains(QLatin1String("127.0.0.1"))) << qPrintable(record.host);
}

TEST_F(SignInTest, NothingIsGivenBackWhileOffline)
{
    ASSERT_TRUE(signedIn());
    m_connections.setOffline(true);
    m_authorizer->signOut();
    EXPECT_TRUE(m_secrets.kept.isEmpty());
    EXPECT_FALSE(m_authorizer->isSignedIn());
    waitFor([n = 0]() mutable { return ++n > 20; });
    EXPECT_TRUE(m_server.revoked().empty());
    int refused = 0;
    for (const ConnectionRecord &record : m_connections.records()) {
        const bool signOut = record.purpose.startsWith(QLatin1String("sign-out"));
        EXPECT_FALSE(signOut && record.allowed);
        refused += signOut;
    }
    EXPECT_EQ(refused, 2);
}

TEST_F(SignInTest, WithoutAKeyringItHoldsUntilTheEndAndIsSaid)
{
    m_secrets.problem = QStringLiteral("no keyring runs");
    ASSERT_TRUE(signedIn());
    EXPECT_EQ(m_keeper->problem(), m_secrets.problem);
    EXPECT_EQ(m_spoken->text(QStringLiteral("who")), QStringLiteral("you"));
}

TEST_F(SignInTest, TokensThatHaveEndedAreRefreshedUnasked)
{
    ASSERT_TRUE(signedIn());
    for (int i = 1; i <= 3; ++i) {
        m_server.revoke();
        EXPECT_EQ(m_spoken->text(QStringLiteral("who")), QStringLiteral("you"));
        EXPECT_EQ(m_server.refreshed, i);
    }
    EXPECT_EQ(m_server.authorizations, 1);
    EXPECT_TRUE(m_secrets.kept.begin().value().contains("refresh-4")); // the newest
}

TEST_F(SignInTest, WhereNothingIsRefreshedTheUserIsAskedAndTheCallIsSentAgain)
{
    ASSERT_TRUE(signedIn());
    m_server.revoke(true);
    ask();
    ASSERT_TRUE(waitFor([this] { return m_authorizer->offer().has_value(); }));
    EXPECT_FALSE(m_answer);
    EXPECT_EQ(m_server.refused, 1);
    m_authorizer->signIn();
    EXPECT_TRUE(answered());
    EXPECT_EQ(m_server.registrations, 1); // it is known there
}

TEST_F(SignInTest, MoreRightsAreAskedForBesideTheOldOnes)
{
    m_server.callScope = "write";
    ASSERT_TRUE(signedIn());
    ask();
    ASSERT_TRUE(waitFor([this] { return m_authorizer->offer().has_value(); }));
    EXPECT_TRUE(m_authorizer->offer()->more);
    EXPECT_EQ(m_authorizer->offer()->scopes,
              (QStringList{QStringLiteral("read"), QStringLiteral("write")}));
    m_authorizer->signIn();
    EXPECT_TRUE(answered());
    EXPECT_EQ(m_server.last("scope"), "read write");
}

TEST_F(SignInTest, RightsThatAreNeverEnoughAreNotAskedForAgainAndAgain)
{
    m_server.callScope = "write";
    m_server.neverEnough = true;
    ASSERT_TRUE(signedIn());
    ask();
    ASSERT_TRUE(waitFor([this] { return m_authorizer->offer().has_value(); }));
    m_authorizer->signIn();
    EXPECT_FALSE(answered());
    EXPECT_TRUE(m_answer->text.contains(QLatin1String("write"))) << qPrintable(m_answer->text);
    EXPECT_EQ(m_server.authorizations, 2);
    EXPECT_FALSE(m_authorizer->offer());
}

TEST_F(SignInTest, ATokenThatIsRefusedAtOnceEndsIt)
{
    m_server.refusesTokens = true;
    EXPECT_FALSE(signedIn());
    EXPECT_TRUE(m_spoken->failure.contains(QLatin1String("just got")))
        << qPrintable(m_spoken->failure);
    EXPECT_EQ(m_server.authorizations, 1);
    EXPECT_FALSE(m_authorizer->problem().isEmpty());
}

TEST_F(SignInTest, AnotherIssuerGetsNothingOfTheOldOne)
{
    ASSERT_TRUE(signedIn());
    m_server.change([](AuthServer &server) {
        server.secondIssuer = "/two";
        server.clientId = "client-2";
    });
    m_server.revoke();
    ask();
    ASSERT_TRUE(waitFor([this] { return m_authorizer->offer().has_value(); }));
    m_authorizer->signIn();
    EXPECT_TRUE(answered());
    EXPECT_EQ(m_server.refreshed + m_server.refused, 0); // the old token was not shown
    EXPECT_EQ(m_server.registrations, 2);
    EXPECT_EQ(m_server.last("client_id"), "client-2");
}

TEST_F(SignInTest, ClientsThatAreForgottenAreRegisteredAgain)
{
    ASSERT_TRUE(signedIn());
    m_server.change([](AuthServer &server) { server.forgetsClients = true; });
    m_server.revoke();
    ask();
    ASSERT_TRUE(waitFor([this] { return m_authorizer->offer().has_value(); }));
    m_server.change([](AuthServer &server) { server.forgetsClients = false; });
    m_authorizer->signIn();
    EXPECT_TRUE(answered());
    EXPECT_EQ(m_server.registrations, 2);
}

TEST_F(SignInTest, AClientIdOfTheUsersIsTaken)
{
    m_server.registers = false;
    EXPECT_FALSE(signedIn());
    EXPECT_TRUE(problem().contains(QLatin1String("client ID"))) << qPrintable(problem());
    m_config.auth.clientId = QStringLiteral("given");
    begin();
    EXPECT_TRUE(signedIn()) << qPrintable(problem());
    EXPECT_EQ(m_server.last("client_id"), "given");
}

TEST_F(SignInTest, NobodyIsSentToWhomTheServerOnlyNames)
{
    m_server.resource = "https://evil.example/mcp";
    EXPECT_TRUE(failed().contains(QLatin1String("evil.example")));
}

TEST_F(SignInTest, MetadataOfAnotherIssuerIsNotBelieved)
{
    m_server.issuer = "https://evil.example";
    EXPECT_TRUE(failed().contains(QLatin1String("evil.example")));
}

TEST_F(SignInTest, WithoutPkceNobodySignsIn)
{
    m_server.pkce = false;
    EXPECT_TRUE(failed().contains(QLatin1String("PKCE")));
}

TEST_F(SignInTest, WithoutEncryptionNobodySignsIn)
{
    m_server.authorizationPlace = "http://198.51.100.7/authorize";
    EXPECT_TRUE(failed().contains(QLatin1String("https")));
}

TEST_F(SignInTest, MetadataHasAnEnd)
{
    m_server.huge = true;
    EXPECT_FALSE(failed().isEmpty());
}

TEST_F(SignInTest, MetadataIsNotFollowedElsewhere)
{
    m_server.metadataRedirect = "http://127.0.0.2:9/metadata";
    EXPECT_FALSE(failed().isEmpty());
    for (const ConnectionRecord &record : m_connections.records())
        EXPECT_FALSE(record.host.contains(QLatin1String("127.0.0.2")));
}

TEST_F(SignInTest, AnswersWithAnotherStateAreNotOurs)
{
    m_server.replyState = "someone-elses";
    m_spoken->client->start();
    ASSERT_TRUE(offered());
    m_authorizer->signIn();
    ASSERT_TRUE(
        waitFor([this] { return m_server.authorizations == 1 && m_browser.opened.size() > 1; }));
    ASSERT_TRUE(waitFor([this] { return m_authorizer->isSigningIn(); })); // it still waits
    m_authorizer->decline();
    ASSERT_TRUE(waitFor([this] { return over(); }));
    EXPECT_TRUE(m_spoken->failure.contains(QLatin1String("not signed in")));
    EXPECT_EQ(m_server.codes, 0);
    EXPECT_TRUE(m_authorizer->offer());
    EXPECT_TRUE(m_authorizer->isDeclined());
}

TEST_F(SignInTest, AnswersOfAnotherIssuerAreRefused)
{
    for (const auto &[names, given] :
         {std::pair(false, "https://evil.example"), std::pair(true, "https://evil.example")}) {
        m_server.change([&](AuthServer &server) {
            server.namesItself = names;
            server.replyIssuer = given;
        });
        begin();
        EXPECT_FALSE(signedIn());
        EXPECT_TRUE(problem().contains(QLatin1String("does not come from")))
            << qPrintable(problem());
        EXPECT_EQ(m_server.codes, 0);
    }
}

TEST_F(SignInTest, RefusalsCanBeTriedAgain)
{
    m_server.replyError = "access_denied";
    EXPECT_FALSE(signedIn());
    EXPECT_EQ(problem(), QStringLiteral("access was not granted"));
    m_server.change([](AuthServer &server) {
        server.replyError.clear();
        server.tokenAnswer = R"({"access_token":"a b"})";
    });
    m_authorizer->signIn();
    ASSERT_TRUE(waitFor([this] { return hasProblem() && !m_authorizer->isSigningIn(); }));
    EXPECT_TRUE(problem().contains(QLatin1String("no token"))) << qPrintable(problem());
    m_server.change([](AuthServer &server) { server.tokenAnswer.clear(); });
    m_authorizer->signIn();
    EXPECT_TRUE(waitFor([this] { return m_spoken->ready; }));
}

TEST_F(SignInTest, NothingGoesOutWhileOffline)
{
    m_spoken->client->start();
    ASSERT_TRUE(offered());
    m_connections.setOffline(true);
    m_authorizer->signIn();
    EXPECT_TRUE(problem().contains(QLatin1String("offline")));
    EXPECT_TRUE(m_browser.opened.isEmpty());
}

TEST_F(SignInTest, ServersWithoutADescriptionAreSignedInToAtTheirRoot)
{
    m_server.described = false;
    EXPECT_TRUE(signedIn()) << qPrintable(problem()) << qPrintable(m_spoken->failure);
}

TEST_F(SignInTest, AServerWaitsForTheUserAndStartsWhenTheyAreReady)
{
    QObject owner;
    McpServer server(m_config, &m_gate, m_keeper.get(), &owner);
    server.start();
    ASSERT_TRUE(waitFor([&] { return server.state().kind == McpServerState::SignIn; }));
    ASSERT_TRUE(server.authorizer());
    QObject::connect(server.authorizer(), &auth::Authorizer::browserWanted, &m_browser,
                     &AuthBrowser::open);
    server.authorizer()->decline();
    ASSERT_TRUE(waitFor([&] { return server.authorizer()->isDeclined(); }));
    waitFor([n = 0]() mutable { return ++n > 20; }); // what was held has failed
    EXPECT_EQ(server.state().kind, McpServerState::SignIn);
    server.authorizer()->signIn();
    EXPECT_TRUE(waitFor([&] { return server.state().kind == McpServerState::Ready; }))
        << qPrintable(server.state().text);
    EXPECT_EQ(server.tools().size(), 1);
}

TEST_F(SignInTest, AHeaderOfTheUsersComesFirst)
{
    m_config.headers = {{QStringLiteral("authorization"), QStringLiteral("Bearer mine")}};
    QObject owner;
    McpServer server(m_config, &m_gate, m_keeper.get(), &owner);
    server.start();
    EXPECT_TRUE(waitFor([&] { return server.state().kind == McpServerState::Waiting; }));
    EXPECT_FALSE(server.authorizer());
    EXPECT_TRUE(server.state().text.contains(QLatin1String("who asks")));
}

} // namespace
} // namespace fireside::test
