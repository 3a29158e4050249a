#include "app/tools/auth/authorizer.h"

#include "app/network/network_gate.h"
#include "app/tools/auth/addresses.h"
#include "app/tools/auth/auth_texts.h"
#include "app/tools/auth/proofs.h"
#include "app/tools/auth/question.h"
#include "app/tools/auth/sign_in.h"
#include "app/tools/auth/sign_out.h"

#include <QDateTime>
#include <QPointer>

#include <algorithm>
#include <utility>

namespace fireside::auth {
namespace {

constexpr int kMostRounds = 6; // kept, refreshed, signed in, and more scopes some times

/// Fully encoded: look-alike letters show as what they are.
QString hostOf(const QUrl &url)
{
    const QString host = url.host(QUrl::FullyEncoded);
    return url.port() < 0 ? host : QStringLiteral("%1:%2").arg(host).arg(url.port());
}

} // namespace

Authorizer::Authorizer(NetworkGate &gate, const McpServerConfig &config, CredentialKeeper &keeper,
                       QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_config(config)
    , m_address(config.url, QUrl::StrictMode)
    , m_keeper(keeper)
{}

Authorizer::~Authorizer() = default;

QString Authorizer::purpose() const
{
    return AuthTexts::tr("sign-in for tools of %1").arg(m_config.name);
}

void Authorizer::challenged(const Challenge &challenge, const QByteArray &token, bool forbidden)
{
    m_challenge = challenge;
    m_forbidden = forbidden;
    if (std::exchange(m_working, true))
        return;
    m_problem.clear();
    if (++m_rounds > kMostRounds)
        return giveUp(AuthTexts::tr("it wants to be signed in to again and again"));
    if (!isSafe(m_address))
        return giveUp(AuthTexts::tr("one signs in over https only"));
    if (!this->token().isEmpty() && token != this->token()) // there is a newer one by now
        return settle(true);
    if (!forbidden && !token.isEmpty() && m_source == Source::SignedIn && !m_proven)
        return giveUp(AuthTexts::tr("it refuses the sign-in that it has just got"));
    if (std::exchange(m_fetched, true))
        return discover();
    m_keeper.fetch(m_config.url, this, [this](const std::optional<Credentials> &kept) {
        m_has = kept;
        if (m_has && m_has->tokens.bound)
            m_key = SigningKey::read(m_has->key);
        if (!isSignedIn())
            return discover();
        emit changed();
        settle(true);
    });
}

QList<QPair<QByteArray, QByteArray>> Authorizer::headersFor(const QByteArray &method,
                                                            const QUrl &url) const
{
    if (token().isEmpty())
        return {};
    if (!isBound())
        return {{"Authorization", "Bearer " + token()}};
    return {{"Authorization", "DPoP " + token()},
            {"DPoP",
             proofOf(*m_key, method, url, token(), m_nonce, QDateTime::currentSecsSinceEpoch())}};
}

void Authorizer::noteNonce(const QByteArray &nonce)
{
    if (!nonce.isEmpty())
        m_nonce = nonce;
}

void Authorizer::succeeded()
{
    m_proven = true;
    m_rounds = 0;
}

void Authorizer::beginAnew()
{
    m_source = Source::Kept;
    m_rounds = 0;
    m_working = false;
    m_problem.clear();
}

void Authorizer::discover()
{
    auto *const discovery = new Discovery(m_gate, m_address, m_challenge,
                                          m_has ? m_has->issuer : QString(), purpose(), this);
    connect(discovery, &Discovery::found, this, [this, discovery](const Discovered &what) {
        discovery->deleteLater();
        afterDiscovery(what);
    });
    connect(discovery, &Discovery::failed, this, [this, discovery](const QString &why) {
        discovery->deleteLater();
        settle(false, AuthTexts::tr("it wants you to sign in, but: %1").arg(why));
    });
    discovery->start();
}

void Authorizer::afterDiscovery(const Discovered &what)
{
    m_where = what;
    if (QString problem; keyIn(m_config.auth, problem).isEmpty() && !problem.isEmpty())
        return giveUp(problem);
    if (!what.proofs)
        m_key.reset();
    else if (!m_key)
        m_key = SigningKey::generate();
    // What one server gave is never shown to another.
    if (m_has && m_has->issuer != what.server.issuer)
        m_has.reset();
    if (m_config.auth.machine)
        return askMachine();
    const bool asked = m_has && !m_challenge.scopes.isEmpty() &&
                       std::all_of(m_challenge.scopes.begin(), m_challenge.scopes.end(),
                                   [this](const auto &one) { return m_has->asked.contains(one); });
    if (m_forbidden && asked && m_source == Source::SignedIn)
        return giveUp(AuthTexts::tr("it refuses this although it was given the rights that it "
                                    "asks for (%1)")
                          .arg(m_challenge.scopes.join(QStringLiteral(", ")).left(200)));
    const bool refreshable = m_has && !m_has->tokens.refresh.isEmpty() && !m_forbidden &&
                             (m_source != Source::Refreshed || m_proven);
    if (refreshable)
        refresh();
    else
        makeOffer();
}

QStringList Authorizer::wantedScopes() const
{
    const QStringList before = m_has && m_forbidden ? m_has->asked : QStringList();
    return scopesToAsk(m_challenge.scopes, m_config.auth.scopes, m_where->scopes, before,
                       m_where->server.scopes);
}

void Authorizer::makeOffer(const QString &problem)
{
    m_offer = SignInOffer{hostOf(m_where->server.authorization), wantedScopes(),
                          m_forbidden && isSignedIn(), problem};
    m_declined = false;
    emit changed();
}

void Authorizer::refresh()
{
    AuthClient client = m_has->client;
    if (const auto configured = configuredClient(m_config.auth, m_where->server))
        client = *configured;
    askToken(refreshForm(m_has->tokens.refresh, m_where->resource), client);
}

/// Without a user (client_credentials): the client is the one that may.
void Authorizer::askMachine()
{
    if (isSignedIn() && m_source == Source::Refreshed && !m_proven)
        return giveUp(AuthTexts::tr("it refuses the token that it has just got"));
    QString problem; // there is none by now
    askToken(machineForm(wantedScopes(), m_where->resource), {m_config.auth.clientId,
                                                              m_config.auth.clientSecret,
                                                              {},
                                                              {},
                                                              0,
                                                              keyIn(m_config.auth, problem)});
}

void Authorizer::askToken(const Form &form, const AuthClient &client)
{
    ask(m_gate, {m_where->server, form, client, m_key, purpose()}, this,
        [this, client](const Reply &reply) {
            QString problem = reply.problem;
            auto read = reply.isFine() ? readTokens(reply.body, QDateTime::currentSecsSinceEpoch(),
                                                    m_key.has_value(), problem)
                                       : std::optional<Tokens>();
            if (read) {
                if (read->refresh.isEmpty() && m_has)
                    read->refresh = m_has->tokens.refresh;
                take(client, *read);
                m_source = Source::Refreshed;
                return settle(true);
            }
            const Refusal refusal = readRefusal(reply.body);
            if (m_config.auth.machine || refusal.error.isEmpty() || reply.status >= 500) {
                if (problem.isEmpty())
                    problem = refusal.text.isEmpty() ? AuthTexts::tr("HTTP %1").arg(reply.status)
                                                     : refusal.text;
                return settle(false, AuthTexts::tr("no token was given: %1").arg(problem));
            }
            if (refusal.error == QLatin1String("invalid_client") && m_has)
                m_has->client = {};
            if (m_has)
                m_has->tokens = {};
            makeOffer();
        });
}

void Authorizer::take(const AuthClient &client, const Tokens &tokens)
{
    const QStringList asked = m_offer ? m_offer->scopes : m_has ? m_has->asked : wantedScopes();
    m_has = Credentials{m_config.url,
                        m_where->server.issuer,
                        client,
                        tokens,
                        asked,
                        revocationOf(client, m_where->server),
                        tokens.bound ? m_key->pem() : QByteArray()};
    m_proven = false;
    m_keeper.keep(*m_has);
    m_offer.reset();
    emit changed();
}

void Authorizer::signIn()
{
    if (!m_offer || !m_where || m_signIn)
        return;
    if (m_gate.offline())
        return makeOffer(AuthTexts::tr("Fireside is offline"));
    const AuthClient known = m_has ? m_has->client : AuthClient();
    m_signIn =
        new SignIn(m_gate, *m_where, m_config.auth, known, m_offer->scopes, m_key, purpose(), this);
    connect(m_signIn, &SignIn::browserWanted, this, [this](const QUrl &address) {
        m_page = address;
        emit changed();
        emit browserWanted(address);
    });
    connect(m_signIn, &SignIn::done, this, [this](const AuthClient &client, const Tokens &tokens) {
        std::exchange(m_signIn, nullptr)->deleteLater();
        m_source = Source::SignedIn;
        take(client, tokens);
        settle(true);
    });
    connect(m_signIn, &SignIn::failed, this, [this](const QString &why, bool forget) {
        std::exchange(m_signIn, nullptr)->deleteLater();
        if (forget && m_has)
            m_has->client = {};
        makeOffer(why);
    });
    m_declined = false;
    m_page.clear();
    emit changed();
    m_signIn->start();
}

void Authorizer::decline()
{
    if (SignIn *const running = std::exchange(m_signIn, nullptr)) {
        disconnect(running, nullptr, this, nullptr);
        running->deleteLater();
    }
    m_declined = true;
    settle(false, AuthTexts::tr("you are not signed in"));
    emit changed();
}

void Authorizer::signOut()
{
    auth::signOut(m_gate, m_keeper, m_config.url, m_config.name);
    m_has.reset();
    m_key.reset();
    m_offer.reset();
    m_fetched = true;
    if (SignIn *const running = std::exchange(m_signIn, nullptr)) {
        disconnect(running, nullptr, this, nullptr);
        running->deleteLater();
    }
    beginAnew();
    emit changed();
}

/// Later, so that nobody is called back out of a call.
void Authorizer::settle(bool again, const QString &why)
{
    m_working = false;
    QMetaObject::invokeMethod(
        this, [this, again, why] { emit settled(again, why); }, Qt::QueuedConnection);
}

void Authorizer::giveUp(const QString &why)
{
    m_problem = why;
    settle(false, why);
}

} // namespace fireside::auth
