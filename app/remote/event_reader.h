#pragma once
#include <QByteArray>
#include <QList>

namespace fireside {

/// One message of a stream of server-sent events.
struct ServerEvent
{
    QByteArray
        name; // of its `event:`, or "error" where a server writes it as a field; mostly empty
    QByteArray data; // lines joined by \n
    bool operator==(const ServerEvent &) const = default;
};

/// Cuts a stream into events (WHATWG, server-sent events), however it arrives: any line ends, any
/// pieces, comments left out.
class EventReader
{
public:
    explicit EventReader(qsizetype mostBytes = 8 << 20)
        : m_most(mostBytes)
    {}

    void push(const QByteArray &bytes, QList<ServerEvent> &events);
    /// The end of the stream: the last event may lack its empty line.
    void finish(QList<ServerEvent> &events);
    /// An event, or a line, is longer than it may be; nothing follows.
    bool tooLong() const { return m_tooLong; }
    /// Of lines and an event that have not ended.
    qsizetype heldBytes() const { return m_line.size() + m_event.data.size(); }
    /// Milliseconds until one may connect again, as the server wants it (`retry:`); −1: it does not
    /// say.
    int retryMs() const { return m_retryMs; }
    /// Of the last event that had one, also of one without data.
    const QByteArray &lastId() const { return m_lastId; }

private:
    void takeLine(QByteArray line, QList<ServerEvent> &events);
    void takeEvent(QList<ServerEvent> &events);

    const qsizetype m_most;
    QByteArray m_line;
    ServerEvent m_event;
    QByteArray m_lastId;
    int m_retryMs = -1;
    bool m_hasData = false, m_afterCr = false, m_begun = false, m_tooLong = false;
};

} // namespace fireside
