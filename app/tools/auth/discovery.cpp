#include "app/tools/auth/discovery.h"

#include "app/tools/auth/addresses.h"
#include "app/tools/auth/auth_texts.h"
#include "app/tools/auth/question.h"

#include <utility>

namespace fireside::auth {

Discovery::Discovery(NetworkGate &gate, const QUrl &server, const Challenge &challenge,
                     const QString &issuer, const QString &purpose, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_server(server)
    , m_preferred(issuer)
    , m_purpose(purpose)
    , m_places(resourcePlaces(server, challenge.metadata))
    , m_proofs(challenge.proofs)
{
    m_found.resource = resourceOf(server);
}

void Discovery::start()
{
    if (const QString why = problemOf(m_places.first(), m_server); !why.isEmpty())
        emit failed(why);
    else
        askServer();
}

void Discovery::askServer()
{
    ExchangeRequest request;
    request.url = m_places.takeFirst();
    request.purpose = m_purpose;
    ask(m_gate, request, this, [this](const Reply &reply) { takeResource(reply); });
}

void Discovery::takeResource(const Reply &reply)
{
    if (!reply.isFine()) {
        if (!reply.problem.isEmpty())
            m_problem = reply.problem;
        if (!m_places.isEmpty())
            return askServer();
        // Servers of 2025-03-26 are those that one signs in at, too.
        QUrl root = m_server.adjusted(QUrl::RemovePath | QUrl::RemoveQuery | QUrl::RemoveFragment |
                                      QUrl::RemoveUserInfo);
        root.setPath(QString());
        return chooseIssuer({root.toString(QUrl::FullyEncoded)});
    }
    QString problem;
    const auto read = readResourceMetadata(reply.body, m_server, problem);
    if (!read)
        return emit failed(problem);
    m_described = true;
    m_found.resource = read->resource;
    m_found.scopes = read->scopes;
    m_proofs = m_proofs || read->proofs;
    if (read->servers.isEmpty())
        return emit failed(AuthTexts::tr("it does not say where one signs in"));
    chooseIssuer(read->servers);
}

void Discovery::chooseIssuer(const QStringList &issuers)
{
    const bool known = !m_preferred.isEmpty() && issuers.contains(m_preferred);
    m_issuer = QUrl(known ? m_preferred : issuers.first(), QUrl::StrictMode);
    QString why = problemOf(m_issuer, m_server);
    if (why.isEmpty() && m_issuer.hasQuery())
        why = AuthTexts::tr("“%1” is no address that can be used").arg(m_issuer.toString());
    if (!why.isEmpty())
        return emit failed(why);
    m_problem.clear();
    m_places = issuerPlaces(m_issuer);
    askIssuer();
}

void Discovery::askIssuer()
{
    ExchangeRequest request;
    request.url = m_places.takeFirst();
    request.purpose = m_purpose;
    ask(m_gate, request, this, [this](const Reply &reply) { takeIssuer(reply); });
}

void Discovery::takeIssuer(const Reply &reply)
{
    if (reply.isFine()) {
        QString problem;
        const auto read = readServerMetadata(reply.body, m_issuer, m_server, problem);
        if (!read)
            return emit failed(problem);
        m_found.server = *read;
        m_found.proofs = m_proofs && read->proofs;
        return emit found(m_found);
    }
    if (!reply.problem.isEmpty())
        m_problem = reply.problem;
    if (!m_places.isEmpty())
        return askIssuer();
    if (!m_problem.isEmpty())
        return emit failed(m_problem);
    if (m_described)
        return emit failed(AuthTexts::tr("%1 does not say how one signs in").arg(m_issuer.host()));
    m_found.server = customaryMetadata(m_issuer);
    emit found(m_found);
}

} // namespace fireside::auth
