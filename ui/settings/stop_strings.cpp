#include "ui/settings/stop_strings.h"

namespace fireside {

namespace {

QString escaped(const QString &text)
{
    QString out;
    for (const QChar c : text) {
        if (c == QLatin1Char('\\'))
            out += QStringLiteral("\\\\");
        else if (c == QLatin1Char('\n'))
            out += QStringLiteral("\\n");
        else if (c == QLatin1Char('\t'))
            out += QStringLiteral("\\t");
        else
            out += c;
    }
    return out;
}

QString unescaped(const QString &text)
{
    QString out;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar next = i + 1 < text.size() ? text.at(i + 1) : QChar();
        const bool escape =
            text.at(i) == QLatin1Char('\\') &&
            (next == QLatin1Char('n') || next == QLatin1Char('t') || next == QLatin1Char('\\'));
        if (!escape) {
            out += text.at(i);
            continue;
        }
        out += next == QLatin1Char('n')   ? QLatin1Char('\n')
               : next == QLatin1Char('t') ? QLatin1Char('\t')
                                          : next;
        ++i;
    }
    return out;
}

} // namespace

QString formatStopStrings(const QStringList &strings)
{
    QStringList lines;
    for (const QString &text : strings)
        lines.append(escaped(text));
    return lines.join(QLatin1Char('\n'));
}

QStringList parseStopStrings(const QString &text)
{
    QStringList strings;
    for (const QString &line : text.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        strings.append(unescaped(line));
    return strings;
}

} // namespace fireside
