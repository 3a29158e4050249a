#include "ui/transcript/code_colours.h"

#include "ui/transcript/code_languages.h"

#include <QHash>
#include <QSet>
#include <QStringList>

#include <algorithm>

namespace fireside {

namespace {

struct Words
{
    QSet<QString> keywords, types;
    QStringList lineComments, longQuotes;
};

QStringList words(const char *list)
{
    return QString::fromLatin1(list).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

const Words &wordsOf(const CodeLanguage &language)
{
    thread_local QHash<const CodeLanguage *, Words> cache; // chats are printed on other threads
    const auto known = cache.constFind(&language);
    if (known != cache.constEnd())
        return *known;
    Words result;
    const QStringList keywords = words(language.keywords), types = words(language.types);
    result.keywords = QSet<QString>(keywords.begin(), keywords.end());
    result.types = QSet<QString>(types.begin(), types.end());
    result.lineComments = words(language.lineComments);
    result.longQuotes = words(language.longQuotes);
    return *cache.insert(&language, result);
}

bool startsWord(QChar c)
{
    return c.isLetter() || c == QLatin1Char('_');
}

bool continuesWord(QChar c)
{
    return c.isLetterOrNumber() || c == QLatin1Char('_');
}

class Scanner
{
public:
    Scanner(QStringView code, const CodeLanguage &language)
        : m_code(code)
        , m_language(language)
        , m_words(wordsOf(language))
        , m_blockOpen(QLatin1String(language.blockOpen))
        , m_blockClose(QLatin1String(language.blockClose))
        , m_quotes(QLatin1String(language.quotes))
    {}

    QList<ColouredRange> run()
    {
        while (m_at < m_code.size()) {
            if (!directive() && !comment() && !key() && !string() && !number() && !word() &&
                !markup())
                ++m_at;
        }
        return m_ranges;
    }

private:
    bool at(QLatin1String token) const
    {
        return !token.isEmpty() && m_code.mid(m_at).startsWith(token);
    }

    bool take(qsizetype end, CodeColour colour)
    {
        m_ranges.append({m_at, end - m_at, colour});
        m_at = end;
        return true;
    }

    qsizetype lineEnd() const
    {
        const qsizetype end = m_code.indexOf(QLatin1Char('\n'), m_at);
        return end < 0 ? m_code.size() : end;
    }

    bool comment()
    {
        if (at(m_blockOpen)) {
            const qsizetype close = m_code.indexOf(m_blockClose, m_at + m_blockOpen.size());
            return take(close < 0 ? m_code.size() : close + m_blockClose.size(),
                        CodeColour::Comment);
        }
        for (const QString &mark : m_words.lineComments) {
            // "#" and ";" begin a comment only at a word's start: not in "$#" or "a;".
            const bool clear = mark.size() > 1 || m_at == 0 || m_code.at(m_at - 1).isSpace();
            if (clear && m_code.mid(m_at).startsWith(mark))
                return take(lineEnd(), CodeColour::Comment);
        }
        return false;
    }

    /// Nothing but white space, and "-" of a list, comes before it in its line.
    bool beginsLine() const
    {
        for (qsizetype i = m_at; i > 0 && m_code.at(i - 1) != QLatin1Char('\n'); --i)
            if (!m_code.at(i - 1).isSpace() && m_code.at(i - 1) != QLatin1Char('-'))
                return false;
        return true;
    }

    bool directive()
    {
        if (!m_language.directives || m_code.at(m_at) != QLatin1Char('#') || !beginsLine())
            return false;
        qsizetype end = m_at + 1;
        while (end < m_code.size() &&
               (m_code.at(end) == QLatin1Char(' ') || m_code.at(end) == QLatin1Char('\t')))
            ++end;
        while (end < m_code.size() && continuesWord(m_code.at(end)))
            ++end;
        return take(end, CodeColour::Keyword);
    }

    bool key()
    {
        if (!m_language.keys || m_code.at(m_at).isSpace() || !beginsLine())
            return false;
        const auto inKey = [](QChar c) {
            return continuesWord(c) || c == QLatin1Char('-') || c == QLatin1Char('.');
        };
        qsizetype end = m_at;
        while (end < m_code.size() && inKey(m_code.at(end)))
            ++end;
        qsizetype sign = end;
        while (sign < m_code.size() && m_code.at(sign) == QLatin1Char(' '))
            ++sign;
        const bool named =
            end > m_at && continuesWord(m_code.at(m_at)) && sign < m_code.size() &&
            (m_code.at(sign) == QLatin1Char(':') || m_code.at(sign) == QLatin1Char('='));
        return named && take(end, CodeColour::Type);
    }

    /// 'x' and '\n', but no lifetime 'a.
    bool rustCharacter()
    {
        if (m_code.at(m_at) != QLatin1Char('\'') ||
            QLatin1String(m_language.title) != QLatin1String("Rust"))
            return false;
        const bool escaped = m_at + 1 < m_code.size() && m_code.at(m_at + 1) == QLatin1Char('\\');
        const qsizetype close = m_code.indexOf(QLatin1Char('\''), m_at + (escaped ? 3 : 2));
        constexpr qsizetype kLongest = 11; // '\u{1F600}'
        if (close < 0 || close > m_at + (escaped ? kLongest : 3))
            return false;
        return take(close + 1, CodeColour::String);
    }

    bool string()
    {
        if (rustCharacter())
            return true;
        for (const QString &quote : m_words.longQuotes) {
            if (m_code.mid(m_at).startsWith(quote)) {
                const qsizetype close = m_code.indexOf(quote, m_at + quote.size());
                return take(close < 0 ? m_code.size() : close + quote.size(), CodeColour::String);
            }
        }
        const QChar quote = m_code.at(m_at);
        if (!m_quotes.contains(quote) || (m_language.markup && !m_inTag))
            return false;
        if (m_language.keys && m_at > 0 && continuesWord(m_code.at(m_at - 1)))
            return false;
        qsizetype end = m_at + 1;
        while (end < m_code.size() && m_code.at(end) != quote &&
               m_code.at(end) != QLatin1Char('\n'))
            end += m_code.at(end) == QLatin1Char('\\') ? 2 : 1;
        return take(std::min(end + 1, m_code.size()), CodeColour::String);
    }

    bool number()
    {
        if (!m_code.at(m_at).isDigit() || (m_language.markup && !m_inTag))
            return false;
        qsizetype end = m_at + 1;
        while (end < m_code.size() &&
               (continuesWord(m_code.at(end)) || m_code.at(end) == QLatin1Char('.')))
            ++end;
        return take(end, CodeColour::Number);
    }

    bool word()
    {
        if (!startsWord(m_code.at(m_at)))
            return false;
        qsizetype end = m_at + 1;
        while (end < m_code.size() && continuesWord(m_code.at(end)))
            ++end;
        QString text = m_code.mid(m_at, end - m_at).toString();
        if (m_language.markup) {
            if (m_inTag)
                return take(end, m_tagName ? CodeColour::Keyword : CodeColour::Type),
                       m_tagName = false, true;
            m_at = end;
            return true;
        }
        if (m_language.ignoreCase)
            text = text.toLower();
        if (m_words.keywords.contains(text))
            return take(end, CodeColour::Keyword);
        if (m_words.types.contains(text))
            return take(end, CodeColour::Type);
        if (end < m_code.size() && m_code.at(end) == QLatin1Char('('))
            return take(end, CodeColour::Function);
        m_at = end;
        return true;
    }

    bool markup()
    {
        if (m_language.markup) {
            const QChar c = m_code.at(m_at);
            if (c == QLatin1Char('<'))
                m_inTag = m_tagName = true;
            else if (c == QLatin1Char('>'))
                m_inTag = m_tagName = false;
        }
        return false;
    }

    QStringView m_code;
    const CodeLanguage &m_language;
    const Words &m_words;
    QLatin1String m_blockOpen, m_blockClose, m_quotes;
    qsizetype m_at = 0;
    bool m_inTag = false, m_tagName = false;
    QList<ColouredRange> m_ranges;
};

QList<ColouredRange> colourDiff(QStringView code)
{
    QList<ColouredRange> ranges;
    for (qsizetype at = 0; at < code.size();) {
        qsizetype end = code.indexOf(QLatin1Char('\n'), at);
        if (end < 0)
            end = code.size();
        const QStringView line = code.mid(at, end - at);
        if (line.startsWith(QLatin1String("@@")) || line.startsWith(QLatin1String("diff ")))
            ranges.append({at, end - at, CodeColour::Function});
        else if (line.startsWith(QLatin1Char('+')))
            ranges.append({at, end - at, CodeColour::String});
        else if (line.startsWith(QLatin1Char('-')))
            ranges.append({at, end - at, CodeColour::Keyword});
        at = end + 1;
    }
    return ranges;
}

} // namespace

QList<ColouredRange> colourCode(QStringView code, const QString &language)
{
    const CodeLanguage *known = findCodeLanguage(language);
    if (!known || code.isEmpty())
        return {};
    if (QLatin1String(known->title) == QLatin1String("Diff"))
        return colourDiff(code);
    return Scanner(code, *known).run();
}

} // namespace fireside
