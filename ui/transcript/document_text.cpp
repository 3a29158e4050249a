// What of a document goes to the clipboard as plain text.
#include "ui/transcript/formula_object.h"
#include "ui/transcript/section_document.h"

#include <QTextBlock>
#include <QTextCursor>
#include <QTextTable>

#include <algorithm>

namespace fireside {

namespace {

bool isMirrored(const QTextTable &table)
{
    return table.format().boolProperty(kTableMirrored);
}

/// Letters of their own where Unicode has all of them, as in x² or H₂O, else "^" or "_" before.
QString shifted(const QString &text, bool up)
{
    static const QString kPlain = QStringLiteral("0123456789+-=()"),
                         kUp = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾"),
                         kDown = QStringLiteral("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎");
    QString result;
    for (const QChar c : text) {
        const qsizetype at = kPlain.indexOf(c);
        if (at >= 0)
            result += (up ? kUp : kDown).at(at);
        else if (up && c == QLatin1Char('n'))
            result += QStringLiteral("ⁿ");
        else
            return (up ? QLatin1String("^") : QLatin1String("_")) +
                   (text.size() > 1 ? QLatin1Char('(') + text + QLatin1Char(')') : text);
    }
    return result;
}

/// The words of a block between two positions in it, as they are copied.
QString blockWords(const QTextBlock &block, int from, int to)
{
    QString result;
    for (auto it = block.begin(); !it.atEnd(); ++it) {
        const QTextFragment part = it.fragment();
        const int start = std::max(from, part.position() - block.position());
        const int end = std::min(to, part.position() - block.position() + part.length());
        const QTextCharFormat format = part.charFormat();
        if (start >= end || format.boolProperty(kMarkOnly))
            continue;
        const QString text =
            format.objectType() == kFormulaObject
                ? sourceText(block, start, end - start).text
                : part.text().mid(start + block.position() - part.position(), end - start);
        const auto place = format.verticalAlignment();
        const bool up = place == QTextCharFormat::AlignSuperScript;
        result += up || place == QTextCharFormat::AlignSubScript ? shifted(text, up) : text;
    }
    return result;
}

/// What is left of every line between two positions is no nesting.
int commonSpaces(const QTextDocument &document, int from, int to)
{
    int least = -1;
    for (QTextBlock block = document.findBlock(from); block.isValid() && block.position() < to;
         block = block.next()) {
        const int spaces = block.blockFormat().intProperty(kBlockSpaces);
        if (!block.text().isEmpty() && (least < 0 || spaces < least))
            least = spaces;
    }
    return std::max(least, 0);
}

} // namespace

QString documentText(const QTextDocument &document, int from, int to)
{
    QString result;
    qsizetype rowStart = 0;
    const int common = commonSpaces(document, from, to);
    for (QTextBlock block = document.findBlock(from); block.isValid() && block.position() < to;
         block = block.next()) {
        const QTextCursor here(block);
        const QTextTable *table = here.currentTable();
        const QTextBlockFormat format = block.blockFormat();
        const bool sameRow = table && table->cellAt(here).column() > 0 && block.position() > from;
        const bool mirrored = sameRow && isMirrored(*table);
        if (block.position() > from && !mirrored) {
            const bool empty = !table && block.text().isEmpty() &&
                               format.lineHeightType() == QTextBlockFormat::FixedHeight;
            if (!empty)
                result += sameRow ? QLatin1Char('\t') : QLatin1Char('\n');
        }
        if (!sameRow)
            rowStart = result.size();
        const int spaces = std::max(0, format.intProperty(kBlockSpaces) - common);
        if (block.position() >= from && !block.text().isEmpty())
            result += QString(spaces, QLatin1Char(' '));
        const QString marker = format.stringProperty(kBlockMarker);
        if (!marker.isEmpty() && block.position() >= from)
            result += marker + QLatin1Char(' ');
        const int start = std::max(0, from - block.position());
        QString line = blockWords(block, start, to - block.position());
        if (table) // a row stays one line
            line.replace(QChar::LineSeparator, QLatin1Char(' '));
        else
            line.replace(QChar::LineSeparator,
                         QLatin1Char('\n') +
                             QString(marker.isEmpty() ? spaces : spaces + marker.size() + 1,
                                     QLatin1Char(' ')));
        if (mirrored) // what stands further to the right is read first
            result.insert(rowStart, line + QLatin1Char('\t'));
        else
            result += line;
    }
    return result;
}

QString textBefore(const QTextDocument &document, int place)
{
    QTextCursor here(document.findBlock(place));
    const QTextTable *table = here.currentTable();
    if (!table || !isMirrored(*table))
        return documentText(document, 0, place);
    const QTextTableCell cell = table->cellAt(here);
    QString text = documentText(document, 0, table->cellAt(cell.row(), 0).firstPosition());
    if (!text.isEmpty())
        text += QLatin1Char('\n');
    for (int column = table->columns() - 1; column > cell.column(); --column) {
        const QTextTableCell before = table->cellAt(cell.row(), column);
        text += documentText(document, before.firstPosition(), before.lastPosition()) +
                QLatin1Char('\t');
    }
    return text + documentText(document, cell.firstPosition(), place);
}

} // namespace fireside
