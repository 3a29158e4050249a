#pragma once
#include <QByteArray>

#include <optional>

namespace fireside::mcp {

/// Lines out of a stream of bytes, of limited length. After a longer one it holds nothing and takes
/// nothing more.
class LineReader
{
public:
    explicit LineReader(qsizetype longest)
        : m_longest(longest)
    {}

    void push(const QByteArray &bytes)
    {
        if (!m_overlong)
            m_held += bytes;
    }
    /// The next complete line without its end.
    std::optional<QByteArray> next()
    {
        const qsizetype end = m_held.indexOf('\n', m_scanned);
        if ((end < 0 ? m_held.size() : end) - m_done > m_longest) {
            m_overlong = true;
            m_held = {};
            m_done = m_scanned = 0;
            return std::nullopt;
        }
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
    /// A line is longer than it may be; known once next() has returned nothing.
    bool overlong() const { return m_overlong; }
    qsizetype held() const { return m_held.size(); }

private:
    qsizetype m_longest;
    QByteArray m_held;
    qsizetype m_done = 0, m_scanned = 0;
    bool m_overlong = false;
};

} // namespace fireside::mcp
