#include "ui/math/formula_finder.h"

#include "ui/math/formula.h"

#include <algorithm>

namespace fireside {

namespace {

class FormulaFinder
{
public:
    explicit FormulaFinder(QStringView text)
        : m_text(text)
    {}

    QList<FoundFormula> find()
    {
        while (m_at < m_text.size()) {
            const QChar c = m_text[m_at];
            if (c == QLatin1Char('`') || c == QLatin1Char('~'))
                skipCode();
            else if (c == QLatin1Char('\\'))
                backslash();
            else if (c == QLatin1Char('$'))
                dollar();
            else
                ++m_at;
        }
        return m_found;
    }

private:
    bool atLineStart(qsizetype at) const
    {
        while (at > 0 && (m_text[at - 1].isSpace() || m_text[at - 1] == QLatin1Char('>')) &&
               m_text[at - 1] != QLatin1Char('\n'))
            --at;
        return at == 0 || m_text[at - 1] == QLatin1Char('\n');
    }

    qsizetype runAt(qsizetype at) const
    {
        const QChar mark = m_text[at];
        qsizetype end = at;
        while (end < m_text.size() && m_text[end] == mark)
            ++end;
        return end - at;
    }

    /// A fenced block up to its last line, or a code span; a mark that opens neither is text.
    void skipCode()
    {
        const QChar mark = m_text[m_at];
        const qsizetype run = runAt(m_at);
        const bool fence = run >= 3 && startsFence();
        if (mark == QLatin1Char('~') && !fence) {
            m_at += run;
            return;
        }
        for (qsizetype at = m_at + run; at < m_text.size();) {
            if (m_text[at] != mark) {
                if (!fence && m_text[at] == QLatin1Char('\n') && blankLineAt(at))
                    break;
                ++at;
                continue;
            }
            const qsizetype other = runAt(at);
            if (fence ? other >= run && atLineStart(at) : other == run) {
                m_at = at + other;
                return;
            }
            at += other;
        }
        m_at = fence ? m_text.size() : m_at + run;
    }

    /// A list's mark may stand before a fence, too.
    bool startsFence() const
    {
        qsizetype at = m_at;
        while (at > 0 && m_text[at - 1] != QLatin1Char('\n'))
            --at;
        for (; at < m_at; ++at) {
            const QChar c = m_text[at];
            if (!c.isSpace() && !c.isDigit() && !QStringView(u">-*+.)").contains(c))
                return false;
        }
        return true;
    }

    bool blankLineAt(qsizetype newline) const
    {
        qsizetype at = newline + 1;
        while (at < m_text.size() && m_text[at] != QLatin1Char('\n') &&
               (m_text[at].isSpace() || m_text[at] == QLatin1Char('>')))
            ++at;
        return at < m_text.size() && m_text[at] == QLatin1Char('\n');
    }

    /// Where `mark` next stands in this paragraph and unescaped; -1: nowhere.
    qsizetype endOf(qsizetype from, QStringView mark)
    {
        const qsizetype last = std::min(m_text.size(), from + kLongestFormula);
        for (qsizetype at = from; at < last; ++at) {
            m_searched = at;
            if (m_text.mid(at).startsWith(mark))
                return at;
            if (m_text[at] == QLatin1Char('\\'))
                ++at;
            else if (m_text[at] == QLatin1Char('\n') && blankLineAt(at))
                break;
        }
        return -1;
    }

    void add(qsizetype bodyStart, qsizetype bodyEnd, qsizetype end, bool display)
    {
        m_found.append({m_at, end - m_at, bodyStart, bodyEnd - bodyStart, display});
        m_at = end;
    }

