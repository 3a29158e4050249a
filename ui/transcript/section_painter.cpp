#include "ui/transcript/section_painter.h"

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/transcript/formula_object.h"
#include "ui/transcript/transcript_text.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QPainterPath>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextLayout>
#include <QTextTable>

#include <algorithm>

namespace fireside {

namespace {

/// Top and bottom of a block's lines in the document.
std::pair<double, double> linesOf(const QTextBlock &block)
{
    const QTextLayout *layout = block.layout();
    if (layout->lineCount() == 0)
        return {layout->position().y(), layout->position().y()};
    const QTextLine last = layout->lineAt(layout->lineCount() - 1);
    return {layout->position().y() + layout->lineAt(0).y(),
            layout->position().y() + last.y() + last.height()};
}

QRectF codeBoxRect(const RenderedSection &section, const CodeBlock &code)
{
    const QTextDocument &document = *section.document;
    const double top = section.above + linesOf(document.findBlockByNumber(code.firstBlock)).first;
    const double bottom =
        section.above + linesOf(document.findBlockByNumber(code.lastBlock)).second;
    using namespace codebox;
    return QRectF(QPointF(code.left, top - code.paddingAbove()),
                  QPointF(document.textWidth(), bottom + (code.openBelow ? 0 : kPadBottom)));
}

void paintCodeBox(QPainter &painter, const RenderedSection &section, int index, const Theme &theme,
                  CodeButtons buttons)
{
    const CodeBlock &code = section.codeBlocks.at(index);
    QRectF box = codeBoxRect(section, code).adjusted(0.5, 0, -0.5, 0);
    painter.save();
    painter.setClipRect(box.adjusted(-1, -1, 1, 1), Qt::IntersectClip);
    // An end that goes on in the neighbouring section is drawn beyond the clip.
    const QRectF shape = box.adjusted(0, code.openAbove ? -20 : 0.5, 0, code.openBelow ? 20 : -0.5);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.codeBackground);
    painter.drawRoundedRect(shape, Theme::kRadius, Theme::kRadius);
    painter.restore();
    if (!code.header)
        return;

    painter.setFont(Theme::font(0.85));
    painter.setPen(theme.muted);
    const QRectF button = copyButtonRect(section, index);
    const QRectF label(box.left() + codebox::kPadX, box.top(),
                       button.left() - box.left() - 2 * codebox::kPadX, codebox::kHeader);
    // Code reads from the left in every language, and so does what stands above it.
    const int way = code.language.isEmpty() ? 0 : Qt::TextForceLeftToRight; // of C++, too
    painter.drawText(label, Qt::AlignVCenter | Qt::AlignLeft | Qt::AlignAbsolute | way,
                     painter.fontMetrics().elidedText(
                         code.language.isEmpty() ? TranscriptTexts::tr("Code") : code.language,
                         Qt::ElideRight, int(label.width())));
    const bool copied = buttons.copied == index;
    if (buttons.hovered == index) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.hover);
        painter.drawRoundedRect(button, 5, 5);
    }
    const QRect mark(int(button.left()) + 7, int(button.center().y()) - 7, 14, 14);
    icon(copied ? IconName::Check : IconName::Copy, copied ? IconTint::Success : IconTint::Muted)
        .paint(&painter, mark);
    painter.setPen(buttons.hovered == index ? theme.text : theme.muted);
    painter.drawText(button.adjusted(26, 0, -4, 0),
                     Qt::AlignVCenter | Qt::AlignLeft | Qt::AlignAbsolute,
                     copied ? TranscriptTexts::tr("Copied") : TranscriptTexts::tr("Copy"));
}

/// The block above, which is the one before a table for what stands below the table: places in
/// cells are relative to the table.
QTextBlock blockAbove(const QTextBlock &block)
{
    const QTextBlock before = block.previous();
    const QTextTable *table = before.isValid() ? QTextCursor(before).currentTable() : nullptr;
    return table ? table->firstCursorPosition().block().previous() : before;
}

