#pragma once
#include <QByteArray>
#include <QList>
#include <QObject>
#include <QPair>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QUrl>

#include <chrono>

class QNetworkReply;

namespace fireside {

class NetworkGate;

/// One question to a server's interface.
struct ExchangeRequest
{
    QUrl url;
    QString purpose;      // as the list of connections names it
    bool post = false;    // else the answer to a GET
    bool remove = false;  // a DELETE
    QByteArray body = {}; // posted
    QByteArray contentType = "application/json";
    QList<QPair<QByteArray, QByteArray>> headers = {};
    std::chrono::milliseconds firstPatience{30'000}; // until the answer begins
    std::chrono::milliseconds patience{30'000};      // between two pieces of it
    qint64 mostBytes = 16 << 20;                     // of the answer
};

struct ExchangeFailure
{
    enum class Kind {
        Offline,     // the program may not connect
        Unreachable, // no connection, or it broke before the answer began
        TimedOut,
        Untrusted, // TLS
        Cut,       // in the middle of the answer
        Status,    // an answer that is no success
        Foreign,   // no HTTP, a redirect, without end
    };
    Kind kind = Kind::Unreachable;
    QString text;                       // a clause; of a Status empty
    int status = 0;                     // of HTTP; 0: none came
    QByteArray body;                    // of a Status, the beginning at most
    std::chrono::seconds retryAfter{0}; // what the server asks for
    QByteArray challenge = {};          // WWW-Authenticate: how it wants to be asked
    QByteArray nonce = {};              // DPoP-Nonce: for the next proof (RFC 9449, 8)
};

/// Asks a server once, and hands its answer on as it comes. Redirects are not followed: what is
/// asked, and its key, go to nobody but the server that was named.
class HttpExchange : public QObject
{
    Q_OBJECT
public:
    HttpExchange(NetworkGate &gate, ExchangeRequest request, QObject *parent = nullptr);
    ~HttpExchange() override; // ends it without a signal

    void start();
    void cancel(); // no signal follows
    /// A header of the answer, once it has begun.
    QByteArray header(const char *name) const;

signals:
    void headArrived(const QByteArray &contentType); // of a success
    void dataArrived(const QByteArray &data);
    void finished();
    void failed(const fireside::ExchangeFailure &failure);

private:
    void open();
    void readHead();
    void readData();
    void readEnd();
    void fail(ExchangeFailure failure);
    ExchangeFailure redirected() const;
    ExchangeFailure broken() const;
    bool succeeds() const { return m_status >= 200 && m_status < 300; }

    NetworkGate &m_gate;
    const ExchangeRequest m_request;
    QPointer<QNetworkReply> m_reply;
    QTimer m_clock;
    int m_status = 0;
    qint64 m_bytes = 0;
    QByteArray m_refusal; // body of what is no success
    QString m_tlsProblem;
    bool m_over = false;
};

} // namespace fireside
