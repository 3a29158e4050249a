#include "app/tools/auth/sign_in.h"

#include "app/network/loopback_listener.h"
#include "app/network/network_gate.h"
#include "app/tools/auth/auth_texts.h"
#include "app/tools/auth/question.h"

#include <QDateTime>
#include <QFile>

#include <utility>

namespace fireside::auth {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 10min; // of a person with a browser
constexpr qint64 kLargestKey = 64 << 10;
const QString kPath = QStringLiteral("/callback");

} // namespace

/// Title and text of the page that the browser ends with.
static QStringList lastPage(bool signedIn)
{
    if (signedIn)
        return {AuthTexts::tr("Signed in"),
                AuthTexts::tr("You can close this page and go back to Fireside.")};
    return {AuthTexts::tr("Not signed in"),
            AuthTexts::tr("You can close this page. Fireside says what went wrong.")};
}

QByteArray keyIn(const McpAuthConfig &config, QString &problem)
{
    if (config.privateKeyFile.isEmpty())
        return {};
    QFile file(config.privateKeyFile);
    if (!file.open(QIODevice::ReadOnly)) {
        problem = AuthTexts::tr("the key in %1 cannot be read: %2")
                      .arg(config.privateKeyFile, file.errorString());
        return {};
    }
    const QByteArray pem = file.read(kLargestKey);
    if (SigningKey::read(pem))
        return pem;
    problem = AuthTexts::tr("%1 holds no key of the curve P-256 (ES256) without a password")
                  .arg(config.privateKeyFile);
    return {};
}

std::optional<AuthClient> configuredClient(const McpAuthConfig &config,
                                           const ServerMetadata &server)
{
    const bool document = config.clientId.startsWith(QLatin1String("https://"));
    if (config.clientId.isEmpty() || (document && !server.documents))
        return std::nullopt;
    QString problem; // said before one signs in
    return AuthClient{config.clientId, config.clientSecret, {}, {}, 0, keyIn(config, problem)};
}

SignIn::SignIn(NetworkGate &gate, const Discovered &where, const McpAuthConfig &config,
               const AuthClient &known, const QStringList &scopes,
               const std::optional<SigningKey> &key, const QString &purpose, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_where(where)
    , m_config(config)
    , m_purpose(purpose)
    , m_key(key)
    , m_client(known)
{
    m_request.resource = where.resource;
    m_request.scopes = scopes;
    m_request.state = newSecret();
    m_request.verifier = newSecret();
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this,
            [this] { fail(AuthTexts::tr("the browser has not come back")); });
    connect(&gate, &NetworkGate::offlineChanged, this, [this](bool offline) {
        if (offline)
            fail(AuthTexts::tr("Fireside is offline"));
    });
}

SignIn::~SignIn() = default;

void SignIn::fail(const QString &why, bool forget)
{
    m_patience.stop();
    if (!std::exchange(m_over, true))
        emit failed(why, forget);
}

void SignIn::start()
{
    m_listener = std::make_unique<LoopbackListener>([this](const QByteArray &target) {
        const CodeReply reply = m_codeCame || m_over
                                    ? CodeReply()
                                    : readReply(target, kPath, m_request.state, m_where.server);
        if (reply.kind == CodeReply::Foreign)
            return LoopbackListener::Page{404, {}, {}};
        // Later: the page is sent first.
        QMetaObject::invokeMethod(
            this,
            [this, reply] {
                if (reply.kind == CodeReply::Code)
                    takeCode(reply.code);
                else
                    fail(reply.text);
            },
            Qt::QueuedConnection);
        m_codeCame = true;
        const QStringList page = lastPage(reply.kind == CodeReply::Code);
        return LoopbackListener::Page{200, page[0], page[1]};
    });
    const auto configured = configuredClient(m_config, m_where.server);
    const int before = QUrl(m_client.redirect).port(0);
    const int wanted = m_config.callbackPort != 0 ? m_config.callbackPort : before;
    if (!m_listener->listen(static_cast<quint16>(wanted)))
        return fail(
            AuthTexts::tr("no port of this computer is free: %1").arg(m_listener->problem()));
    if (m_config.callbackPort != 0 && m_listener->port() != m_config.callbackPort)
        return fail(AuthTexts::tr("port %1 of this computer is taken by another program")
                        .arg(m_config.callbackPort));
    m_request.redirect = QStringLiteral("http://127.0.0.1:%1%2").arg(m_listener->port()).arg(kPath);
    const qint64 now = QDateTime::currentSecsSinceEpoch();
    const bool usable = !m_client.id.isEmpty() && m_client.redirect == m_request.redirect &&
                        (m_client.expires == 0 || m_client.expires > now + 60);
    if (configured) {
        m_client = *configured;
        m_client.redirect = m_request.redirect;
        sendBrowser();
    } else if (usable) {
        sendBrowser();
    } else {
        registerClient();
    }
}

void SignIn::registerClient()
{
    if (m_where.server.registration.isEmpty())
        return fail(AuthTexts::tr("%1 does not register programs by itself: enter the client ID "
                                  "that it has given you in the server's settings")
                        .arg(QUrl(m_where.server.issuer).host()));
    ExchangeRequest request;
    request.url = m_where.server.registration;
    request.purpose = m_purpose;
    request.post = true;
    request.body = registrationBody(m_where.server, m_request.redirect, m_request.scopes);
    ask(m_gate, request, this, [this](const Reply &reply) {
        if (m_over)
            return;
        QString problem = reply.problem;
        const auto read =
            reply.isFine() ? readRegistration(reply.body, problem) : std::optional<AuthClient>();
        if (!read) {
            const QString words = readRefusal(reply.body).text;
            if (problem.isEmpty())
                problem = words.isEmpty() ? AuthTexts::tr("HTTP %1").arg(reply.status) : words;
            return fail(AuthTexts::tr("Fireside could not be registered: %1").arg(problem));
        }
        m_client = *read;
        m_client.redirect = m_request.redirect;
        sendBrowser();
    });
}

void SignIn::sendBrowser()
{
    m_request.clientId = m_client.id;
    m_patience.start(kPatience);
    emit browserWanted(authorizationAddress(m_where.server.authorization, m_request));
}

void SignIn::takeCode(const QString &code)
{
    if (m_over)
        return;
    m_patience.stop();
    ask(m_gate, {m_where.server, codeForm(m_request, code), m_client, m_key, m_purpose}, this,
        [this](const Reply &reply) { takeTokens(reply); });
}

void SignIn::takeTokens(const Reply &reply)
{
    if (m_over)
        return;
    QString problem = reply.problem;
    const auto read = reply.isFine() ? readTokens(reply.body, QDateTime::currentSecsSinceEpoch(),
                                                  m_key.has_value(), problem)
                                     : std::optional<Tokens>();
    if (!read) {
        const Refusal refusal = readRefusal(reply.body);
        if (problem.isEmpty())
            problem =
                refusal.text.isEmpty() ? AuthTexts::tr("HTTP %1").arg(reply.status) : refusal.text;
        return fail(AuthTexts::tr("no token was given: %1").arg(problem),
                    refusal.error == QLatin1String("invalid_client"));
    }
    m_over = true;
    emit done(m_client, *read);
}

} // namespace fireside::auth