/// The bars of the quotes around a block, up to the block above so that they have no gaps.
void paintQuoteBars(QPainter &painter, const QTextBlock &block, double width, const QColor &color)
{
    const QList<QVariant> bars = block.blockFormat().property(kBlockQuote).toList();
    const auto [top, bottom] = linesOf(block);
    const QTextBlock before = blockAbove(block);
    const QTextBlock &words = block.text().isEmpty() && before.isValid() ? before : block;
    const bool fromRight = words.textDirection() == Qt::RightToLeft;
    const QList<QVariant> joined =
        before.isValid() ? before.blockFormat().property(kBlockQuote).toList() : QList<QVariant>();
    for (qsizetype i = 0; i < bars.size(); ++i) {
        const double at = bars[i].toDouble();
        const bool goesOn = i < joined.size() && joined[i] == bars[i];
        const double from = goesOn ? std::min(top, linesOf(before).second) : top;
        painter.fillRect(QRectF(fromRight ? width - at - 3 : at, from, 3, bottom - from), color);
    }
}

void paintBlockMarks(QPainter &painter, const QTextBlock &block, double width,
                     const RenderStyle &style)
{
    const Theme &theme = style.theme;
    const QTextBlockFormat format = block.blockFormat();
    const auto [top, bottom] = linesOf(block);
    const bool fromRight = block.textDirection() == Qt::RightToLeft;
    if (format.hasProperty(kBlockQuote))
        paintQuoteBars(painter, block, width, theme.border);
    if (const QString marker = format.stringProperty(kBlockMarker); !marker.isEmpty()) {
        const QTextLayout *layout = block.layout();
        if (layout->lineCount() > 0) {
            painter.setFont(style.text);
            painter.setPen(theme.muted);
            const QTextLine line = layout->lineAt(0);
            const double baseline = layout->position().y() + line.y() + line.ascent();
            const double wide = painter.fontMetrics().horizontalAdvance(marker);
            const double left = layout->position().x() + line.x();
            const double place = fromRight ? left + line.width() + 8 : left - 8 - wide;
            const Qt::LayoutDirection before = painter.layoutDirection();
            painter.setLayoutDirection(block.textDirection()); // which side of a number its dot is
            painter.drawText(QPointF(place, baseline), marker);
            painter.setLayoutDirection(before);
        }
    }
    if (format.boolProperty(kBlockRule))
        painter.fillRect(
            QRectF(format.leftMargin(), (top + bottom) / 2, width - format.leftMargin(), 1),
            theme.border);
}

/// Marks words searched for in the blocks that are painted.
void addFoundWords(QAbstractTextDocumentLayout::PaintContext &context,
                   const QTextDocument &document, const QStringList &words)
{
    const Theme &theme = Theme::current();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const auto [top, bottom] = linesOf(block);
        if (bottom < context.clip.top() || top > context.clip.bottom())
            continue;
        for (const auto &[start, length] : findInBlock(block, words)) {
            QAbstractTextDocumentLayout::Selection mark;
            mark.cursor = QTextCursor(block);
            mark.cursor.setPosition(block.position() + start);
            mark.cursor.setPosition(block.position() + start + length, QTextCursor::KeepAnchor);
            mark.format.setBackground(theme.match);
            mark.format.setForeground(theme.text);
            if (theme.highContrast)
                mark.format.setFontUnderline(true);
            context.selections.append(mark);
        }
    }
}

/// The text between the blocks that can be moved, and each of those behind its window.
void drawText(QPainter &painter, const RenderedSection &section,
              QAbstractTextDocumentLayout::PaintContext context, const QList<SideShift> &shifts)
{
    const QRectF clip = context.clip;
    const auto draw = [&](const QRectF &window, double offset) {
        if (window.isEmpty())
            return;
        painter.save();
        painter.setClipRect(window, Qt::IntersectClip);
        painter.translate(-offset, 0);
        context.clip = window.translated(offset, 0);
        section.document->documentLayout()->draw(&painter, context);
        painter.restore();
    };
    double y = clip.top();
    for (qsizetype i = 0; i < shifts.size(); ++i) {
        const WideBlock &block = section.wide.at(i);
        if (shifts[i].reach <= 0)
            continue;
        draw(QRectF(QPointF(clip.left(), y), QPointF(clip.right(), block.top)) & clip, 0);
        draw(QRectF(QPointF(block.left, block.top), QPointF(block.right, block.bottom)) & clip,
             shifts[i].offset);
        y = std::max(y, block.bottom);
    }
    draw(QRectF(QPointF(clip.left(), y), clip.bottomRight()) & clip, 0);
}

