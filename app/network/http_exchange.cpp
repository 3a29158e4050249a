#include "app/network/http_exchange.h"

#include "app/network/network_gate.h"
#include "app/network/reply_head.h"

#include <QNetworkReply>
#include <QNetworkRequest>
#include <QSslError>

#include <utility>

namespace fireside {
namespace {

constexpr qint64 kBufferedAnswer = 1 << 20; // held of what was received and is not read yet
constexpr qsizetype kMostRefusal = 64 << 10, kLongestNonce = 1024;

bool leadsElsewhere(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Several servers of a computer are told apart.
QString hostWithPort(const QUrl &url)
{
    return url.port() < 0 ? url.host() : QStringLiteral("%1:%2").arg(url.host()).arg(url.port());
}

} // namespace

HttpExchange::HttpExchange(NetworkGate &gate, ExchangeRequest request, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_request(std::move(request))
{
    m_clock.setSingleShot(true);
    connect(&m_clock, &QTimer::timeout, this, [this] {
        const QString host = hostWithPort(m_request.url);
        const auto seconds = m_clock.interval() / 1000;
        fail({ExchangeFailure::Kind::TimedOut,
              m_status == 0 ? tr("%1 has not answered for %2 s").arg(host).arg(seconds)
                            : tr("%1 has sent nothing for %2 s").arg(host).arg(seconds),
              m_status,
              {},
              {}});
    });
}

HttpExchange::~HttpExchange()
{
    cancel();
}

void HttpExchange::start()
{
    // Later, so that no signal comes out of this call.
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!m_over)
                open();
        },
        Qt::QueuedConnection);
}

void HttpExchange::cancel()
{
    m_over = true;
    m_clock.stop();
    if (QNetworkReply *reply = std::exchange(m_reply, nullptr)) {
        disconnect(reply, nullptr, this, nullptr);
        reply->abort();
        reply->deleteLater();
    }
}

QByteArray HttpExchange::header(const char *name) const
{
    return m_reply ? m_reply->rawHeader(name) : QByteArray();
}

void HttpExchange::open()
{
    const QString scheme = m_request.url.scheme();
    if ((scheme != QLatin1String("https") && scheme != QLatin1String("http")) ||
        m_request.url.host().isEmpty())
        return fail({ExchangeFailure::Kind::Foreign,
                     tr("only https and http addresses can be used"),
                     0,
                     {},
                     {}});
    QNetworkRequest request(m_request.url);
    request.setRawHeader("Accept", "application/json, text/event-stream");
    request.setRawHeader("Accept-Encoding", "identity");
    if (m_request.post)
        request.setHeader(QNetworkRequest::ContentTypeHeader,
                          QString::fromLatin1(m_request.contentType));
    for (const auto &[name, value] : m_request.headers)
        request.setRawHeader(name, value);
    m_reply = m_request.post     ? m_gate.post(request, m_request.body, m_request.purpose)
              : m_request.remove ? m_gate.remove(request, m_request.purpose)
                                 : m_gate.get(request, m_request.purpose);
    if (!m_reply)
        return fail({ExchangeFailure::Kind::Offline, tr("Fireside is offline"), 0, {}, {}});
    m_reply->setReadBufferSize(kBufferedAnswer);
    connect(m_reply, &QNetworkReply::metaDataChanged, this, &HttpExchange::readHead);
    connect(m_reply, &QNetworkReply::readyRead, this, &HttpExchange::readData);
    connect(m_reply, &QNetworkReply::finished, this, &HttpExchange::readEnd);
    connect(m_reply, &QNetworkReply::sslErrors, this, [this](const QList<QSslError> &errors) {
        if (!errors.isEmpty() && m_tlsProblem.isEmpty())
            m_tlsProblem = errors.first().errorString();
    });
    m_clock.start(m_request.firstPatience);
}

void HttpExchange::readHead()
{
    if (m_over || m_status != 0)
        return;
    m_status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    m_clock.start(m_request.patience);
    if (succeeds())
        emit headArrived(m_reply->rawHeader("Content-Type").toLower());
}

void HttpExchange::readData()
{
    if (m_over || !m_reply || !m_reply->isOpen())
        return;
    readHead();
    if (m_over)
        return;
    const QByteArray data = m_reply->readAll();
    if (data.isEmpty())
        return;
    m_clock.start(m_request.patience);
    if (!succeeds()) {
        m_refusal += data.left(kMostRefusal - m_refusal.size());
        if (m_refusal.size() >= kMostRefusal)
            readEnd(); // whatever else it says
        return;
    }
    m_bytes += data.size();
    if (m_bytes > m_request.mostBytes)
        return fail({ExchangeFailure::Kind::Foreign,
                     tr("the answer of %1 does not end (%2 MB so far)")
                         .arg(hostWithPort(m_request.url))
                         .arg(m_bytes >> 20),
                     m_status,
                     {},
                     {}});
    emit dataArrived(data);
}

void HttpExchange::readEnd()
{
    if (m_refusal.size() < kMostRefusal)
        readData();
    if (m_over)
        return;
    const QNetworkReply::NetworkError error = m_reply->error();
    if (m_gate.offline() && error == QNetworkReply::OperationCanceledError)
        return fail({ExchangeFailure::Kind::Offline, tr("Fireside is offline"), 0, {}, {}});
    if (leadsElsewhere(m_status))
        return fail(redirected());
    if (m_status != 0 && !succeeds())
        return fail({ExchangeFailure::Kind::Status,
                     {},
                     m_status,
                     m_refusal,
                     parseRetryAfter(m_reply->rawHeader("Retry-After")),
                     m_reply->rawHeader("WWW-Authenticate").left(kMostRefusal),
                     m_reply->rawHeader("DPoP-Nonce").left(kLongestNonce)});
    if (error != QNetworkReply::NoError || m_status == 0)
        return fail(broken());
    cancel();
    emit finished();
}

ExchangeFailure HttpExchange::redirected() const
{
    const QUrl to = m_reply->url().resolved(
        m_reply->attribute(QNetworkRequest::RedirectionTargetAttribute).toUrl());
    const QString where = to.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery).left(200);
    return {ExchangeFailure::Kind::Foreign,
            tr("%1 sends requests on to %2, where nothing is sent unasked: if that is right, "
               "enter that address")
                .arg(hostWithPort(m_request.url), where),
            m_status,
            {},
            {}};
}

/// What an error below HTTP means.
ExchangeFailure HttpExchange::broken() const
{
    using Kind = ExchangeFailure::Kind;
    ExchangeFailure failure;
    failure.status = m_status;
    failure.text = failureOfError(*m_reply).text;
    const QString host = m_request.url.host();
    if (const qsizetype at = failure.text.indexOf(host); at >= 0)
        failure.text.replace(at, host.size(), hostWithPort(m_request.url));
    switch (m_reply->error()) {
    case QNetworkReply::SslHandshakeFailedError:
        failure.kind = Kind::Untrusted;
        if (!m_tlsProblem.isEmpty())
            failure.text = tr("the identity of %1 cannot be trusted: %2")
                               .arg(hostWithPort(m_request.url), m_tlsProblem);
        break;
    case QNetworkReply::ProtocolUnknownError:
    case QNetworkReply::ProtocolInvalidOperationError:
    case QNetworkReply::ProtocolFailure:
        failure.kind = Kind::Foreign;
        break;
    default:
        failure.kind = m_status == 0 ? Kind::Unreachable : Kind::Cut;
    }
    return failure;
}

void HttpExchange::fail(ExchangeFailure failure)
{
    cancel();
    emit failed(failure);
}

} // namespace fireside
