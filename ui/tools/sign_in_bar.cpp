#include "ui/tools/sign_in_bar.h"

#include "app/tools/auth/authorizer.h"
#include "app/tools/tool_box.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace fireside {
namespace {

/// That wants an answer; nullptr: none.
const McpServer *askingServer(const ToolBox &tools)
{
    const auto found =
        std::find_if(tools.servers().begin(), tools.servers().end(), [](const McpServer *one) {
            const auth::Authorizer *const authorizer = one->authorizer();
            return one->config().enabled && authorizer && authorizer->offer() &&
                   !authorizer->isDeclined();
        });
    return found == tools.servers().end() ? nullptr : *found;
}

/// The end of a host's name says whose it is.
QString shortHost(const QString &host)
{
    constexpr qsizetype kLongest = 50;
    return host.size() > kLongest ? QChar(0x2026) + host.right(kLongest) : host;
}

} // namespace

SignInBar::SignInBar(QWidget *parent)
    : QuestionBar("signInBar", parent)
    , m_about(addLabel("muted"))
    , m_problem(addLabel("error"))
    , m_signIn(addButton("signIn"))
    , m_copy(addButton("signInCopy", tr("Copy the &address")))
    , m_decline(addButton("signInDecline"))
{
    m_signIn->setProperty("role", "primary");
    connect(m_signIn, &QPushButton::clicked, this, [this] { m_tools->signIn(m_server); });
    connect(m_decline, &QPushButton::clicked, this, [this] { m_tools->declineSignIn(m_server); });
    connect(m_copy, &QPushButton::clicked, this, [this] {
        const McpServer *const server = m_tools->server(m_server);
        if (server && server->authorizer())
            QGuiApplication::clipboard()->setText(
                server->authorizer()->page().toString(QUrl::FullyEncoded));
    });
}

void SignInBar::follow(ToolBox &tools)
{
    m_tools = &tools;
    connect(&tools, &ToolBox::serversChanged, this, &SignInBar::showOffer);
    showOffer();
}

void SignInBar::showOffer()
{
    const McpServer *const server = askingServer(*m_tools);
    setVisible(server);
    if (!server)
        return;
    m_server = server->config().name;
    const auth::Authorizer &authorizer = *server->authorizer();
    const auth::SignInOffer &offer = *authorizer.offer();
    const QString name = m_server.left(100), host = offer.host.left(200);
    const bool running = authorizer.isSigningIn();
    setQuestion(running ? tr("Waiting for the browser, in which %1 asks you to sign in "
                             "for the tool server “%2”.")
                              .arg(host, name)
                : offer.more
                    ? tr("The tool server “%1” wants more rights, which %2 gives.").arg(name, host)
                    : tr("The tool server “%1” wants you to sign in at %2.").arg(name, host));
    QStringList about;
    if (!offer.scopes.isEmpty())
        about += tr("It asks for: %1.").arg(offer.scopes.join(QStringLiteral(", ")).left(300));
    about += tr("The page opens in your browser, and what you enter there stays there. Fireside "
                "gets a token for this server alone.");
    m_about->setText(about.join(QLatin1Char(' ')));
    m_about->setVisible(!running);
    m_problem->setText(tr("You are not signed in: %1.").arg(offer.problem));
    m_problem->setVisible(!running && !offer.problem.isEmpty());
    m_signIn->setText(tr("&Sign in at %1").arg(shortHost(host)));
    m_signIn->setVisible(!running);
    m_copy->setVisible(running && !authorizer.page().isEmpty());
    m_decline->setText(running ? tr("&Cancel") : tr("&Not now"));
}

} // namespace fireside
