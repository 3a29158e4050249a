// Tables of Markdown.
#include "ui/transcript/markdown_builder.h"
#include "ui/transcript/text_direction.h"

#include <QTextBlock>
#include <QTextDocumentFragment>
#include <QTextTable>

namespace fireside {

namespace {

QTextBlockFormat collapsed()
{
    QTextBlockFormat format; // the empty block that a table needs before and after it
    format.setLineHeight(0, QTextBlockFormat::FixedHeight);
    return format;
}

QTextCharFormat tiny()
{
    QTextCharFormat format;
    format.setFontPointSize(1);
    return format;
}

QTextCursor contentOf(const QTextTableCell &cell)
{
    QTextCursor content = cell.firstCursorPosition();
    content.setPosition(cell.lastPosition(), QTextCursor::KeepAnchor);
    return content;
}

void shadeHeader(QTextTableCell cell, const QColor &shade)
{
    QTextTableCellFormat look = cell.format().toTableCellFormat();
    look.setBackground(shade);
    cell.setFormat(look);
}

/// In a table from right to left, what has no direction, as numbers, stands at the right, too.
void alignMirrored(const QTextTable &table)
{
    for (int row = 0; row < table.rows(); ++row) {
        for (int column = 0; column < table.columns(); ++column) {
            QTextCursor cell = table.cellAt(row, column).firstCursorPosition();
            QTextBlockFormat format = cell.blockFormat();
            if (format.alignment() != Qt::AlignLeft || directionOf(cell.block()) == Qt::RightToLeft)
                continue;
            format.setAlignment(Qt::AlignRight | Qt::AlignAbsolute);
            cell.setBlockFormat(format);
        }
    }
}

} // namespace

/// The block takes no room.
void MarkdownBuilder::collapse()
{
    QTextBlockFormat format = collapsed();
    markQuotes(format);
    m_cursor.setBlockFormat(format);
    m_cursor.setBlockCharFormat(tiny());
}

void MarkdownBuilder::beginTable(const MD_BLOCK_TABLE_DETAIL &detail)
{
    // A list's marker keeps its line: a table cannot stand in it.
    const bool marked =
        m_cursor.blockFormat().hasProperty(kBlockMarker) || !m_cursor.block().text().isEmpty();
    if (!m_fresh && (!m_firstOfItem || marked))
        m_cursor.insertBlock();
    collapse();
    m_fresh = m_firstOfItem = false;
    QTextTableFormat format;
    format.setBorder(1);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(m_style.theme.border);
    format.setBorderCollapse(true);
    format.setCellPadding(m_style.paper ? 4 : 7);
    format.setCellSpacing(0);
    format.setTopMargin(6);
    format.setBottomMargin(6);
    format.setLeftMargin(indent());
    format.setHeaderRowCount(1);
    m_table = m_cursor.insertTable(int(detail.head_row_count + detail.body_row_count),
                                   int(detail.col_count), format);
    m_row = -1;
    m_mirrored = false;
}

/// Qt has no tables from right to left.
int MarkdownBuilder::placeOf(int column) const
{
    return m_mirrored ? m_table->columns() - 1 - column : column;
}

/// A table whose header has words that are read from the right is: what stands in the header so far
/// changes its place, the rest comes there at once.
void MarkdownBuilder::endHeaderCell()
{
    if (m_mirrored || m_column >= m_table->columns() ||
        directionOf(m_table->cellAt(m_row, m_column).firstCursorPosition().block()) !=
            Qt::RightToLeft)
        return;
    QList<QTextDocumentFragment> texts;
    QList<QTextBlockFormat> formats;
    for (int i = 0; i <= m_column; ++i) {
        QTextCursor content = contentOf(m_table->cellAt(m_row, i));
        formats += content.blockFormat();
        texts += content.selection();
        content.removeSelectedText();
    }
    m_mirrored = true;
    for (int i = 0; i <= m_column; ++i) {
        const QTextTableCell cell = m_table->cellAt(m_row, placeOf(i));
        QTextCursor place = cell.firstCursorPosition();
        place.setBlockFormat(formats[i]);
        place.insertFragment(texts[i]);
        shadeHeader(cell, m_style.theme.sunken);
    }
    QTextTableFormat format = m_table->format();
    format.setProperty(kTableMirrored, true);
    m_table->setFormat(format);
}

void MarkdownBuilder::beginCell(const MD_BLOCK_TD_DETAIL &detail, bool header)
{
    ++m_column;
    QTextTableCell cell = m_table->cellAt(m_row, placeOf(m_column));
    m_block = m_base;
    if (header)
        m_block.setFontWeight(QFont::DemiBold);
    if (!cell.isValid())
        return; // md4c announced fewer rows than it sends: append to the cell before
    m_cursor = cell.firstCursorPosition();
    QTextBlockFormat format;
    format.setAlignment(detail.align == MD_ALIGN_CENTER  ? Qt::AlignHCenter
                        : detail.align == MD_ALIGN_RIGHT ? Qt::AlignRight
                                                         : Qt::AlignLeft);
    m_cursor.setBlockFormat(format);
    m_cursor.setBlockCharFormat(m_block);
    // Last: a cell's own format is its first block's character format.
    if (header)
        shadeHeader(cell, m_style.theme.sunken);
}

void MarkdownBuilder::endTable()
{
    if (m_mirrored)
        alignMirrored(*m_table);
    m_target.tables.append(columnsOf(m_table, m_style.text));
    m_cursor = m_table->lastCursorPosition();
    m_cursor.movePosition(QTextCursor::NextBlock);
    collapse();
    m_table = nullptr;
    m_fresh = true; // what follows may use the empty block after the table
}

} // namespace fireside
