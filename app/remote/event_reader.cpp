#include "app/remote/event_reader.h"

#include <utility>

namespace fireside {

void EventReader::push(const QByteArray &bytes, QList<ServerEvent> &events)
{
    qsizetype from = 0;
    if (m_tooLong)
        return;
    for (qsizetype i = 0; i < bytes.size() && !m_tooLong; ++i) {
        const char c = bytes[i];
        if (std::exchange(m_afterCr, c == '\r') && c == '\n') { // one line end in two bytes
            from = i + 1;
            continue;
        }
        if (c != '\r' && c != '\n')
            continue;
        m_line.append(bytes.constData() + from, i - from);
        from = i + 1;
        takeLine(std::exchange(m_line, {}), events);
    }
    if (from < bytes.size())
        m_line.append(bytes.constData() + from, bytes.size() - from);
    m_tooLong = m_tooLong || heldBytes() > m_most;
    if (!m_tooLong)
        return;
    m_line = {}; // nothing is kept of what is not taken
    m_event = {};
    m_hasData = false;
}

void EventReader::finish(QList<ServerEvent> &events)
{
    if (!m_line.isEmpty() && !m_tooLong)
        takeLine(std::exchange(m_line, {}), events);
    takeEvent(events);
}

void EventReader::takeLine(QByteArray line, QList<ServerEvent> &events)
{
    if (!std::exchange(m_begun, true) && line.startsWith("\xEF\xBB\xBF"))
        line.remove(0, 3);
    if (line.isEmpty())
        return takeEvent(events);
    const qsizetype colon = line.indexOf(':');
    if (colon == 0)
        return; // a comment, which keeps the connection open
    const QByteArray field = colon < 0 ? line : line.left(colon);
    QByteArray value = colon < 0 ? QByteArray() : line.mid(colon + 1);
    if (value.startsWith(' '))
        value.remove(0, 1);
    if (field == "event") {
        m_event.name = value;
    } else if (field == "id" && !value.contains('\0')) {
        m_lastId = value;
    } else if (field == "retry") {
        bool isNumber = false;
        const int milliseconds = value.toInt(&isNumber);
        m_retryMs = isNumber && milliseconds >= 0 ? milliseconds : m_retryMs;
    } else if (field == "data" || field == "error") {
        if (field == "error") // llama.cpp did so
            m_event.name = field;
        if (std::exchange(m_hasData, true))
            m_event.data += '\n';
        m_event.data += value;
        m_tooLong = m_tooLong || m_event.data.size() > m_most;
    }
}

void EventReader::takeEvent(QList<ServerEvent> &events)
{
    if (std::exchange(m_hasData, false) && !m_tooLong)
        events.append(m_event);
    m_event = {};
}

} // namespace fireside
