#include "ui/transcript/section_document.h"

#include "ui/style/theme.h"
#include "ui/transcript/formula_object.h"
#include "ui/transcript/markdown_builder.h"

#include <QFontMetricsF>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextTable>
#include <QUrl>

#include <algorithm>

namespace fireside {

namespace {

/// Loads nothing, whatever a text names.
class SealedDocument : public QTextDocument
{
protected:
    QVariant loadResource(int, const QUrl &) override { return {}; }
};

std::unique_ptr<QTextDocument> newDocument()
{
    auto document = std::make_unique<SealedDocument>();
    document->setUndoRedoEnabled(false);
    document->setDocumentMargin(0);
    document->setDefaultFont(Theme::font(1.0));
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    option.setTabStopDistance(
        4 * QFontMetricsF(Theme::monospace()).horizontalAdvance(QLatin1Char(' ')));
    document->setDefaultTextOption(option);
    return document;
}

/// A base letter with thousands of combining marks would take the shaper seconds to draw.
QString tamed(QStringView text)
{
    constexpr int kMaxMarks = 16;
    QString result;
    result.reserve(text.size());
    int marks = 0;
    for (const QChar c : text) {
        marks = c.isMark() ? marks + 1 : 0;
        if (marks <= kMaxMarks)
            result += c;
    }
    return result;
}

/// md4c fills up every row to the header's width, so that a small text can ask for millions of
/// cells.
bool hasHugeTable(QStringView text)
{
    constexpr qsizetype kMaxColumns = 64;
    for (qsizetype start = 0; start < text.size();) {
        qsizetype end = text.indexOf(QLatin1Char('\n'), start);
        if (end < 0)
            end = text.size();
        if (text.mid(start, end - start).count(QLatin1Char('|')) > kMaxColumns)
            return true;
        start = end + 1;
    }
    return false;
}

bool isMirrored(const QTextTable &table)
{
    return table.format().boolProperty(kTableMirrored);
}

} // namespace

bool isSafeLink(const QString &address)
{
    const QUrl url(address, QUrl::StrictMode);
    const QString scheme = url.scheme();
    return url.isValid() && !url.host().isEmpty() &&
           (scheme == QLatin1String("http") || scheme == QLatin1String("https"));
}

/// What is written from the right is indented from there, too.
static void indentFromTheStart(QTextDocument &document)
{
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        if (format.leftMargin() <= 0 || block.textDirection() != Qt::RightToLeft)
            continue;
        format.setRightMargin(format.leftMargin());
        format.setLeftMargin(0);
        QTextCursor(block).setBlockFormat(format);
    }
}

RenderedSection renderSection(const Section &section, QStringView source, const QString &references)
{
    const QString text = tamed(source);
    RenderedSection result;
    result.document = newDocument();
    switch (section.kind) {
    case Section::Kind::Plain:
        MarkdownBuilder(result).appendPlain(text);
        break;
    case Section::Kind::Code:
        MarkdownBuilder(result).appendCode(text, section.language, &section);
        break;
    case Section::Kind::Markdown: {
        FormulaMarks formulas;
        const QString marked = formulas.hide(FormulaMarks::markless(text));
        QByteArray markdown = marked.toUtf8();
        if (!references.isEmpty())
            markdown += "\n\n" + references.toUtf8();
        if (hasHugeTable(marked) || !MarkdownBuilder(result, formulas).build(markdown)) {
            result = {};
            result.document = newDocument();
            MarkdownBuilder(result).appendPlain(text.trimmed());
        } else {
            indentFromTheStart(*result.document);
            if (!formulas.isEmpty())
                drawFormulas(*result.document);
        }
        break;
    }
    }
    result.above = result.document->firstBlock().blockFormat().topMargin();
    result.below = result.document->lastBlock().blockFormat().bottomMargin();
    return result;
}

QString documentText(const QTextDocument &document, int from, int to)
{
    QString result;
    qsizetype rowStart = 0;
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
        if (const QString marker = format.stringProperty(kBlockMarker);
            !marker.isEmpty() && block.position() >= from)
            result += marker + QLatin1Char(' ');
        const int start = std::max(0, from - block.position());
        QString line = sourceText(block, start, to - block.position() - start).text;
        line.replace(QChar::LineSeparator, QLatin1Char('\n'));
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
