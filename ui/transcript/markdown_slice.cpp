#include "ui/transcript/markdown_slice.h"

#include <QRegularExpression>

#include <algorithm>

namespace fireside {

QString markdownSlice(QStringView source, qsizetype from, qsizetype to)
{
    from = std::clamp<qsizetype>(from, 0, source.size());
    to = std::clamp<qsizetype>(to, from, source.size());
    // "## ", "> - ", "1. " and the marks of spans that begin there.
    static const QRegularExpression marks(QStringLiteral("^[\\s>#*+\\-_~`|\\d.)\\[\\]x]*$"));
    const qsizetype line = from == 0 ? 0 : source.lastIndexOf(u'\n', from - 1) + 1;
    if (marks.match(source.mid(line, from - line).toString()).hasMatch())
        from = line;
    const qsizetype gap = from == 0 ? -1 : source.lastIndexOf(QStringLiteral("\n\n"), from - 1);
    const QStringView before = source.mid(gap < 0 ? 0 : gap, from - std::max<qsizetype>(gap, 0));
    QString slice = source.mid(from, to - from).toString();
    for (const QString &mark : {QStringLiteral("**"), QStringLiteral("~~"), QStringLiteral("`")}) {
        if (before.count(mark) % 2 != 0) { // it begins within
            if (slice.startsWith(mark))
                slice.remove(0, mark.size());
            else
                slice.prepend(mark);
        }
        if (slice.count(mark) % 2 != 0) { // it ends within
            if (slice.endsWith(mark))
                slice.chop(mark.size());
            else
                slice.append(mark);
        }
    }
    return slice;
}

} // namespace fireside