void paintSideBars(QPainter &painter, const RenderedSection &section,
                   const QList<SideShift> &shifts)
{
    const Theme &theme = Theme::current();
    for (qsizetype i = 0; i < shifts.size(); ++i) {
        const WideBlock &block = section.wide.at(i);
        if (shifts[i].reach <= 0 || !block.bar)
            continue;
        QColor color = theme.muted;
        color.setAlphaF(theme.highContrast ? 1.0f : 0.55f);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(sideThumb(block, shifts[i]), 2.5, 2.5);
    }
}

} // namespace

QRectF copyButtonRect(const RenderedSection &section, int codeBlock)
{
    const CodeBlock &code = section.codeBlocks.at(codeBlock);
    if (!code.header)
        return {};
    const QRectF box = codeBoxRect(section, code);
    const QFontMetricsF metrics(Theme::font(0.85));
    const double width = std::max(metrics.horizontalAdvance(TranscriptTexts::tr("Copy")),
                                  metrics.horizontalAdvance(TranscriptTexts::tr("Copied"))) +
                         36;
    return QRectF(box.right() - width - 5, box.top() + 5, width, codebox::kHeader - 8);
}

int copyButtonAt(const RenderedSection &section, QPointF point)
{
    for (int i = 0; i < section.codeBlocks.size(); ++i) {
        if (copyButtonRect(section, i).contains(point))
            return i;
    }
    return -1;
}

void paintDecorations(QPainter &painter, const RenderedSection &section, const QRectF &clip,
                      const RenderStyle &style, CodeButtons buttons)
{
    const QTextDocument &document = *section.document;
    for (int i = 0; i < section.codeBlocks.size(); ++i) {
        if (codeBoxRect(section, section.codeBlocks.at(i)).intersects(clip))
            paintCodeBox(painter, section, i, style.theme, buttons);
    }
    painter.translate(0, section.above);
    const double from = clip.top() - section.above, to = clip.bottom() - section.above;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const QTextBlockFormat format = block.blockFormat();
        const auto [top, bottom] = linesOf(block);
        const bool quote = format.hasProperty(kBlockQuote); // reaches up to the block before
        if ((quote || format.hasProperty(kBlockMarker) || format.hasProperty(kBlockRule)) &&
            bottom >= from && (quote || top <= to))
            paintBlockMarks(painter, block, document.textWidth(), style);
    }
    painter.translate(0, -section.above);
}

void paintSection(QPainter &painter, const RenderedSection &section, const QRectF &clip,
                  TextRange selection, const QStringList &found, CodeButtons buttons,
                  const QList<SideShift> &shifts)
{
    const Theme &theme = Theme::current();
    painter.setRenderHint(QPainter::Antialiasing);
    paintDecorations(painter, section, clip, RenderStyle::screen(), buttons);
    painter.translate(0, section.above);
    QAbstractTextDocumentLayout::PaintContext context;
    context.clip = clip.translated(0, -section.above);
    context.palette.setColor(QPalette::Text, theme.text);
    if (!found.isEmpty())
        addFoundWords(context, *section.document, found);
    if (selection.from != selection.to) {
        QAbstractTextDocumentLayout::Selection chosen;
        chosen.cursor = QTextCursor(section.document.get());
        chosen.cursor.setPosition(selection.from);
        chosen.cursor.setPosition(selection.to, QTextCursor::KeepAnchor);
        chosen.format.setBackground(theme.accent);
        chosen.format.setForeground(theme.accentText);
        context.selections.append(chosen);
    }
    drawText(painter, section, context, shifts);
    paintSideBars(painter, section, shifts);
    painter.translate(0, -section.above);
}

} // namespace fireside
