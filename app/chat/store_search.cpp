#include "app/chat/conversation_store.h"

#include <QRegularExpression>

#include <algorithm>

// Finding conversations by words in their titles and messages.
namespace fireside {
namespace {

constexpr qsizetype kBefore = 12, kAfter = 100; // characters of a snippet around the match

QStringList wordsOf(const QString &search)
{
    static const QRegularExpression spaces(QStringLiteral("\\s+"));
    return search.split(spaces, Qt::SkipEmptyParts).mid(0, 16);
}

// Scripts written without spaces have no words for the index to hold.
bool needsPlainSearch(const QStringList &words)
{
    static const QRegularExpression unspaced(QStringLiteral(
        "\\p{Han}|\\p{Hiragana}|\\p{Katakana}|\\p{Thai}|\\p{Lao}|\\p{Khmer}|\\p{Myanmar}"));
    static const QRegularExpression letters(QStringLiteral("[\\p{L}\\p{N}]"));
    return std::any_of(words.begin(), words.end(), [](const QString &word) {
        return word.contains(unspaced) || !word.contains(letters);
    });
}

// Every word quoted, so that no character of the user's is an operator, and open at its end.
QString indexQuery(const QStringList &words)
{
    QStringList terms;
    for (QString word : words)
        terms.append(QLatin1Char('"') + word.replace(QLatin1Char('"'), QLatin1String("\"\"")) +
                     QLatin1String("\"*"));
    return terms.join(QLatin1Char(' '));
}

QString likePattern(QString word)
{
    for (const QChar special : {u'\\', u'%', u'_'})
        word.replace(special, QString(u'\\') + special);
    return QLatin1Char('%') + word + QLatin1Char('%');
}

QString snippet(const QString &text, const QStringList &words)
{
    qsizetype at = -1;
    for (const QString &word : words) {
        const qsizetype found = text.indexOf(word, 0, Qt::CaseInsensitive);
        if (found >= 0 && (at < 0 || found < at))
            at = found;
    }
    qsizetype begin = std::max<qsizetype>(0, at - kBefore);
    if (begin > 0) {
        const qsizetype space = text.indexOf(QLatin1Char(' '), begin);
        if (space >= 0 && space < at)
            begin = space + 1;
    }
    const qsizetype end = std::min(text.size(), std::max<qsizetype>(at, 0) + kAfter);
    QString result = text.mid(begin, end - begin).simplified();
    if (begin > 0)
        result.prepend(QChar(0x2026));
    if (end < text.size())
        result.append(QChar(0x2026));
    return result;
}

} // namespace

QList<ConversationSummary> ConversationStore::list(const QString &search)
{
    const QStringList words = wordsOf(search);
    QList<ConversationSummary> all = guarded([&] {
        QSqlQuery rows = db().run(QStringLiteral(
            "SELECT id, title, updated, pinned, folder FROM conversations WHERE deleted = 0 "
            "ORDER BY pinned DESC, updated DESC, id DESC"));
        QList<ConversationSummary> list;
        while (rows.next())
            list.append({rows.value(0).toLongLong(), rows.value(1).toString(),
                         QDateTime::fromMSecsSinceEpoch(rows.value(2).toLongLong()),
                         rows.value(3).toBool(), rows.value(4).toString(), QString()});
        SqlConnection::requireEnd(rows);
        return list;
    });
    if (words.isEmpty())
        return all;

    const QHash<qint64, Match> matches = messagesWith(words);
    QList<ConversationSummary> found;
    for (ConversationSummary &summary : all) {
        const auto match = matches.constFind(summary.id);
        const bool inTitle = std::all_of(words.begin(), words.end(), [&](const QString &word) {
            return summary.title.contains(word, Qt::CaseInsensitive);
        });
        if (match != matches.constEnd()) {
            summary.snippet = snippet(match->text, words);
            summary.match = match->message;
        } else if (!inTitle) {
            continue;
        }
        found.append(summary);
    }
    return found;
}

// The newest matching message of each conversation: its id and text.
QHash<qint64, ConversationStore::Match> ConversationStore::messagesWith(const QStringList &words)
{
    return guarded([&] {
        QString condition, source = QStringLiteral("messages m");
        QVariantList values;
        if (m_file.hasIndex && !needsPlainSearch(words)) {
            source = QStringLiteral("message_index f JOIN messages m ON m.id = f.rowid");
            condition = QStringLiteral("message_index MATCH ?");
            values.append(indexQuery(words));
        } else {
            for (const QString &word : words) {
                condition += condition.isEmpty() ? QString() : QStringLiteral(" AND ");
                condition += QStringLiteral("m.text LIKE ? ESCAPE '\\'");
                values.append(likePattern(word));
            }
        }
        // Texts are read of the newest ones only: a common word is in very many messages.
        QSqlQuery rows = db().run(QStringLiteral("SELECT m.conversation, m.text, m.id FROM "
                                                 "(SELECT max(m.id) AS id FROM %1 WHERE %2 "
                                                 "GROUP BY m.conversation) newest "
                                                 "JOIN messages m ON m.id = newest.id")
                                      .arg(source, condition),
                                  values);
        QHash<qint64, Match> matches;
        while (rows.next())
            matches.insert(rows.value(0).toLongLong(),
                           {rows.value(2).toLongLong(), rows.value(1).toString()});
        SqlConnection::requireEnd(rows);
        return matches;
    });
}

} // namespace fireside
