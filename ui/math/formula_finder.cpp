#include "ui/math/formula_finder.h"

#include "ui/math/formula.h"

#include <QStringList>

#include <algorithm>

namespace fireside {

namespace {

/// A letter or digit of scripts that separate words by spaces. In the others, as Chinese, a formula
/// touches the words around it.
bool isWordCharacter(QChar c)
{
    return c.isDigit() || (c.unicode() < 0x250 && c.isLetterOrNumber());
}

/// Calls visit(start, length) for each run of letters outside of commands and groups, until it
/// returns false. False: it did, or parentheses do not match.
template <typename Visit>
bool eachWord(QStringView body, Visit visit)
{
    int group = 0, parentheses = 0;
    for (qsizetype i = 0; i < body.size(); ++i) {
        const QChar c = body[i];
        if (c == QLatin1Char('\\')) {
            ++i;
            while (i + 1 < body.size() && body[i].isLetter() && body[i + 1].isLetter())
                ++i;
            continue;
        }
        group += c == QLatin1Char('{') ? 1 : c == QLatin1Char('}') ? -1 : 0;
        if (group > 0)
            continue;
        parentheses += c == QLatin1Char('(') ? 1 : c == QLatin1Char(')') ? -1 : 0;
        if (parentheses < 0)
            return false;
        if (!c.isLetter())
            continue;
        const qsizetype start = i;
        while (i + 1 < body.size() && body[i + 1].isLetter())
            ++i;
        if (!visit(start, i + 1 - start))
            return false;
    }
    return parentheses == 0;
}

/// Letters that formulas are written with.
bool isMathLetter(QChar c)
{
    return c.unicode() < 0x250 || c.script() == QChar::Script_Greek;
}

/// Two letters that are a word: "kg" in "3/kg, 4", "or" in "5 or 6", but not "xy" in "0 < xy < 1".
bool isShortWord(QStringView body, qsizetype start)
{
    if (start > 0 && body[start - 1].isLetterOrNumber())
        return false; // a product: 4ac
    if (start > 0 && body[start - 1] == QLatin1Char('/') && body.back().isDigit())
        return true; // a price per unit
    const QStringView rest = body.mid(start + 2).trimmed();
    return !rest.isEmpty() &&
           (rest[0].isLetterOrNumber() || QStringView(u".,:;").contains(rest[0]));
}

/// Starts with a number, as a price does, and has words in it.
bool isPrice(QStringView body)
{
    if (!body[0].isDigit())
        return false;
    return !eachWord(body, [body](qsizetype start, qsizetype length) {
        const QStringView rest = body.mid(start + length);
        const bool abbreviation = length == 1 && rest.size() > 1 && rest[0] == QLatin1Char('.') &&
                                  rest[1].isLetter(); // i.e.
        return length < 3 && isMathLetter(body[start]) && !abbreviation &&
               (length != 2 || !isShortWord(body, start));
    });
}

/// "st" in "$1$st", "D" in "$3$D".
bool isNumberSuffix(QStringView after)
{
    const auto letters =
        std::find_if(after.begin(), after.end(), [](QChar c) { return !c.isLetter(); });
    const QStringView suffix = after.left(letters - after.begin());
    return QStringList{"st", "nd", "rd", "th", "s", "D", "d"}.contains(suffix.toString());
}

/// A term so short that letters or digits may touch it: the "$n$th", "2$k$s". Not a price, nor two
/// variables of a shell ("$HOME/bin:$PATH").
bool isShortTerm(QStringView body, QChar before, QStringView after)
{
    const QChar first = body[0], last = body.back();
    if (first.isDigit() && isWordCharacter(before))
        return false;
    if (!first.isLetterOrNumber() && !QStringView(u"\\(|").contains(first))
        return false;
    if (!last.isLetterOrNumber() && !QStringView(u")]}|'!").contains(last) && !body.endsWith(u"^*"))
        return false;
    const auto is = [body](QStringView characters) {
        return std::any_of(body.begin(), body.end(),
                           [characters](QChar c) { return characters.contains(c); });
    };
    const bool marked = is(u"^_\\=");
    if (before.isDigit() && last.isDigit() && !marked)
        return false; // "5$ea, 6$ea"
    bool letters = false;
    const bool terms = eachWord(body, [&](qsizetype start, qsizetype length) {
        letters = true;
        const QStringView word = body.mid(start, length);
        return length < 3 && isMathLetter(word[0]) &&
               (length == 1 || word.toString() == word.toString().toLower());
    });
    if (first.isDigit() && !letters && !marked && !isNumberSuffix(after))
        return false; // "$5/6$CAD"
    return terms;
}

/// The next price's currency, as in "$19 · R$ 12": a word of capitals before the dollar sign, and a
/// space and a digit behind it.
bool isCurrency(QStringView body, QStringView after)
{
    const auto other =
        std::find_if(body.rbegin(), body.rend(), [](QChar c) { return !c.isUpper(); });
    const auto letters = other - body.rbegin();
    return body[0].isDigit() && letters > 0 && letters < 4 && other != body.rend() &&
           other->isSpace() && after.size() > 1 && after[0].isSpace() && after[1].isDigit();
}

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
        if (run == 1 && m_at + 1 < m_text.size() && !m_text[m_at + 1].isSpace()) {
            const qsizetype end = endOf(m_at + 1, u"$");
            if (end > m_at + 1 && closesInline(end))
                return add(m_at + 1, end, end + 1, false);
        }
        m_at += run;
    }

    bool closesInline(qsizetype end) const
    {
        const QChar before = m_at > 0 ? m_text[m_at - 1] : QChar();
        const QChar after = end + 1 < m_text.size() ? m_text[end + 1] : QChar();
        const QStringView body = m_text.mid(m_at + 1, end - m_at - 1);
        if (after == QLatin1Char('$') || after.isDigit() || body.back().isSpace() || isPrice(body))
            return false;
        if (isCurrency(body, m_text.mid(end + 1, 2)))
            return false;
        return (!isWordCharacter(before) && !isWordCharacter(after)) ||
               isShortTerm(body, before, m_text.mid(end + 1, 3));
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
