#include "app/network/network_gate.h"

#include "app/network/connections.h"

#include <QCoreApplication>
#include <QNetworkReply>
#include <QNetworkRequest>

#include <memory>

namespace fireside {

NetworkGate::NetworkGate(Connections &connections, QObject *parent)
    : QObject(parent)
    , m_connections(connections)
    , m_manager(this)
{
    m_manager.setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
    connect(&connections, &Connections::offlineChanged, this, [this](bool offline) {
        if (offline)
            cutAll();
        emit offlineChanged(offline);
    });
}

NetworkGate::~NetworkGate()
{
    cutAll();
}

bool NetworkGate::offline() const
{
    return m_connections.offline();
}

QNetworkReply *NetworkGate::get(QNetworkRequest request, const QString &purpose)
{
    return open(request, Verb::Get, {}, purpose);
}

QNetworkReply *NetworkGate::post(QNetworkRequest request, const QByteArray &body,
                                 const QString &purpose)
{
    return open(request, Verb::Post, body, purpose);
}

QNetworkReply *NetworkGate::remove(QNetworkRequest request, const QString &purpose)
{
    return open(request, Verb::Delete, {}, purpose);
}

QNetworkReply *NetworkGate::open(QNetworkRequest &request, Verb verb, const QByteArray &body,
                                 const QString &purpose)
{
    const qint64 id = m_connections.begin(request.url(), purpose);
    if (offline()) {
        m_connections.end(id, 0, tr("refused: Fireside is offline"), false);
        return nullptr;
    }
    const auto manual = static_cast<int>(QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, manual);
    request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, manual);
    request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, manual);
    // Parts of a file are to come over connections of their own.
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    request.setHeader(QNetworkRequest::UserAgentHeader, QStringLiteral("Fireside"));
    QNetworkReply *reply = verb == Verb::Post     ? m_manager.post(request, body)
                           : verb == Verb::Delete ? m_manager.deleteResource(request)
                                                  : m_manager.get(request);
    record(reply, id);
    return reply;
}

void NetworkGate::record(QNetworkReply *reply, qint64 id)
{
    m_open.insert(reply);
    const auto bytes = std::make_shared<qint64>(0);
    connect(reply, &QNetworkReply::downloadProgress, this,
            [bytes](qint64 received, qint64) { *bytes = received; });
    connect(reply, &QNetworkReply::finished, this, [this, reply, id, bytes] {
        m_open.remove(reply);
        const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
        const bool cancelled = reply->error() == QNetworkReply::OperationCanceledError;
        const QString result = cancelled && offline() ? tr("cut: Fireside went offline")
                               : cancelled            ? tr("ended by Fireside")
                               : status != 0          ? QString::number(status)
                                                      : reply->errorString();
        m_connections.end(id, *bytes, result);
    });
}

void NetworkGate::cutAll()
{
    const QSet<QNetworkReply *> open = m_open; // each leaves the set while it is cut
    for (QNetworkReply *reply : open) {
        if (m_open.contains(reply))
            reply->abort();
    }
}

} // namespace fireside
