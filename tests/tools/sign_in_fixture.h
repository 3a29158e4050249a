#pragma once
#include "app/network/connections.h"
#include "app/network/network_gate.h"
#include "app/tools/auth/authorizer.h"
#include "app/tools/mcp/http_transport.h"
#include "auth_browser.h"
#include "auth_server.h"
#include "tools_fixture.h"

#include <gtest/gtest.h>

namespace fireside::test {

/// A keyring that may refuse.
class Secrets : public SecretStore
{
public:
    void read(const QString &name, Secret answer) override { answer(kept.value(name), problem); }
    void write(const QString &name, const QByteArray &secret, Done answer) override
    {
        if (problem.isEmpty())
            kept[name] = secret;
        answer(problem);
    }
    void remove(const QString &name, Done answer) override
    {
        kept.remove(name);
        answer({});
    }
    QHash<QString, QByteArray> kept;
    QString problem;
};

class SignInTest : public testing::Test
{
protected:
    void SetUp() override
    {
        m_config = McpServerConfig{.name = QStringLiteral("web")};
        m_config.url = QString::fromStdString(m_server.address() + "/mcp");
        begin();
    }
    /// As with a new start of the program.
    void begin()
    {
        m_spoken.reset();
        m_keeper = std::make_unique<auth::CredentialKeeper>(&m_secrets);
        m_authorizer = std::make_unique<auth::Authorizer>(m_gate, m_config, *m_keeper);
        QObject::connect(m_authorizer.get(), &auth::Authorizer::browserWanted, &m_browser,
                         &AuthBrowser::open);
        m_spoken = std::make_unique<SpokenWith>(
            new mcp::HttpTransport(m_gate, m_config, m_authorizer.get()), hastyLimits());
    }
    bool offered()
    {
        return waitFor([this] {
                   return (m_authorizer->offer() && !m_authorizer->isSigningIn()) || over();
               }) &&
               !over();
    }
    bool over() const { return m_spoken->ready || !m_spoken->failure.isEmpty(); }
    /// Until the server's tools are there, or it gives up.
    bool signedIn()
    {
        m_spoken->client->start();
        if (!offered())
            return m_spoken->ready;
        m_authorizer->signIn();
        return waitFor([this] { return over() || hasProblem(); }) && m_spoken->ready;
    }
    bool hasProblem() const
    {
        return m_authorizer->offer() && !m_authorizer->offer()->problem.isEmpty();
    }
    QString problem() const { return hasProblem() ? m_authorizer->offer()->problem : QString(); }
    /// A call whose answer is waited for later.
    void ask()
    {
        m_answer.reset();
        m_spoken->client->call(m_spoken->client->tools().first(), "{}", std::chrono::seconds(60),
                               [this](const ToolResult &result) { m_answer = result; });
    }
    bool answered()
    {
        return waitFor([this] { return m_answer.has_value(); }) &&
               m_answer->kind == ToolResult::Done;
    }
    QString failed()
    {
        m_spoken->client->start();
        EXPECT_TRUE(waitFor([this] { return over() || m_authorizer->offer(); }));
        EXPECT_FALSE(m_authorizer->offer());
        EXPECT_TRUE(m_browser.opened.isEmpty());
        EXPECT_EQ(m_server.registrations, 0);
        return m_spoken->failure;
    }

    AuthServer m_server;
    Connections m_connections;
    NetworkGate m_gate{m_connections};
    Secrets m_secrets;
    McpServerConfig m_config;
    AuthBrowser m_browser;
    std::unique_ptr<auth::CredentialKeeper> m_keeper;
    std::unique_ptr<auth::Authorizer> m_authorizer;
    std::unique_ptr<SpokenWith> m_spoken;
    std::optional<ToolResult> m_answer;
};

} // namespace fireside::test
