#include "app/runtime/engine_text.h"

#include "app/runtime/engine_sentences.h"

#include <QByteArray>
#include <QCoreApplication>
#include <QHash>
#include <QLocale>
#include <QMutex>
#include <QRegularExpression>

#include <algorithm>
#include <utility>
#include <vector>

namespace fireside {
namespace {

constexpr int kMostDepth = 6; // of sentences in sentences
constexpr qsizetype kMostKept = 256;

struct Pattern
{
    const char *text;
    QRegularExpression expression;
    QList<int> order;       // of the placeholders in the text
    qsizetype ownWords = 0; // characters that are not placeholders
    bool begins = false;    // "words: %1"
};

Pattern patternOf(const char *text)
{
    static const QRegularExpression place(QStringLiteral("%([1-9])"));
    const QString words = QString::fromUtf8(text);
    QString pattern = QStringLiteral("^");
    QList<int> order;
    qsizetype at = 0;
    for (auto found = place.globalMatch(words); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        pattern += QRegularExpression::escape(words.mid(at, match.capturedStart() - at));
        at = match.capturedEnd();
        // Names of devices have parentheses, too: what a sentence ends with is the last one.
        const QStringView behind = QStringView(words).mid(at);
        const bool beforeTheLast = behind.startsWith(QLatin1String(" (%"));
        // What stands before it is another sentence, and no part of the number.
        const bool rate = behind.startsWith(QLatin1String(" tokens a second"));
        pattern += rate            ? QStringLiteral("([0-9.]+)")
                   : beforeTheLast ? QStringLiteral("(.+)")
                                   : QStringLiteral("(.+?)");
        order.append(match.captured(1).toInt());
    }
    pattern += QRegularExpression::escape(words.mid(at)) + QLatin1Char('$');
    return {text, QRegularExpression(pattern), order, words.size() - 2 * order.size(),
            order.size() == 1 && words.endsWith(QLatin1String(": %1"))};
}

const std::vector<Pattern> &patterns()
{
    static const std::vector<Pattern> all = [] {
        std::vector<Pattern> made;
        for (const char *text : engineSentences())
            made.push_back(patternOf(text));
        // What is said before a colon holds a whole sentence; else more words of its own count
        // more.
        std::stable_sort(made.begin(), made.end(), [](const Pattern &a, const Pattern &b) {
            return std::pair(a.begins, a.ownWords) > std::pair(b.begins, b.ownWords);
        });
        return made;
    }();
    return all;
}

/// A number of the engine's as the window writes its own: "1.2 GB", "28". One with a point and
/// without a unit may be a version, unless it is said to be none.
QString numberText(const QString &english, bool noVersion = false)
{
    static const QRegularExpression number(
        QStringLiteral("^([0-9]{1,9})(?:[.]([0-9]{1,2}))?( [kMGTPE]?B)?$"));
    const QRegularExpressionMatch match = number.match(english);
    const int decimals = static_cast<int>(match.captured(2).size());
    if (!match.hasMatch() || (decimals > 0 && match.captured(3).isEmpty() && !noVersion))
        return english;
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    return locale.toString(english.chopped(match.captured(3).size()).toDouble(), 'f', decimals) +
           match.captured(3);
}

QString said(const QString &english, int depth)
{
    if (depth > kMostDepth)
        return english;
    for (const Pattern &pattern : patterns()) {
        const QRegularExpressionMatch match = pattern.expression.match(english);
        if (!match.hasMatch())
            continue;
        const QString text = QCoreApplication::translate("EngineText", pattern.text);
        const bool rates = QByteArray(pattern.text).contains(" tokens a second");
        // All at once: a part may hold a per cent sign itself.
        QString whole;
        for (qsizetype i = 0; i < text.size(); ++i) {
            const int number =
                text[i] == QLatin1Char('%') && i + 1 < text.size() ? text[i + 1].digitValue() : -1;
            const qsizetype place = number > 0 ? pattern.order.indexOf(number) : -1;
            if (place < 0) {
                whole += text[i];
                continue;
            }
            const QString part = match.captured(static_cast<int>(place) + 1);
            const QString told = said(part, depth + 1);
            whole += rates && told == part ? numberText(part, true) : told;
            ++i;
        }
        return whole;
    }
    return numberText(english);
}

} // namespace

QString engineText(const QString &english)
{
    static QMutex mutex;
    const QMutexLocker alone(&mutex);
    static QHash<QString, QString> known;
    static QString language;
    // An installed catalogue has a word for this.
    const QString now = QCoreApplication::translate("EngineText", "no model is loaded");
    if (now != language || known.size() > kMostKept) {
        known.clear();
        language = now;
    }
    const auto found = known.constFind(english);
    return found != known.constEnd() ? *found : *known.insert(english, said(english, 0));
}

QString asSentence(const QString &clause)
{
    // Names of hosts and files stay as they are.
    static const QRegularExpression name(QStringLiteral("^\\S*[.:/_]\\S"));
    return name.match(clause).hasMatch() ? clause : clause.left(1).toUpper() + clause.mid(1);
}

QString withFullStop(const QString &sentence)
{
    static const QString ends = QStringLiteral(".!?…؟。！？");
    const bool ended = sentence.isEmpty() || ends.contains(sentence.back());
    return ended ? sentence : sentence + QLatin1Char('.');
}

} // namespace fireside
