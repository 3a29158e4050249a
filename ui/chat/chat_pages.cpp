#include "ui/chat/chat_pages.h"

#include "ui/transcript/formula_object.h"
#include "ui/transcript/section_painter.h"
#include "ui/transcript/text_direction.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QPageRanges>
#include <QPagedPaintDevice>
#include <QPainter>
#include <QSet>
#include <QTextBlock>
#include <QTextTable>

#include <limits>

namespace fireside {

namespace {

/// Pixels to the inch that documents are laid out with.
double layoutDpi()
{
    return QImage(1, 1, QImage::Format_Mono).logicalDpiX();
}

/// The pieces of a long text or code block, which only the window needs, as one.
QList<Section> joinedSections(const QList<Section> &sections)
{
    QList<Section> joined;
    for (const Section &section : sections) {
        if (!joined.isEmpty()) {
            Section &last = joined.last();
            const bool plain = section.kind == Section::Kind::Plain && section.kind == last.kind;
            if ((plain || section.continued) && section.start == last.start + last.length) {
                last.length += section.length;
                last.continues = section.continues;
                continue;
            }
        }
        joined.append(section);
    }
    return joined;
}

} // namespace

ChatPages::ChatPages(QSizeF inches)
    : m_dpi(layoutDpi())
    , m_size(inches * m_dpi)
    , m_style(RenderStyle::page(m_size, m_dpi))
{
    m_content.document = newDocument(m_style);
    m_content.document->setUseDesignMetrics(true); // paper has more pixels than this layout
}

void ChatPages::add(const ChatBlock &block)
{
    const TextStyle style = block.typed ? TextStyle::Verbatim : TextStyle::Reply;
    // One part, so that no mark in the text is taken for thoughts.
    const QList<MessagePart> parts{{MessagePart::Text, 0, block.text.size(), {}}};
    const SplitMessage split =
        splitMessage(block.text, style, parts, false, std::numeric_limits<qsizetype>::max());
    for (const Section &section : joinedSections(split.sections))
        appendSection(m_content, m_style, section,
                      QStringView(block.text).mid(section.start, section.length), split.references);
}

void ChatPages::layOut()
{
    QTextDocument &document = *m_content.document;
    settleDirections(document);
    for (const TableColumns &columns : m_content.tables)
        fitToPage(columns, m_size.width());
    if (m_content.hasFormulas)
        drawFormulas(document);
    document.setPageSize(m_size);
}

bool ChatPages::paint(QPagedPaintDevice &device)
{
    layOut();
    QPainter painter(&device);
    if (!painter.isActive())
        return false;
    painter.scale(device.logicalDpiX() / m_dpi, device.logicalDpiY() / m_dpi);
    const QPageRanges ranges = device.pageRanges();
    bool first = true;
    for (int page = 1; page <= m_content.document->pageCount(); ++page) {
        if (!ranges.isEmpty() && !ranges.contains(page))
            continue;
        if (!first && !device.newPage())
            return false;
        first = false;
        paintPage(painter, page);
    }
    return painter.end();
}

void ChatPages::paintPage(QPainter &painter, int page) const
{
    const QRectF view(QPointF(0, (page - 1) * m_size.height()), m_size);
    painter.save();
    painter.translate(0, -view.top());
    painter.setClipRect(view.adjusted(-1, 0, 1, 0));
    paintDecorations(painter, m_content, view, m_style, {});
    QAbstractTextDocumentLayout::PaintContext context;
    context.clip = view;
    context.palette.setColor(QPalette::Text, m_style.theme.text);
    m_content.document->documentLayout()->draw(&painter, context);
    painter.restore();
}

QString ChatPages::missingCharacters() const
{
    const QFontMetricsF text(m_style.text), code(m_style.code);
    QSet<char32_t> seen;
    QString missing;
    for (QTextBlock block = m_content.document->begin(); block.isValid(); block = block.next()) {
        for (const char32_t c : block.text().toStdU32String()) {
            if (c <= ' ' || c == QChar::ObjectReplacementCharacter || seen.contains(c))
                continue;
            seen.insert(c);
            const QChar::Category category = QChar::category(c);
            const bool drawn = category != QChar::Other_Format &&
                               category != QChar::Other_Control &&
                               category != QChar::Separator_Line && !QChar::isSpace(c) &&
                               category != QChar::Mark_NonSpacing;
            if (drawn && !text.inFontUcs4(c) && !code.inFontUcs4(c))
                missing += QString::fromUcs4(&c, 1);
        }
    }
    return missing;
}

} // namespace fireside
