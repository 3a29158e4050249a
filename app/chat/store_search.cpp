#include "app/chat/conversation_store.h"
#include "app/chat/unmarked_text.h"

#include <QRegularExpression>

#include <algorithm>
#include <charconv>
#include <utility>

// Finding conversations by words in their titles and messages.
namespace fireside {
namespace {

constexpr qsizetype kTextsAtOnce = 500;
constexpr qsizetype kBefore = 12, kAfter = 100; // characters of a snippet around the match
constexpr qsizetype kMarksBefore = 200, kMarksAfter = 400; // where marks are looked for

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

/// "3,14,15", as SQLite concatenates them.
std::vector<qint64> numbersIn(const QVariant &list)
{
    const QByteArray text = list.toString().toLatin1();
    std::vector<qint64> numbers;
    for (const char *at = text.cbegin(); at < text.cend(); ++at) {
        qint64 number = 0;
        at = std::from_chars(at, text.cend(), number).ptr;
        numbers.push_back(number);
    }
    return numbers;
}

QString likePattern(QString word)
{
    for (const QChar special : {u'\\', u'%', u'_'})
        word.replace(special, QString(u'\\') + special);
    return QLatin1Char('%') + word + QLatin1Char('%');
}

qsizetype firstOf(const QStringList &words, const QString &text)
{
    qsizetype at = -1;
    for (const QString &word : words) {
        const qsizetype found = text.indexOf(word, 0, Qt::CaseInsensitive);
        if (found >= 0 && (at < 0 || found < at))
            at = found;
    }
    return at;
}

/// One line around the first of the words.
QString snippet(const QString &whole, const QStringList &words)
{
    QString text = whole;
    qsizetype at = firstOf(words, text);
    // Marks that begin or end farther away stay.
    const qsizetype from = std::max<qsizetype>(0, at - kMarksBefore);
    const QString plain = withoutMarks(whole.mid(from, kMarksBefore + kMarksAfter));
    bool before = false, after = false; // there is more
    if (const qsizetype place = firstOf(words, plain); place >= 0 || at < 0) {
        before = from > 0;
        after = from + kMarksBefore + kMarksAfter < whole.size();
        text = plain;
        at = place;
    } // else a mark is what was searched for
    qsizetype begin = std::max<qsizetype>(0, at - kBefore);
    if (begin > 0) {
        const qsizetype space = text.indexOf(QLatin1Char(' '), begin);
        if (space >= 0 && space < at)
            begin = space + 1;
    }
    const qsizetype end = std::min(text.size(), std::max<qsizetype>(at, 0) + kAfter);
    QString result = text.mid(begin, end - begin).simplified();
    if (begin > 0 || before)
        result.prepend(QChar(0x2026));
    if (end < text.size() || after)
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

// Of messages that were added since; a message never changes its conversation.
void ConversationStore::learnPlaces()
{
    const qint64 known = m_places.empty() ? 0 : m_places.back().first;
    QSqlQuery row = db().run(QStringLiteral("SELECT group_concat(id), group_concat(conversation) "
                                            "FROM (SELECT id, conversation FROM messages "
                                            "WHERE id > ? ORDER BY id)"),
                             {known});
    if (!row.next())
        return;
    const std::vector<qint64> ids = numbersIn(row.value(0)), chats = numbersIn(row.value(1));
    for (std::size_t i = 0; i < std::min(ids.size(), chats.size()); ++i)
        m_places.emplace_back(ids[i], chats[i]);
}

/// The newest of the messages for each of their conversations.
QHash<qint64, qint64> ConversationStore::newestOf(const std::vector<qint64> &messages)
{
    learnPlaces();
    QHash<qint64, qint64> newest;
    auto place = m_places.cbegin();
    for (const qint64 id : messages) { // in the order of the places
        place = std::lower_bound(place, m_places.cend(), std::pair(id, qint64(0)));
        if (place != m_places.cend() && place->first == id)
            newest[place->second] = id;
    }
    return newest;
}

// The newest matching message of each conversation: its id and text. A common word is in very many
// messages: they come as one list of numbers, and texts are read of the newest only.
QHash<qint64, ConversationStore::Match> ConversationStore::messagesWith(const QStringList &words)
{
    return guarded([&] {
        QString condition, ids = QStringLiteral("SELECT id FROM messages");
        QVariantList values;
        if (m_file.hasIndex && !needsPlainSearch(words)) {
            ids = QStringLiteral("SELECT rowid AS id FROM message_index");
            condition = QStringLiteral("message_index MATCH ?");
            values.append(indexQuery(words));
        } else {
            for (const QString &word : words) {
                condition += condition.isEmpty() ? QString() : QStringLiteral(" AND ");
                condition += QStringLiteral("text LIKE ? ESCAPE '\\'");
                values.append(likePattern(word));
            }
        }
        const QVariant found =
            db().value(QStringLiteral("SELECT group_concat(id) FROM (%1 WHERE %2 ORDER BY id)")
                           .arg(ids, condition),
                       values);
        return matchesIn(newestOf(numbersIn(found)).values());
    });
}

QHash<qint64, ConversationStore::Match> ConversationStore::matchesIn(const QList<qint64> &messages)
{
    QHash<qint64, Match> matches;
    for (qsizetype first = 0; first < messages.size(); first += kTextsAtOnce) {
        QStringList ids;
        for (const qint64 id : messages.mid(first, kTextsAtOnce))
            ids.append(QString::number(id));
        QSqlQuery rows =
            db().run(QStringLiteral("SELECT conversation, text, id FROM messages WHERE id IN (%1)")
                         .arg(ids.join(QLatin1Char(','))));
        while (rows.next())
            matches.insert(rows.value(0).toLongLong(),
                           {rows.value(2).toLongLong(), rows.value(1).toString()});
        SqlConnection::requireEnd(rows);
    }
    return matches;
}

} // namespace fireside
