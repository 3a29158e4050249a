#include "ui/chat/chat_pdf.h"

#include <QBuffer>
#include <QFont>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextDocument>
#include <QUrl>

namespace fireside {

namespace {

constexpr double kPageMargin = 18; // mm
constexpr int kResolution = 300, kPointSize = 10;

/// Loads nothing, whatever a text names.
class SealedPages : public QTextDocument
{
protected:
    QVariant loadResource(int, const QUrl &) override { return {}; }
};

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
    SealedPages pages;
    pages.setUndoRedoEnabled(false);
    QFont font;
    font.setPointSize(kPointSize);
    pages.setDefaultFont(font);
    pages.setMarkdown(markdown,
                      QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub |
                                                      QTextDocument::MarkdownNoHTML));
    pages.print(&writer);
    return pdf;
}

} // namespace fireside
