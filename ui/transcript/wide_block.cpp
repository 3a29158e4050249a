#include "ui/transcript/wide_block.h"

#include "ui/transcript/formula_object.h"
#include "ui/transcript/section_document.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextLayout>
#include <QTextTable>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fireside {

namespace {

constexpr double kMostColumn = 280; // px; a longer word is broken, longer text wraps
constexpr double kSlack = 2;
constexpr double kBarHeight = 5, kBarInset = 6, kLeastThumb = 28;
constexpr double kTableMargin = 6, kTableMarginWithBar = 16;

/// Gives a table that is too wide for the column the widths that its words need.
void fitTable(const TableColumns &columns, double width)
{
    QTextTableFormat format = columns.table->format();
    const double around = 2 * format.cellPadding() + format.border();
    const double count = double(columns.least.size());
    const double least = std::accumulate(columns.least.begin(), columns.least.end(), 0.0);
    const double margins = format.leftMargin() + format.rightMargin();
    const bool wide = least + count * around > width - margins;
    // One that is wider than the column begins at its left edge, from where it is moved.
    const Qt::Alignment side = columns.rightToLeft && !wide ? Qt::AlignRight : Qt::AlignLeft;
    QList<QTextLength> lengths;
    for (const double column : columns.wanted)
        lengths.append(wide ? QTextLength(QTextLength::FixedLength, column + around)
                            : QTextLength());
    if (format.columnWidthConstraints() == lengths && format.alignment() == side)
        return;
    format.setAlignment(side);
    if (columns.rightToLeft && format.leftMargin() > 0) {
        format.setRightMargin(format.leftMargin());
        format.setLeftMargin(0);
    }
    format.setColumnWidthConstraints(lengths);
    format.setBottomMargin(wide ? kTableMarginWithBar : kTableMargin);
    columns.table->setFormat(format);
}

WideBlock ofCode(const RenderedSection &section, const CodeBlock &code)
{
    using namespace codebox;
    const QTextDocument &document = *section.document;
    WideBlock block;
    block.key = code.firstBlock;
    block.left = code.left + 1;
    block.right = document.textWidth() - 1;
    block.bar = !code.openBelow;
    const QTextBlock end = document.findBlockByNumber(code.lastBlock).next();
    for (QTextBlock line = document.findBlockByNumber(code.firstBlock); line != end;
         line = line.next()) {
        const QTextLayout *layout = line.layout();
        for (int i = 0; i < layout->lineCount(); ++i) {
            const QTextLine row = layout->lineAt(i);
            const double y = layout->position().y() + row.y();
            if (block.bottom == 0)
                block.top = y;
            block.bottom = y + row.height();
            block.content = std::max<double>(block.content, row.naturalTextWidth() + 2 * kPadX);
        }
    }
    block.bottom += code.openBelow ? 0 : kPadBottom;
    return block;
}

/// In the middle, or at the left edge with room for its bar when it is wider than the column.
void placeFormula(QTextDocument &document, int number, double width)
{
    QTextCursor cursor(document.findBlockByNumber(number));
    QTextBlockFormat format = cursor.blockFormat();
    const QTextBlock block = cursor.block();
    const double content = formulaWidth(block.begin().fragment().charFormat());
    const bool wide = content > width - format.leftMargin();
    const QTextBlockFormat before = format;
    format.setAlignment(wide ? Qt::AlignLeft | Qt::AlignAbsolute : Qt::AlignHCenter);
    format.setBottomMargin(wide ? kTableMarginWithBar : 0);
    if (format != before)
        cursor.setBlockFormat(format);
}

WideBlock ofFormula(const QTextDocument &document, int number)
{
    const QTextBlock text = document.findBlockByNumber(number);
    const QTextBlockFormat format = text.blockFormat();
    WideBlock block;
    block.key = number;
    block.left = format.leftMargin();
    block.right = document.textWidth();
    block.content = formulaWidth(text.begin().fragment().charFormat());
    block.top = text.layout()->position().y();
    block.bottom = block.top + text.layout()->boundingRect().height() + format.bottomMargin();
    return block;
}

WideBlock ofTable(const RenderedSection &section, const QTextTable &table)
{
    const QTextDocument &document = *section.document;
    const QTextBlock first = table.firstCursorPosition().block();
    const QAbstractTextDocumentLayout *layout = document.documentLayout();
    // Of the frame only the size can be relied on: its place is that of the first cell.
    const QSizeF size = layout->frameBoundingRect(const_cast<QTextTable *>(&table)).size();
    WideBlock block;
    block.key = first.blockNumber();
    const QTextTableFormat format = table.format();
    block.left = format.leftMargin();
    block.right = document.textWidth();
    block.top = layout->blockBoundingRect(first).top() - format.cellPadding() - format.border();
    block.bottom =
        std::min(block.top + size.height() - format.topMargin(), document.size().height());
    block.content = size.width() - block.left;
    block.fromRight = format.boolProperty(kTableMirrored);
    return block;
}

} // namespace

