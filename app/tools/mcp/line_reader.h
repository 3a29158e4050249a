#pragma once
#include <QByteArray>

#include <optional>

namespace fireside::mcp {

/// Lines out of a stream of bytes, of limited length.
class LineReader
{
public:
    explicit LineReader(qsizetype longest)
        : m_longest(longest)
    {}

    void push(const QByteArray &bytes) { m_held += bytes; }
    /// The next whole line without its end.
    std::optional<QByteArray> next()
    {
        const qsizetype end = m_held.indexOf('\n', m_scanned);
        if (end < 0) {
            m_held.remove(0, m_done);
            m_done = 0;
            m_scanned = m_held.size();
            return std::nullopt;
        }
        QByteArray line = m_held.mid(m_done, end - m_done);
        m_done = m_scanned = end + 1;
        if (line.endsWith('\r'))
            line.chop(1);
        return line;
    }
    /// What waits for its end is longer than a line may be.
    bool overlong() const { return m_held.size() - m_done > m_longest; }

private:
    qsizetype m_longest;
    QByteArray m_held;
    qsizetype m_done = 0, m_scanned = 0;
};

} // namespace fireside::mcp
