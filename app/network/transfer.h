#pragma once
#include "app/network/reply_head.h"

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QUrl>

#include <chrono>
#include <optional>

class QNetworkReply;

namespace fireside {

class NetworkGate;

/// What is asked of a server.
struct TransferRequest
{
    QUrl url;
    QString purpose;                // as the list of connections names it
    QByteArray token;               // of access; empty: none
    std::optional<ByteRange> range; // of the file; none: all of it
    QByteArray validator;           // the range is wanted of this version only (If-Range)
    bool packed = false;            // whether it may come compressed, and is unpacked then
    std::chrono::milliseconds patience{30'000};
    qint64 leastBytes = 1; // within `patience`, or the transfer counts as cut
};

/// One file or part of it over HTTP: follows redirects within limits (https stays https, the token
/// goes to its own host only), and says in words why nothing comes.
class Transfer : public QObject
{
    Q_OBJECT
public:
    Transfer(NetworkGate &gate, TransferRequest request, QObject *parent = nullptr);
    ~Transfer() override; // ends it without a signal

    void start();
    void cancel(); // no signal follows

signals:
    /// Once, before the data: of a reply 200, 206 or 416.
    void headArrived(const fireside::ReplyHead &head);
    void dataArrived(const QByteArray &data);
    void finished();
    void failed(const fireside::TransferFailure &failure);

private:
    void open(const QUrl &url);
    void readHead();
    void tellHead();
    void readData();
    void readEnd();
    void follow(const QUrl &target);
    void fail(const TransferFailure &failure);
    void watchRate();
    bool mayCarryToken(const QUrl &url) const;

    NetworkGate &m_gate;
    const TransferRequest m_request;
    QPointer<QNetworkReply> m_reply;
    QTimer m_clock;
    qint64 m_sinceTick = 0;
    int m_redirects = 0;
    int m_status = 0;
    QByteArray m_linkedTag; // X-Linked-ETag of a redirect
    bool m_headTold = false, m_over = false;
};

} // namespace fireside
