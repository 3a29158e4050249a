#pragma once
#include "app/network/http_exchange.h"
#include "app/remote/event_reader.h"
#include "app/tools/mcp/server_config.h"
#include "app/tools/mcp/transport.h"

#include <QHash>
#include <QPointer>
#include <QTimer>
#include <QUrl>

#include <memory>
#include <vector>

namespace fireside {
class NetworkGate;
}

namespace fireside::auth {
class Authorizer;
}

namespace fireside::mcp {

/// A server at an address: each message is a request of HTTP, whose answer is a message or a stream
/// of them ("streamable HTTP"). With servers of a session: one more stream for what they say by
/// themselves, and streams that break are taken up where they ended. For servers of 2024-11-05: all
/// answers come over one stream, which says where to send to. What is refused for want of a sign-in
/// is held until there is one, and sent again.
class HttpTransport : public Transport
{
    Q_OBJECT
public:
    /// authorizer: nullptr: nobody signs in.
    HttpTransport(NetworkGate &gate, const McpServerConfig &config, auth::Authorizer *authorizer,
                  QObject *parent = nullptr);
    ~HttpTransport() override;

    void open() override;
    void send(const Outgoing &message) override;
    void abandon(qint64 id) override;
    void agree(const QString &version) override;
    void close() override;
    bool isRemote() const override { return true; }
    bool useOldStream() override;

private:
    /// What a request of HTTP is for.
    struct Purpose
    {
        qint64 id = 0;          // of JSON-RPC; 0: no answer is waited for
        bool listens = false;   // to what the server says by itself
        Outgoing message = {};  // that is sent; without a body: a stream is listened to
        QByteArray lastId = {}; // from where on
        int refusals = 0;       // for want of a sign-in
    };
    struct Run : Purpose
    {
        std::unique_ptr<HttpExchange> exchange;
        std::unique_ptr<EventReader> events; // where the answer is a stream
        QByteArray body;                     // where it is not
        QByteArray token;                    // that it carried
        bool answered = false;
    };
    struct Held : Purpose
    {
        SendFailure told; // where nobody signs in
        bool asksForIt;   // the server says how one signs in
    };

    void begin(ExchangeRequest request, Purpose purpose);
    void begin(Purpose purpose);
    bool holdBack(const Run &run, const ExchangeFailure &failure, const SendFailure &told);
    void goOn(bool again, const QString &why);
    /// message: nullptr: a stream is listened to, or the session ends.
    QList<QPair<QByteArray, QByteArray>> headersFor(const QByteArray &method, const QUrl &url,
                                                    const Outgoing *message) const;
    void takeHead(Run &run, const QByteArray &contentType);
    void takeData(Run &run, const QByteArray &data);
    void takeEvents(Run &run, const QList<ServerEvent> &events);
    void takeMessage(Run &run, const QByteArray &data);
    void takeEnd(Run &run);
    void takeFailure(Run &run, const ExchangeFailure &failure);
    void listen(const QByteArray &lastId, qint64 id);
    void resume(qint64 id, const QByteArray &lastId, int afterMs);
    void forget(const Run &run);
    bool isAlive(const Run &run) const;
    void giveUp(const Run &run);
    QString purpose() const;

    NetworkGate &m_gate;
    const McpServerConfig m_config;
    QUrl m_address, m_postAddress; // the latter differs with an old stream
    QString m_version;
    QByteArray m_session;
    std::vector<std::unique_ptr<Run>> m_runs;
    QHash<qint64, int> m_resumed; // how often
    const QPointer<auth::Authorizer> m_authorizer;
    QByteArray m_token; // the last one, for its goodbye; empty where it has to be proven
    std::vector<Held> m_held;
    bool m_oldStream = false, m_closed = false;
};

} // namespace fireside::mcp
