// Signing in to a server of tools from the window.
#include "app/tools/auth/authorizer.h"
#include "tests/tools/auth_browser.h"
#include "tests/tools/auth_server.h"
#include "tests/ui/program.h"
#include "ui/tools/server_dialog.h"
#include "ui/tools/sign_in_bar.h"
#include "ui/tools/tools_page.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QTest>

#include <algorithm>

namespace fireside::test {
namespace {

class SignInWindowTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start();
        McpServerConfig config{.name = QStringLiteral("web")};
        config.url = QString::fromStdString(m_server.address() + "/mcp");
        m_host = config.url.mid(7).section(QLatin1Char('/'), 0, 0);
        tools().start();
        ASSERT_EQ(tools().putServer(config, {}), QString());
        QObject::connect(&tools(), &ToolBox::browserWanted, &m_browser, &AuthBrowser::open);
    }
    ToolBox &tools() { return m_program->tools; }
    SignInBar *bar() { return window().findChild<SignInBar *>(); }
    QPushButton *button(const char *name)
    {
        return window().findChild<QPushButton *>(QLatin1String(name));
    }
    McpServerState::Kind state() { return tools().server(QStringLiteral("web"))->state().kind; }

    AuthServer m_server;
    AuthBrowser m_browser;
    QString m_host;
};

TEST_F(SignInWindowTest, TheBarNamesTheHostAndNothingOpensBeforeItsButton)
{
    ASSERT_TRUE(waitFor([this] { return bar()->isVisible(); }));
    EXPECT_TRUE(button("signIn")->text().contains(m_host));
    EXPECT_TRUE(bar()->accessibleName().contains(m_host));
    EXPECT_FALSE(button("signInCopy")->isVisible());
    EXPECT_TRUE(m_browser.opened.isEmpty());
    QTest::mouseClick(button("signIn"), Qt::LeftButton);
    ASSERT_TRUE(waitFor([this] { return state() == McpServerState::Ready; }));
    EXPECT_FALSE(bar()->isVisible());
    EXPECT_FALSE(m_browser.opened.isEmpty());
    // What the page says, and the way out.
    window().showToolServers();
    auto *page = window().findChild<ToolsPage *>();
    auto *account = page->findChild<QLabel *>(QStringLiteral("toolServerAccount"));
    EXPECT_TRUE(account->text().contains(QLatin1String("until Fireside is closed")));
    QTest::mouseClick(page->findChild<QPushButton *>(QStringLiteral("toolsEdit")), Qt::LeftButton);
    auto *dialog = page->findChild<ToolServerDialog *>();
    ASSERT_NE(dialog, nullptr);
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("serverSignOut")),
                      Qt::LeftButton);
    ASSERT_TRUE(waitFor([this] { return state() == McpServerState::SignIn; }));
    EXPECT_FALSE(tools().server(QStringLiteral("web"))->authorizer()->isSignedIn());
}

TEST_F(SignInWindowTest, NotNowLeavesTheButtonInTheSettings)
{
    ASSERT_TRUE(waitFor([this] { return bar()->isVisible(); }));
    QTest::mouseClick(button("signInDecline"), Qt::LeftButton);
    EXPECT_FALSE(bar()->isVisible());
    window().showToolServers();
    auto *page = window().findChild<ToolsPage *>();
    auto *signIn = page->findChild<QPushButton *>(QStringLiteral("toolsSignIn"));
    ASSERT_TRUE(waitFor([&] { return signIn->isVisible() && signIn->isEnabled(); }));
    EXPECT_TRUE(signIn->text().contains(m_host));
    EXPECT_TRUE(m_browser.opened.isEmpty());
    QTest::mouseClick(signIn, Qt::LeftButton);
    EXPECT_TRUE(waitFor([this] { return state() == McpServerState::Ready; }));
}

TEST_F(SignInWindowTest, WhatWentWrongIsSaidAndCanBeTriedAgain)
{
    m_server.change([](AuthServer &server) { server.replyState = "wrong"; });
    ASSERT_TRUE(waitFor([this] { return bar()->isVisible(); }));
    QTest::mouseClick(button("signIn"), Qt::LeftButton);
    ASSERT_TRUE(waitFor([this] { return button("signInCopy")->isVisible(); }));
    QTest::mouseClick(button("signInCopy"), Qt::LeftButton);
    EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith(
        QString::fromStdString(m_server.address()) + QStringLiteral("/authorize?")));
    QTest::mouseClick(button("signInDecline"), Qt::LeftButton); // cancel
    EXPECT_FALSE(bar()->isVisible());
    m_server.change([](AuthServer &server) {
        server.replyState.clear();
        server.replyError = "access_denied";
    });
    tools().signIn(QStringLiteral("web"));
    ASSERT_TRUE(waitFor([this] {
        const auto labels = bar()->findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [](const QLabel *one) {
            return one->isVisible() && one->text().contains(QLatin1String("was not granted"));
        });
    }));
}

} // namespace
} // namespace fireside::test
