#pragma once
#include "app/network/http_exchange.h"
#include "app/remote/event_reader.h"
#include "app/tools/mcp/server_config.h"
#include "app/tools/mcp/transport.h"

#include <QHash>
#include <QTimer>
#include <QUrl>

#include <memory>
#include <vector>

namespace fireside {
class NetworkGate;
}

namespace fireside::mcp {

/// A server at an address: each message is a request of HTTP, whose answer is a message or a stream
/// of them ("streamable HTTP"). With servers of a session: one more stream for what they say by
/// themselves, and streams that break are taken up where they ended. For servers of 2024-11-05: all
/// answers come over one stream, which says where to send to.
class HttpTransport : public Transport
{
    Q_OBJECT
public:
    HttpTransport(NetworkGate &gate, const McpServerConfig &config, QObject *parent = nullptr);
    ~HttpTransport() override;

    void open() override;
    void send(const Outgoing &message) override;
    void abandon(qint64 id) override;
    void agree(const QString &version) override;
    void close() override;
    bool isRemote() const override { return true; }
    bool useOldStream() override;

private:
    /// One request of HTTP, and what it is for.
    struct Run
    {
        std::unique_ptr<HttpExchange> exchange;
        std::unique_ptr<EventReader> events; // where the answer is a stream
        QByteArray body;                     // where it is not
        qint64 id = 0;                       // of JSON-RPC; 0: no answer is waited for
        bool listens = false;                // to what the server says by itself
        bool answered = false;
    };

    Run &begin(ExchangeRequest request, qint64 id);
    QList<QPair<QByteArray, QByteArray>> headersFor(const Outgoing *message) const;
    void takeHead(Run &run, const QByteArray &contentType);
    void takeData(Run &run, const QByteArray &data);
    void takeEvents(Run &run, const QList<ServerEvent> &events);
    void takeMessage(Run &run, const QByteArray &data);
    void takeEnd(Run &run);
    void takeFailure(Run &run, const ExchangeFailure &failure);
    void listen(const QByteArray &lastId, qint64 id);
    void resume(qint64 id, const QByteArray &lastId, int afterMs);
    void forget(const Run &run);
    QString purpose() const;

    NetworkGate &m_gate;
    const McpServerConfig m_config;
    QUrl m_address, m_postAddress; // the latter differs with an old stream
    QString m_version;
    QByteArray m_session;
    std::vector<std::unique_ptr<Run>> m_runs;
    QHash<qint64, int> m_resumed; // how often
    bool m_oldStream = false, m_closed = false;
};

} // namespace fireside::mcp
