#include "tests/downloads/lying_server.h"

#include <QSslCertificate>
#include <QSslKey>
#include <QSslServer>
#include <QTcpSocket>
#include <QTimer>

#include <algorithm>

#include <gtest/gtest.h>

namespace fireside::test {
namespace {

// For 127.0.0.1, signed by itself, and good until 2126.
const char kCertificate[] = R"(-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUb3dJBUwON4g6QfFvD01/gLtX2egwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyNDAwMjAwMloYDzIxMjYxMDMx
MDAyMDAyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATi7I5bUbZNCHfgg0GGlWUcxejqqE9D4i4i6++8KdHxQYMae15ZZg1G
wwZh4qgI8LBVlJhjXVZHu3/ABAEvntw9o28wbTAdBgNVHQ4EFgQU0YYmKsdHHIeS
N9I2hq1gy7fNYtAwHwYDVR0jBBgwFoAU0YYmKsdHHIeSN9I2hq1gy7fNYtAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSQAwRgIhAINxGI/8RljgaKp5jMYvxYEN9IrVNhZFH+A48ft8ZMCmAiEA
8mNxQ2qnkrRD/CXJVkAU3qVErA44MXsULe84zuDimN4=
-----END CERTIFICATE-----
)";
const char kKey[] = R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIF2HZt0HOurIqpSzguporp9DCnFAcletA21/k2JXbvYVoAoGCCqGSM49
AwEHoUQDQgAE4uyOW1G2TQh34INBhpVlHMXo6qhPQ+IuIuvvvCnR8UGDGnteWWYN
RsMGYeKoCPCwVZSYY11WR7t/wAQBL57cPQ==
-----END EC PRIVATE KEY-----
)";

QByteArray headOf(const ServerAnswer &answer)
{
    QByteArray head = "HTTP/1.1 " + QByteArray::number(answer.status) + " Said\r\n";
    bool hasLength = !answer.addLength || answer.chunked || answer.endless || answer.closes;
    for (const auto &[name, value] : answer.headers) {
        head += name + ": " + value + "\r\n";
        hasLength = hasLength || name.toLower() == "content-length";
    }
    if (!hasLength)
        head += "Content-Length: " + QByteArray::number(answer.body.size()) + "\r\n";
    if (answer.chunked)
        head += "Transfer-Encoding: chunked\r\n";
    if (answer.closes)
        head += "Connection: close\r\n";
    return head + "\r\n";
}

QByteArray inChunks(const QByteArray &body)
{
    constexpr qsizetype kChunk = 10'000;
    QByteArray result;
    for (qsizetype at = 0; at < body.size(); at += kChunk) {
        const QByteArray piece = body.mid(at, kChunk);
        result += QByteArray::number(piece.size(), 16) + "\r\n" + piece + "\r\n";
    }
    return result + "0\r\n\r\n";
}

} // namespace

LyingServer::LyingServer(Handler handler, bool encrypted)
    : m_handler(std::move(handler))
    , m_encrypted(encrypted)
{
    if (encrypted) {
        auto server = std::make_unique<QSslServer>();
        QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
        configuration.setLocalCertificate(QSslCertificate(QByteArray(kCertificate)));
        configuration.setPrivateKey(QSslKey(QByteArray(kKey), QSsl::Ec));
        configuration.setPeerVerifyMode(QSslSocket::VerifyNone);
        server->setSslConfiguration(configuration);
        m_server = std::move(server);
    } else {
        m_server = std::make_unique<QTcpServer>();
    }
    EXPECT_TRUE(m_server->listen(QHostAddress::LocalHost));
    connect(m_server.get(), &QTcpServer::pendingConnectionAvailable, this, &LyingServer::accept);
}

QUrl LyingServer::url(const QString &path) const
{
    QUrl url;
    url.setScheme(m_encrypted ? QStringLiteral("https") : QStringLiteral("http"));
    url.setHost(QStringLiteral("127.0.0.1"));
    url.setPort(m_server->serverPort());
    url.setPath(path);
    return url;
}

void LyingServer::accept()
{
    while (QTcpSocket *socket = m_server->nextPendingConnection()) {
        const auto pending = std::make_shared<QByteArray>();
        connect(socket, &QTcpSocket::readyRead, this,
                [this, socket, pending] { read(socket, *pending); });
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        read(socket, *pending);
    }
}

