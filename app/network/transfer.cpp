#include "app/network/transfer.h"

#include "app/network/network_gate.h"

#include <QHostAddress>
#include <QNetworkReply>
#include <QNetworkRequest>

#include <utility>

namespace fireside {
namespace {

constexpr int kMostRedirects = 8;
constexpr qint64 kBuffer = 1 << 20; // held of what was received and is not read yet

bool isLoopback(const QUrl &url)
{
    return url.host() == QLatin1String("localhost") || QHostAddress(url.host()).isLoopback();
}

bool isSuccess(int status)
{
    return status == 200 || status == 206 || status == 416;
}

bool isRedirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

} // namespace

Transfer::Transfer(NetworkGate &gate, TransferRequest request, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_request(std::move(request))
{
    m_clock.setInterval(m_request.patience);
    connect(&m_clock, &QTimer::timeout, this, &Transfer::watchRate);
}

Transfer::~Transfer()
{
    cancel();
}

void Transfer::start()
{
    // Later, so that no signal comes out of this call.
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!m_over)
                open(m_request.url);
        },
        Qt::QueuedConnection);
}

void Transfer::cancel()
{
    m_over = true;
    m_clock.stop();
    if (QNetworkReply *reply = std::exchange(m_reply, nullptr)) {
        disconnect(reply, nullptr, this, nullptr);
        reply->abort();
        reply->deleteLater();
    }
}

/// In clear text only within this computer, and to nobody but the host it was given for.
bool Transfer::mayCarryToken(const QUrl &url) const
{
    const bool secret = url.scheme() == QLatin1String("https") || isLoopback(url);
    return secret && url.scheme() == m_request.url.scheme() && url.host() == m_request.url.host() &&
           url.port() == m_request.url.port();
}

void Transfer::open(const QUrl &url)
{
    if (url.scheme() != QLatin1String("https") && url.scheme() != QLatin1String("http"))
        return fail({TransferFailure::Kind::Refused,
                     tr("only https and http addresses can be used"),
                     0,
                     {}});
    QNetworkRequest request(url);
    if (!m_request.packed)
        request.setRawHeader("Accept-Encoding", "identity");
    if (m_request.range)
        request.setRawHeader("Range", "bytes=" + QByteArray::number(m_request.range->begin) + '-' +
                                          QByteArray::number(m_request.range->end - 1));
    if (m_request.range && !m_request.validator.isEmpty())
        request.setRawHeader("If-Range", m_request.validator);
    if (!m_request.token.isEmpty() && mayCarryToken(url))
        request.setRawHeader("Authorization", "Bearer " + m_request.token);
    m_reply = m_gate.get(request, m_request.purpose);
    if (!m_reply)
        return fail({TransferFailure::Kind::Offline, tr("Fireside is offline"), 0, {}});
    m_reply->setReadBufferSize(kBuffer);
    m_status = 0;
    connect(m_reply, &QNetworkReply::metaDataChanged, this, &Transfer::readHead);
    connect(m_reply, &QNetworkReply::readyRead, this, &Transfer::readData);
    connect(m_reply, &QNetworkReply::finished, this, &Transfer::readEnd);
    m_sinceTick = 0;
    m_clock.start();
}

void Transfer::readHead()
{
    m_status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    m_sinceTick += m_request.leastBytes; // it answers
    if (const QByteArray tag = m_reply->rawHeader("X-Linked-ETag").trimmed(); !tag.isEmpty())
        m_linkedTag = QByteArray(tag).replace('"', "").toLower();
    if (isSuccess(m_status) && m_status != 416) // whose content is a page about it
        tellHead();
}

void Transfer::tellHead()
{
    if (std::exchange(m_headTold, true))
        return;
    ReplyHead head = readHeadOf(*m_reply);
    head.linkedTag = m_linkedTag;
    emit headArrived(head);
}

void Transfer::readData()
{
    if (m_over || !m_reply || !m_reply->isOpen())
        return;
    const QByteArray data = m_reply->readAll();
    m_sinceTick += data.size();
    if (m_headTold && !data.isEmpty()) // else the page of a redirect or refusal
        emit dataArrived(data);
}

void Transfer::readEnd()
{
    readData();
    if (m_over)
        return;
    const QNetworkReply::NetworkError error = m_reply->error();
    if (isRedirect(m_status))
        return follow(m_reply->attribute(QNetworkRequest::RedirectionTargetAttribute).toUrl());
    if (m_status == 416) {
        tellHead();
        if (m_over)
            return;
        cancel();
        emit finished();
        return;
    }
    if (m_gate.offline() && error == QNetworkReply::OperationCanceledError)
        return fail({TransferFailure::Kind::Offline, tr("Fireside is offline"), 0, {}});
    if (m_status >= 300)
        return fail(failureOfStatus(*m_reply, m_status, !m_request.token.isEmpty()));
    if (error != QNetworkReply::NoError)
        return fail(failureOfError(*m_reply));
    if (!isSuccess(m_status))
        return fail({TransferFailure::Kind::Refused,
                     tr("%1 answers with HTTP %2").arg(m_reply->url().host()).arg(m_status),
                     m_status,
                     {}});
    cancel();
    emit finished();
}

void Transfer::follow(const QUrl &target)
{
    using Kind = TransferFailure::Kind;
    const QUrl from = m_reply->url(), to = from.resolved(target);
    if (!target.isValid() || to.host().isEmpty())
        return fail(
            {Kind::Refused, tr("%1 sends it on to nowhere").arg(from.host()), m_status, {}});
    if (++m_redirects > kMostRedirects)
        return fail(
            {Kind::Refused, tr("%1 sends it on without end").arg(from.host()), m_status, {}});
    if (from.scheme() == QLatin1String("https") && to.scheme() != QLatin1String("https"))
        return fail({Kind::Refused,
                     tr("%1 sends it on to an address without encryption").arg(from.host()),
                     m_status,
                     {}});
    disconnect(m_reply, nullptr, this, nullptr);
    std::exchange(m_reply, nullptr)->deleteLater();
    open(to);
}

void Transfer::fail(const TransferFailure &failure)
{
    cancel();
    emit failed(failure);
}

void Transfer::watchRate()
{
    if (std::exchange(m_sinceTick, 0) >= m_request.leastBytes)
        return;
    // What is held back because nobody reads it is no fault of the server's.
    if (m_reply && m_reply->bytesAvailable() > 0)
        return;
    fail({TransferFailure::Kind::Cut,
          tr("%1 sends nothing, or too slowly").arg(m_request.url.host()),
          0,
          {}});
}

} // namespace fireside