    void backslash()
    {
        const QStringView rest = m_text.mid(m_at);
        for (const bool display : {false, true}) {
            if (!rest.startsWith(display ? u"\\[" : u"\\("))
                continue;
            if (m_at < m_noneBefore[display])
                continue;
            const qsizetype end = endOf(m_at + 2, display ? u"\\]" : u"\\)");
            if (end > m_at + 2)
                return add(m_at + 2, end, end + 2, display);
            if (end < 0) // nor do environments within an open formula count
                m_noneBefore[display] = m_noneBefore[2] = m_searched;
        }
        if (rest.startsWith(u"\\begin{") && environment())
            return;
        m_at += 2;
    }

    bool environment()
    {
        const qsizetype nameAt = m_at + 7;
        const qsizetype length = m_text.mid(nameAt, 20).indexOf(QLatin1Char('}'));
        if (length < 0)
            return false;
        const qsizetype close = nameAt + length;
        const QStringView name = m_text.mid(nameAt, length);
        if (m_at < m_noneBefore[2] || !isFormulaEnvironment(name))
            return false;
        const QString end = QStringLiteral("\\end{%1}").arg(name);
        const QString begin = QStringLiteral("\\begin{%1}").arg(name);
        int open = 1;
        for (qsizetype at = close; at < std::min(m_text.size(), close + kLongestFormula); ++at) {
            const QStringView rest = m_text.mid(at);
            open += rest.startsWith(begin) ? 1 : rest.startsWith(end) ? -1 : 0;
            if (open == 0) {
                add(m_at, at + end.size(), at + end.size(), true);
                return true;
            }
            m_noneBefore[2] = at;
            if (m_text[at] == QLatin1Char('\n') && blankLineAt(at))
                break;
        }
        return false;
    }

    void dollar()
    {
        const qsizetype run = runAt(m_at);
        if (run == 2) {
            const qsizetype end = endOf(m_at + 2, u"$$");
            if (end > m_at + 2 && !m_text.mid(m_at + 2, end - m_at - 2).trimmed().isEmpty())
                return add(m_at + 2, end, end + 2, true);
            if (end < 0)
                m_noneBefore[2] = m_searched;
        }
        const bool touched = m_at > 0 && m_text[m_at - 1].isLetterOrNumber();
        if (run == 1 && !touched && m_at + 1 < m_text.size() && !m_text[m_at + 1].isSpace()) {
            const qsizetype end = endOf(m_at + 1, u"$");
            if (end > m_at + 1 && closesInline(end))
                return add(m_at + 1, end, end + 1, false);
        }
        m_at += run;
    }

    bool closesInline(qsizetype end) const
    {
        const bool touched = end + 1 < m_text.size() && (m_text[end + 1].isLetterOrNumber() ||
                                                         m_text[end + 1] == QLatin1Char('$'));
        const QStringView body = m_text.mid(m_at + 1, end - m_at - 1);
        return !touched && !m_text[end - 1].isSpace() && !isProse(body);
    }

    /// Starts with a number, as a price does, and has a word that is no command and in no group.
    static bool isProse(QStringView body)
    {
        if (!body[0].isDigit())
            return false;
        int depth = 0;
        qsizetype word = 0;
        for (qsizetype i = 0; i < body.size(); ++i) {
            const QChar c = body[i];
            if (c == QLatin1Char('\\')) {
                while (i + 1 < body.size() && body[i + 1].isLetter())
                    ++i;
                word = 0;
                continue;
            }
            depth += c == QLatin1Char('{') ? 1 : c == QLatin1Char('}') ? -1 : 0;
            word = c.isLetter() ? word + 1 : 0;
            if (word >= 3 && depth <= 0)
                return true;
        }
        return false;
    }

    QStringView m_text;
    qsizetype m_at = 0;
    qsizetype m_searched = 0;              // where the last search for an end stopped
    qsizetype m_noneBefore[3] = {0, 0, 0}; // no end of \(, \[, \begin up to here
    QList<FoundFormula> m_found;
};

} // namespace

QList<FoundFormula> findFormulas(QStringView text)
{
    return FormulaFinder(text).find();
}

} // namespace fireside