void LyingServer::read(QTcpSocket *socket, QByteArray &pending)
{
    pending += socket->readAll();
    for (qsizetype end; (end = pending.indexOf("\r\n\r\n")) >= 0;) {
        const QList<QByteArray> lines = pending.left(end).split('\n');
        ServerRequest request;
        request.method = lines.first().split(' ').value(0);
        request.path = lines.first().split(' ').value(1);
        for (const QByteArray &line : lines.mid(1)) {
            const qsizetype colon = line.indexOf(':');
            request.headers.insert(line.left(colon).trimmed().toLower(),
                                   line.mid(colon + 1).trimmed());
        }
        const qsizetype length = request.header("content-length").toLongLong();
        if (pending.size() < end + 4 + length)
            return;
        request.body = pending.mid(end + 4, length);
        pending.remove(0, end + 4 + length);
        m_requests.append(request);
        answer(socket, m_handler(request));
    }
}

void LyingServer::answer(QTcpSocket *socket, const ServerAnswer &answer)
{
    if (answer.silent)
        return;
    socket->write(headOf(answer));
    if (answer.endless) {
        const auto more = [this, socket, body = answer.body] {
            for (; socket->bytesToWrite() < 1 << 20; m_bodyBytes += body.size())
                socket->write(body);
        };
        connect(socket, &QTcpSocket::bytesWritten, socket, more);
        more();
        return;
    }
    QByteArray body = answer.chunked ? inChunks(answer.body) : answer.body;
    const bool cuts = answer.cutAfter >= 0;
    if (cuts)
        body.truncate(answer.cutAfter);
    const bool closes = cuts || answer.closes;
    if (answer.dripBytes > 0) {
        auto *timer = new QTimer(socket);
        const auto rest = std::make_shared<QByteArray>(body);
        connect(timer, &QTimer::timeout, socket, [this, socket, timer, rest, closes, answer] {
            const QByteArray piece = rest->left(answer.dripBytes);
            rest->remove(0, piece.size());
            socket->write(piece);
            m_bodyBytes += piece.size();
            if (!rest->isEmpty())
                return;
            timer->deleteLater();
            if (closes)
                socket->disconnectFromHost();
        });
        timer->start(answer.dripMs);
        return;
    }
    socket->write(body);
    m_bodyBytes += body.size();
    if (closes)
        socket->disconnectFromHost(); // after everything was sent
}

TrustedByAll::TrustedByAll()
    : m_before(QSslConfiguration::defaultConfiguration())
{
    QSslConfiguration trusting = m_before;
    trusting.addCaCertificate(QSslCertificate(QByteArray(kCertificate)));
    QSslConfiguration::setDefaultConfiguration(trusting);
}

TrustedByAll::~TrustedByAll()
{
    QSslConfiguration::setDefaultConfiguration(m_before);
}

std::optional<QPair<qint64, qint64>> askedRange(const ServerRequest &request, qint64 size)
{
    const QByteArray range = request.header("range");
    if (!range.startsWith("bytes="))
        return std::nullopt;
    const QList<QByteArray> ends = range.mid(6).split('-');
    return QPair<qint64, qint64>(ends[0].toLongLong(),
                                 std::min(size, ends.value(1).toLongLong() + 1));
}

ServerAnswer statusAnswer(int status, QList<QPair<QByteArray, QByteArray>> headers)
{
    ServerAnswer answer;
    answer.status = status;
    answer.headers = std::move(headers);
    answer.body = "<html>a page about it</html>";
    return answer;
}

ServerAnswer fileAnswer(const ServerRequest &request, const QByteArray &content,
                        const QByteArray &tag)
{
    ServerAnswer answer;
    if (!tag.isEmpty())
        answer.headers.emplaceBack("ETag", tag);
    auto range = askedRange(request, content.size());
    const QByteArray condition = request.header("if-range");
    if (!condition.isEmpty() && condition != tag)
        range.reset();
    if (!range) {
        answer.body = content;
        return answer;
    }
    const QByteArray size = QByteArray::number(content.size());
    if (range->first >= content.size()) {
        answer.status = 416;
        answer.headers.emplaceBack("Content-Range", "bytes */" + size);
        return answer;
    }
    answer.status = 206;
    answer.headers.emplaceBack("Content-Range", "bytes " + QByteArray::number(range->first) + '-' +
                                                    QByteArray::number(range->second - 1) + '/' +
                                                    size);
    answer.body = content.mid(range->first, range->second - range->first);
    return answer;
}

} // namespace fireside::test
