#include "app/chat/unmarked_text.h"

#include <QRegularExpression>
#include <QStringList>

#include <utility>

namespace fireside {

namespace {

constexpr QChar kTaken(0xfdd0); // no character of any text: here is what was taken out

/// Takes out what marks do not count in, code and escaped marks; each leaves a kTaken.
QStringList takeLiterals(QString &text)
{
    static const QRegularExpression literal(
        QStringLiteral("\\\\([*_~`])|(?<!`)(`+)(?!`)([^\n]+?)(?<!`)\\2(?!`)"));
    QStringList taken;
    QString rest;
    qsizetype at = 0;
    text.remove(kTaken);
    for (auto each = literal.globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch match = each.next();
        taken.append(match.captured(1) + match.captured(3));
        rest += text.mid(at, match.capturedStart() - at) + kTaken;
        at = match.capturedEnd();
    }
    text = rest + text.mid(at);
    return taken;
}

} // namespace

QString withoutMarks(QString text)
{
    constexpr auto kLines = QRegularExpression::MultilineOption;
    static const QRegularExpression kWhole[] = {
        QRegularExpression(QStringLiteral("^[ \\t]*(?:```[^`\n]*|~~~.*)$"), kLines),
        QRegularExpression(QStringLiteral("^[ \\t|:-]*-{3,}[ \\t|:-]*$"), kLines),
        QRegularExpression(QStringLiteral("^[ \\t]*(?:#{1,6}[ \\t]+|(?:>[ \\t]?)+|\\|)"), kLines),
        QRegularExpression(QStringLiteral("\\|[ \\t]*$"), kLines),
        QRegularExpression(QStringLiteral("</?think>")),
    };
    static const std::pair<QRegularExpression, QString> kAround[] = {
        {QRegularExpression(QStringLiteral("!?\\[([^\\]\n]*)\\]\\([^)\n\\x{fdd0}]*\\)")),
         QStringLiteral("\\1")},
        {QRegularExpression(QStringLiteral("(\\*{2,3}|~~)(?=[^\\s*])(.+?)(?<=\\S)\\1(?!\\*)")),
         QStringLiteral("\\2")},
        // Products and names of programs are more than they seem.
        {QRegularExpression(
             QStringLiteral("(?<![\\w*])\\*(?=[^\\s*])([^*]+?)(?<=\\S)\\*(?![\\w*])")),
         QStringLiteral("\\1")},
        {QRegularExpression(
             QStringLiteral("(?<!\\w)(?!__[a-z][a-z0-9_]*__(?!\\w))(_{1,2})(?=[^\\s_])"
                            "(.+?)(?<=\\S)\\1(?!\\w)"),
             QRegularExpression::UseUnicodePropertiesOption),
         QStringLiteral("\\2")},
    };
    for (const QRegularExpression &mark : kWhole)
        text.remove(mark);
    const QStringList taken = takeLiterals(text);
    for (const auto &[mark, kept] : kAround)
        text.replace(mark, kept);
    qsizetype at = 0;
    for (const QString &each : taken) {
        at = text.indexOf(kTaken, at);
        text.replace(at, 1, each);
        at += each.size();
    }
    return text;
}

} // namespace fireside
