#include "app/network/loopback_listener.h"

#include <QHostAddress>
#include <QTcpSocket>
#include <QTimer>

#include <utility>

namespace fireside {
namespace {

constexpr qint64 kLongestHead = 32 << 10;
constexpr int kMostSockets = 16;
constexpr int kPatienceMs = 10'000;

} // namespace

LoopbackListener::LoopbackListener(Answer answer, QObject *parent)
    : QObject(parent)
    , m_answer(std::move(answer))
{
    m_server.setMaxPendingConnections(kMostSockets);
    connect(&m_server, &QTcpServer::newConnection, this, &LoopbackListener::take);
}

bool LoopbackListener::listen(quint16 wanted)
{
    return (wanted != 0 && m_server.listen(QHostAddress::LocalHost, wanted)) ||
           m_server.listen(QHostAddress::LocalHost, 0);
}

void LoopbackListener::take()
{
    while (QTcpSocket *const socket = m_server.nextPendingConnection()) {
        socket->setParent(this);
        if (findChildren<QTcpSocket *>(Qt::FindDirectChildrenOnly).size() > kMostSockets) {
            socket->abort();
            socket->deleteLater();
            continue;
        }
        socket->setReadBufferSize(kLongestHead); // what is sent beyond it is not kept
        connect(socket, &QTcpSocket::readyRead, this, [this, socket] { read(socket); });
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        QTimer::singleShot(kPatienceMs, socket, [socket] {
            socket->abort();
            socket->deleteLater();
        });
    }
}

void LoopbackListener::read(QTcpSocket *socket)
{
    const QByteArray head = socket->peek(kLongestHead);
    const qsizetype end = head.indexOf("\r\n\r\n");
    if (end < 0) {
        if (head.size() >= kLongestHead)
            socket->abort();
        return;
    }
    disconnect(socket, &QTcpSocket::readyRead, this, nullptr);
    socket->readAll();
    const QList<QByteArray> lines = head.left(end).split('\n');
    const QList<QByteArray> words = lines.first().trimmed().split(' ');
    QByteArray host;
    for (const QByteArray &line : lines)
        if (line.toLower().startsWith("host:"))
            host = line.mid(5).trimmed().toLower();
    // Pages elsewhere can make a browser ask under a name of their own.
    const QByteArray port = QByteArray::number(m_server.serverPort());
    const bool here = host == "127.0.0.1:" + port || host == "localhost:" + port;
    if (!here || words.size() != 3 || words[0] != "GET" || !words[1].startsWith('/'))
        return reply(socket, {400, {}, {}});
    reply(socket, m_answer(words[1]));
}

void LoopbackListener::reply(QTcpSocket *socket, const Page &page)
{
    const QByteArray body =
        QStringLiteral("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>%1</title></head>"
                       "<body style=\"font-family:sans-serif;max-width:34em;margin:4em auto\">"
                       "<h1>%1</h1><p>%2</p></body></html>\n")
            .arg(page.title.toHtmlEscaped(), page.text.toHtmlEscaped())
            .toUtf8();
    const QByteArray state = page.status == 200   ? "200 OK"
                             : page.status == 404 ? "404 Not Found"
                                                  : "400 Bad Request";
    socket->write("HTTP/1.1 " + state +
                  "\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " +
                  QByteArray::number(body.size()) +
                  "\r\nContent-Security-Policy: default-src 'none'; style-src 'unsafe-inline'"
                  "\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store"
                  "\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n" +
                  body);
    socket->disconnectFromHost();
}

} // namespace fireside
