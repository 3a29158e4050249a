#pragma once
#include <QByteArray>
#include <QList>
#include <QMap>
#include <QObject>
#include <QPair>
#include <QSslConfiguration>
#include <QString>
#include <QTcpServer>
#include <QUrl>

#include <functional>
#include <memory>
#include <optional>

class QTcpSocket;

namespace fireside::test {

/// What was asked of the server.
struct ServerRequest
{
    QByteArray method, path;              // with its query
    QMap<QByteArray, QByteArray> headers; // names in small letters
    QByteArray body;
    QByteArray header(const char *name) const { return headers.value(name); }
};

/// What the server says, true or not.
struct ServerAnswer
{
    int status = 200;
    QList<QPair<QByteArray, QByteArray>> headers; // Content-Length is added where it is not here
    QByteArray body;
    bool addLength = true;
    bool chunked = false;
    qint64 cutAfter = -1; // bytes of the body, then the connection breaks
    bool endless = false; // the body is repeated for ever
    qint64 dripBytes = 0; // so many every `dripMs`; 0: all at once
    int dripMs = 5;
    bool silent = false; // no answer at all
    bool closes = false; // the end of the connection is the end of the body
};

/// A server of this computer that answers as it is told.
class LyingServer : public QObject
{
    Q_OBJECT
public:
    using Handler = std::function<ServerAnswer(const ServerRequest &)>;

    /// With a certificate that nobody vouches for, where asked.
    explicit LyingServer(Handler handler, bool encrypted = false);

    QUrl url(const QString &path) const;
    const QList<ServerRequest> &requests() const { return m_requests; }
    qint64 bodyBytes() const { return m_bodyBytes; } // sent in all
    void setHandler(Handler handler) { m_handler = std::move(handler); }

private:
    void accept();
    void read(QTcpSocket *socket, QByteArray &pending);
    void answer(QTcpSocket *socket, const ServerAnswer &answer);

    Handler m_handler;
    std::unique_ptr<QTcpServer> m_server;
    QList<ServerRequest> m_requests;
    qint64 m_bodyBytes = 0;
    bool m_encrypted;
};

/// For the life of the object this program takes the encrypted server's certificate for a good one.
class TrustedByAll
{
public:
    TrustedByAll();
    ~TrustedByAll();
    TrustedByAll(const TrustedByAll &) = delete;
    TrustedByAll &operator=(const TrustedByAll &) = delete;

private:
    QSslConfiguration m_before;
};

/// An honest answer: ranges and If-Range are kept.
ServerAnswer fileAnswer(const ServerRequest &request, const QByteArray &content,
                        const QByteArray &tag = "\"one\"");
ServerAnswer statusAnswer(int status, QList<QPair<QByteArray, QByteArray>> headers = {});
/// The range of the request within `size` bytes; none: all is asked for.
std::optional<QPair<qint64, qint64>> askedRange(const ServerRequest &request, qint64 size);

} // namespace fireside::test
