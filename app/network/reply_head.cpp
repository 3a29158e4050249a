#include "app/network/reply_head.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QNetworkReply>
#include <QRegularExpression>

#include <algorithm>

namespace fireside {
namespace {

struct NetworkTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::Network)
};

/// Foreign text in a sentence of ours: short and on one line.
QString shortened(const QByteArray &text)
{
    constexpr qsizetype kLongest = 200;
    QString line = QString::fromUtf8(text).simplified();
    line.removeIf([](QChar c) { return !c.isPrint(); });
    return line.size() <= kLongest ? line : line.left(kLongest) + QChar(0x2026);
}

QByteArray validatorOf(const QNetworkReply &reply)
{
    const QByteArray tag = reply.rawHeader("ETag").trimmed();
    if (!tag.isEmpty() && !tag.startsWith("W/")) // a weak one does not say that bytes are the same
        return tag;
    return reply.rawHeader("Last-Modified").trimmed();
}

QString deniedText(const QByteArray &code, bool withToken)
{
    if (code == "GatedRepo")
        return withToken ? NetworkTexts::tr("its authors let only those have it who accepted its "
                                            "terms: do so on its page, then try again")
                         : NetworkTexts::tr("its authors let only those have it who accepted its "
                                            "terms: do so on its page and give Fireside an access "
                                            "token");
    if (code == "RepoNotFound" || !withToken)
        return withToken ? NetworkTexts::tr("there is no such repository, or the access token may "
                                            "not read it")
                         : NetworkTexts::tr("there is no such repository, or it needs an access "
                                            "token");
    return NetworkTexts::tr("the server does not accept the access token");
}

} // namespace

std::optional<ContentRange> parseContentRange(const QByteArray &value)
{
    static const QRegularExpression form(
        QStringLiteral("^\\s*bytes\\s+(?:(\\d{1,18})-(\\d{1,18})|\\*)/(?:(\\d{1,18})|\\*)\\s*$"));
    const QRegularExpressionMatch match = form.match(QString::fromLatin1(value));
    if (!match.hasMatch())
        return std::nullopt;
    ContentRange result;
    if (match.hasCaptured(3))
        result.total = match.captured(3).toLongLong();
    if (match.hasCaptured(1)) {
        const ByteRange range{match.captured(1).toLongLong(), match.captured(2).toLongLong() + 1};
        if (range.size() <= 0 || (result.total && range.end > *result.total))
            return std::nullopt;
        result.range = range;
    }
    return result;
}

std::chrono::seconds parseRetryAfter(const QByteArray &value)
{
    bool isNumber = false;
    const int number = value.trimmed().toInt(&isNumber);
    if (isNumber)
        return std::chrono::seconds(std::max(0, number));
    const QDateTime date =
        QDateTime::fromString(QString::fromLatin1(value.trimmed()), Qt::RFC2822Date);
    if (!date.isValid())
        return {};
    return std::chrono::seconds(std::max<qint64>(0, QDateTime::currentDateTimeUtc().secsTo(date)));
}

ReplyHead readHeadOf(const QNetworkReply &reply)
{
    ReplyHead head;
    head.status = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    bool isNumber = false;
    const qint64 length = reply.rawHeader("Content-Length").trimmed().toLongLong(&isNumber);
    if (isNumber && length >= 0)
        head.length = length;
    if (const auto range = parseContentRange(reply.rawHeader("Content-Range"))) {
        head.range = range->range;
        head.total = range->total;
    }
    static const QRegularExpression next(QStringLiteral("<([^>]*)>\\s*;\\s*rel=\"?next\"?"));
    const auto link = next.match(QString::fromUtf8(reply.rawHeader("Link")));
    if (link.hasMatch())
        head.next = reply.url().resolved(QUrl(link.captured(1)));
    head.validator = validatorOf(reply);
    const QByteArray encoding = reply.rawHeader("Content-Encoding").trimmed().toLower();
    if (!encoding.isEmpty() && encoding != "identity")
        head.encoding = shortened(encoding);
    head.endIsMarked =
        head.length || reply.rawHeader("Transfer-Encoding").toLower().contains("chunked");
    return head;
}

TransferFailure failureOfStatus(const QNetworkReply &reply, int status, bool withToken)
{
    TransferFailure failure{TransferFailure::Kind::Refused, {}, status, {}};
    const QByteArray code = reply.rawHeader("X-Error-Code");
    const QString host = reply.url().host();
    switch (status) {
    case 401:
    case 403:
        failure.text = deniedText(code, withToken);
        return failure;
    case 404:
    case 410:
        failure.text =
            code == "RepoNotFound"
                ? deniedText(code, withToken)
                : NetworkTexts::tr("%1 has no such file (HTTP %2)").arg(host).arg(status);
        return failure;
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
        failure.kind = TransferFailure::Kind::Cut;
        failure.retryAfter = parseRetryAfter(reply.rawHeader("Retry-After"));
        failure.text = status == 429
                           ? NetworkTexts::tr("%1 wants fewer requests (HTTP 429)").arg(host)
                           : NetworkTexts::tr("%1 is out of order (HTTP %2)").arg(host).arg(status);
        return failure;
    default:
        break;
    }
    failure.text = NetworkTexts::tr("%1 refuses it (HTTP %2)").arg(host).arg(status);
    if (const QString words = shortened(reply.rawHeader("X-Error-Message")); !words.isEmpty())
        failure.text = NetworkTexts::tr("%1: %2").arg(failure.text, words);
    return failure;
}

TransferFailure failureOfError(const QNetworkReply &reply)
{
    using Kind = TransferFailure::Kind;
    const QString host = reply.url().host();
    switch (reply.error()) {
    case QNetworkReply::SslHandshakeFailedError:
        return {Kind::Refused,
                NetworkTexts::tr("the identity of %1 cannot be trusted: %2")
                    .arg(host, shortened(reply.errorString().toUtf8())),
                0,
                {}};
    case QNetworkReply::HostNotFoundError:
        return {Kind::Cut,
                NetworkTexts::tr("%1 is not found: is there a connection?").arg(host),
                0,
                {}};
    case QNetworkReply::ConnectionRefusedError:
        return {
            Kind::Cut,
            NetworkTexts::tr("%1 refuses the connection: the server may not be running").arg(host),
            0,
            {}};
    case QNetworkReply::RemoteHostClosedError:
        return {Kind::Cut, NetworkTexts::tr("%1 cut the connection").arg(host), 0, {}};
    case QNetworkReply::ProtocolUnknownError:
    case QNetworkReply::ProtocolInvalidOperationError:
    case QNetworkReply::ProtocolFailure:
        return {Kind::Refused, NetworkTexts::tr("%1 does not speak HTTP").arg(host), 0, {}};
    default:
        return {Kind::Cut,
                NetworkTexts::tr("the connection to %1 failed: %2")
                    .arg(host, shortened(reply.errorString().toUtf8())),
                0,
                {}};
    }
}

} // namespace fireside
