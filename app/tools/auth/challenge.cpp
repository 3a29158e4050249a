#include "app/tools/auth/challenge.h"

#include <QList>

#include <algorithm>
#include <optional>

namespace fireside::auth {
namespace {

constexpr qsizetype kLongestHeader = 16 << 10;
constexpr qsizetype kMostScopes = 200, kLongestScope = 500;

bool isTokenLetter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           QByteArrayView("!#$%&'*+-.^_`|~").contains(c);
}

/// Reads pieces of a header's value one after the other (RFC 9110, 11.2).
class HeaderReader
{
public:
    explicit HeaderReader(const QByteArray &text)
        : m_text(text)
    {}
    bool atEnd() const { return m_at >= m_text.size(); }
    void skip(const char *letters)
    {
        while (!atEnd() && QByteArrayView(letters).contains(m_text[m_at]))
            ++m_at;
    }
    QByteArray token()
    {
        const qsizetype from = m_at;
        while (!atEnd() && isTokenLetter(m_text[m_at]))
            ++m_at;
        return m_text.mid(from, m_at - from);
    }
    bool take(char c)
    {
        if (atEnd() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }
    /// A token or a quoted string.
    std::optional<QByteArray> value()
    {
        if (!take('"')) {
            const QByteArray plain = token();
            return plain.isEmpty() ? std::nullopt : std::optional(plain);
        }
        QByteArray text;
        while (!atEnd() && m_text[m_at] != '"') {
            if (m_text[m_at] == '\\' && m_at + 1 < m_text.size())
                ++m_at;
            text += m_text[m_at++];
        }
        return take('"') ? std::optional(text) : std::nullopt;
    }
    qsizetype place() const { return m_at; }
    void goBack(qsizetype place) { m_at = place; }

private:
    const QByteArray m_text;
    qsizetype m_at = 0;
};

void note(Challenge &challenge, const QByteArray &name, const QByteArray &value)
{
    const QString text = QString::fromUtf8(value);
    if (name == "resource_metadata" && challenge.metadata.isEmpty())
        challenge.metadata = text;
    else if (name == "scope" && challenge.scopes.isEmpty())
        challenge.scopes = scopesIn(text);
    else if (name == "error" && challenge.error.isEmpty())
        challenge.error = text;
    else if (name == "error_description" && challenge.description.isEmpty())
        challenge.description = text;
}

} // namespace

QStringList scopesIn(const QString &text)
{
    QStringList scopes;
    for (const QString &word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const bool fine =
            word.size() <= kLongestScope && std::all_of(word.begin(), word.end(), [](QChar c) {
                return c.unicode() > 0x20 && c.unicode() < 0x7f && c != u'"' && c != u'\\';
            });
        if (fine && !scopes.contains(word) && scopes.size() < kMostScopes)
            scopes += word;
    }
    return scopes;
}

Challenge readChallenge(const QByteArray &header)
{
    Challenge challenge;
    if (header.size() > kLongestHeader)
        return challenge;
    HeaderReader reader(header);
    bool known = false;
    QList<QByteArray> schemes;
    while (!reader.atEnd()) {
        reader.skip(" \t\r\n,");
        const QByteArray word = reader.token().toLower();
        if (word.isEmpty())
            break;
        const qsizetype after = reader.place();
        reader.skip(" \t");
        if (!reader.take('=')) { // a scheme
            reader.goBack(after);
            known = word == "bearer" || word == "dpop";
            if (known && schemes.contains(word))
                break; // the first of each kind counts
            schemes += word;
            challenge.bearer = challenge.bearer || known;
            challenge.proofs = challenge.proofs || word == "dpop";
            continue;
        }
        reader.skip(" \t");
        const auto value = reader.value();
        if (!value && !known) { // "Negotiate YII=="
            reader.skip("=");
            continue;
        }
        if (!value)
            break;
        if (known)
            note(challenge, word, *value);
    }
    return challenge;
}

} // namespace fireside::auth