double WideBlock::reach() const
{
    const double more = content - (right - left);
    return more > 1 ? more : 0; // less is rounding
}

TableColumns columnsOf(QTextTable *table, const QFont &font)
{
    static const QRegularExpression kGap(QStringLiteral("[ \\x{2028}]"));
    TableColumns columns{table, QList<double>(table->columns(), 0),
                         QList<double>(table->columns(), 0)};
    QFont bold = font; // as headers are
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics(bold);
    for (int row = 0; row < table->rows(); ++row) {
        for (int i = 0; i < table->columns(); ++i) {
            const QTextBlock cell = table->cellAt(row, i).firstCursorPosition().block();
            const QString text = cell.text();
            double &least = columns.least[i], &wanted = columns.wanted[i];
            for (auto it = cell.begin(); !it.atEnd(); ++it)
                least = std::max(least, formulaWidth(it.fragment().charFormat()));
            for (const QString &line : text.split(QChar::LineSeparator)) {
                if (wanted < kMostColumn)
                    wanted = std::max(wanted, metrics.horizontalAdvance(line.left(200)));
            }
            for (const QString &word : text.split(kGap, Qt::SkipEmptyParts)) {
                if (least < kMostColumn)
                    least = std::max(least, metrics.horizontalAdvance(word.left(200)));
            }
        }
    }
    columns.rightToLeft = table->format().boolProperty(kTableMirrored);
    for (qsizetype i = 0; i < columns.least.size(); ++i) {
        // Letters of another font, as those of Arabic, come out a little wider than is said.
        columns.least[i] = std::min(std::ceil(columns.least[i]) + kSlack, kMostColumn);
        columns.wanted[i] =
            std::clamp(std::ceil(columns.wanted[i]) + kSlack, columns.least[i], kMostColumn);
    }
    return columns;
}

/// Where there is room the words of each column stay whole, and the rest goes to those with more
/// text. Narrower than that, each loses the same share.
void fitToPage(const TableColumns &columns, double width)
{
    QTextTableFormat format = columns.table->format();
    const double around = 2 * format.cellPadding() + format.border();
    const double room = width - format.leftMargin() - format.rightMargin() -
                        double(columns.least.size()) * around - format.border();
    const auto sum = [](const QList<double> &widths) {
        return std::accumulate(widths.begin(), widths.end(), 0.0);
    };
    const double least = sum(columns.least), wanted = sum(columns.wanted);
    if (wanted > room) {
        const double share = wanted > least ? std::max(0.0, room - least) / (wanted - least) : 0;
        const double scale = least > room && least > 0 ? std::max(0.0, room) / least : 1;
        QList<QTextLength> lengths;
        for (qsizetype i = 0; i < columns.least.size(); ++i)
            lengths.append(QTextLength(QTextLength::FixedLength,
                                       columns.least[i] * scale +
                                           (columns.wanted[i] - columns.least[i]) * share +
                                           around));
        format.setColumnWidthConstraints(lengths);
    }
    if (columns.rightToLeft) {
        format.setAlignment(Qt::AlignRight);
        format.setRightMargin(format.leftMargin());
        format.setLeftMargin(0);
    }
    columns.table->setFormat(format);
}

void layOutSection(RenderedSection &section, double width)
{
    for (const TableColumns &columns : section.tables)
        fitTable(columns, width);
    for (const int formula : section.formulas)
        placeFormula(*section.document, formula, width);
    section.document->setTextWidth(width);
    if (!section.formulas.isEmpty())
        section.below = section.document->lastBlock().blockFormat().bottomMargin();
    section.document->size(); // lays it out
    section.wide.clear();
    for (const CodeBlock &code : section.codeBlocks)
        section.wide.append(ofCode(section, code));
    for (const TableColumns &columns : section.tables)
        section.wide.append(ofTable(section, *columns.table));
    for (const int formula : section.formulas)
        section.wide.append(ofFormula(*section.document, formula));
    std::sort(section.wide.begin(), section.wide.end(),
              [](const WideBlock &a, const WideBlock &b) { return a.top < b.top; });
}

QRectF sideBar(const WideBlock &block)
{
    return QRectF(block.left + kBarInset, block.bottom - kBarHeight - 4,
                  block.right - block.left - 2 * kBarInset, kBarHeight);
}

QRectF sideThumb(const WideBlock &block, SideShift shift)
{
    const QRectF bar = sideBar(block);
    const double window = block.right - block.left;
    const double width = std::clamp(bar.width() * window / (window + shift.reach),
                                    std::min(kLeastThumb, bar.width()), bar.width());
    const double at = shift.reach > 0 ? shift.offset / shift.reach : 0;
    return QRectF(bar.left() + (bar.width() - width) * at, bar.top(), width, bar.height());
}

} // namespace fireside
