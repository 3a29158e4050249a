#include "ui/chat/chat_pdf.h"

#include "ui/transcript/formula_object.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QFont>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>
#include <QUrl>

namespace fireside {

namespace {

constexpr double kPageMargin = 18; // mm
constexpr int kResolution = 300, kPointSize = 10;
constexpr double kCellPadding = 0.04; // inches

/// Loads nothing, whatever a text names.
class SealedPages : public QTextDocument
{
protected:
    QVariant loadResource(int, const QUrl &) override { return {}; }
};

/// Paper cannot be moved sideways: code wraps, and so does any word that is too long.
void wrapAll(QTextDocument &pages, double cellPadding)
{
    QTextOption option = pages.defaultTextOption();
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    pages.setDefaultTextOption(option);
    for (QTextBlock block = pages.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format;
        format.setNonBreakableLines(false);
        cursor.mergeBlockFormat(format);
        if (QTextTable *table = cursor.currentTable()) {
            QTextTableFormat look = table->format();
            look.setBorderCollapse(true);
            look.setCellPadding(cellPadding);
            if (look != table->format())
                table->setFormat(look);
        }
    }
}

} // namespace

QByteArray toPdf(const QString &markdown, const QString &title)
{
    QByteArray pdf;
    QBuffer buffer(&pdf);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(title);
    writer.setResolution(kResolution);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(kPageMargin, kPageMargin, kPageMargin, kPageMargin),
                          QPageLayout::Millimeter);
    printPages(markdown, writer);
    return pdf;
}

void printPages(const QString &markdown, QPagedPaintDevice &device)
{
    SealedPages pages;
    pages.setUndoRedoEnabled(false);
    QFont font;
    font.setPointSize(kPointSize);
    pages.setDefaultFont(font);
    FormulaMarks formulas;
    pages.setMarkdown(formulas.hide(FormulaMarks::markless(markdown)),
                      QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub |
                                                      QTextDocument::MarkdownNoHTML));
    wrapAll(pages, kCellPadding * device.logicalDpiX());
    pages.documentLayout()->setPaintDevice(&device);
    pages.setDocumentMargin(0);
    pages.setPageSize(QSizeF(device.width(), device.height()));
    showFormulas(pages, formulas, kPointSize * device.logicalDpiX() / 72.0, device.width());
    pages.print(&device);
}

} // namespace fireside
