#include "ui/transcript/message_item.h"

#include "ui/style/direction.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/transcript/transcript_text.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fireside {

namespace {

constexpr double kUnseenOpacity = 0.62; // legible, but plainly behind what the model sees

void drawIcon(QPainter &painter, IconName name, IconTint tint, QPointF topLeft, int side)
{
    icon(name, tint).paint(&painter, QRect(topLeft.toPoint(), QSize(side, side)));
}

void paintDivider(QPainter &painter, const QRectF &rect)
{
    const Theme &theme = Theme::current();
    const QString text = TranscriptTexts::tr("The model no longer sees the messages above");
    painter.setFont(Theme::font(0.85));
    const double width = painter.fontMetrics().horizontalAdvance(text) + 24;
    const double y = std::floor(rect.center().y());
    painter.fillRect(QRectF(rect.left(), y, std::max(0.0, (rect.width() - width) / 2), 1),
                     theme.warning);
    painter.fillRect(QRectF(rect.right() - std::max(0.0, (rect.width() - width) / 2), y,
                            std::max(0.0, (rect.width() - width) / 2), 1),
                     theme.warning);
    painter.setPen(theme.warning);
    painter.drawText(rect, Qt::AlignCenter, text);
}

void paintWaiting(QPainter &painter, const QRectF &rect, int phase, const QString &text)
{
    const Theme &theme = Theme::current();
    painter.setPen(Qt::NoPen);
    for (int i = 0; i < 3; ++i) {
        QColor color = theme.accent;
        color.setAlphaF(i == phase % 3 ? 1.0f : 0.35f);
        painter.setBrush(color);
        const QRectF dot(rect.left() + 1.4 + i * 13, rect.center().y() - 3.6, 7.2, 7.2);
        painter.drawEllipse(mirrored(rect, dot));
    }
    painter.setPen(theme.muted);
    painter.setFont(Theme::font(0.92));
    painter.drawText(mirrored(rect, rect.adjusted(50, 0, 0, 0)), Qt::AlignVCenter | Qt::AlignLeft,
                     text);
}

} // namespace

void MessageItem::paintBubble(QPainter &painter)
{
    double top = -1, bottom = -1;
    for (const Row &row : m_rows) {
        if (row.kind == RowKind::Section) {
            if (top < 0)
                top = row.top;
            bottom = row.top + row.height;
        } else if (row.kind == RowKind::ShowAll) {
            bottom = row.top + row.height;
        }
    }
    if (top < 0)
        return;
    const Theme &theme = Theme::current();
    QRectF bubble = bubbleRect();
    bubble.setTop(top - kBubbleTop);
    bubble.setBottom(bottom + kBubbleBottom);
    painter.setPen(theme.highContrast ? QPen(theme.border, 1) : QPen(Qt::NoPen));
    painter.setBrush(theme.userBubble);
    painter.drawRoundedRect(bubble, 14, 14);
}

void MessageItem::paintSectionRow(QPainter &painter, const Row &row, const QRectF &clip,
                                  const Look &look)
{
    const QRectF place = partRect(row.section);
    const Part &part = m_parts[size_t(row.section)];
    if (!part.rendered)
        return; // measured before painting; only a paint between two layouts comes here
    TextRange range;
    if (look.selection) {
        const auto &[from, to] = *look.selection;
        const int end = part.rendered->document->characterCount() - 1;
        if (row.section >= from.section && row.section <= to.section) {
            range.from = row.section == from.section ? std::min(from.offset, end) : 0;
            range.to = row.section == to.section ? std::min(to.offset, end) : end;
        }
    }
    CodeButtons buttons;
    if (look.hovered.kind == Hit::CopyCode && look.hovered.position.section == row.section)
        buttons.hovered = look.hovered.codeBlock;
    if (look.copied.kind == Hit::CopyCode && look.copied.position.section == row.section)
        buttons.copied = look.copied.codeBlock;
    painter.save();
    if (part.section.reasoning) {
        const QRectF column = columnRect();
        const double side = mirrored(column, place).left() - 13;
        painter.fillRect(mirrored(column, QRectF(side, row.top, 2, row.height)),
                         Theme::current().border);
        if (!Theme::current().highContrast && !isCall())
            painter.setOpacity(0.78 * painter.opacity());
    }
    painter.translate(place.topLeft());
    paintSection(painter, *part.rendered,
                 clip.translated(-place.topLeft())
                     .intersected(QRectF(-4, -4, place.width() + 8, place.height() + 8)),
                 range, look.found, buttons, shiftsOf(row.section));
    painter.restore();
}

void MessageItem::paintFocusMark(QPainter &painter)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().accent);
    const QRectF column = columnRect();
    const double x = fromUser() ? column.right() + 11 : column.left() - 14;
    painter.drawRoundedRect(mirrored(column, QRectF(x, 12, 3, m_height - kFooter - 14)), 1.5, 1.5);
}

void MessageItem::paintCaption(QPainter &painter, const QRectF &rect)
{
    const Theme &theme = Theme::current();
    const QRectF flame(rect.left() - 2, rect.top() + (rect.height() - 8 - 16) / 2, 16, 16);
    drawIcon(painter, IconName::Flame, IconTint::Accent, mirrored(rect, flame).topLeft(), 16);
    painter.setFont(Theme::font(0.85, true));
    painter.setPen(theme.muted);
    painter.drawText(
        mirrored(rect, rect.adjusted(19, 0, 0, -8)), Qt::AlignVCenter | Qt::AlignLeft,
        painter.fontMetrics().elidedText(speaker(), Qt::ElideMiddle, int(rect.width()) - 20));
}

/// Around everything of a call.
void MessageItem::paintCallCard(QPainter &painter)
{
    const Theme &theme = Theme::current();
    double bottom = 0;
    for (const Row &row : m_rows)
        if (row.kind != RowKind::Footer)
            bottom = row.top + row.height;
    double top = 0;
    for (const Row &row : m_rows)
        if (row.kind == RowKind::CallHeader)
            top = row.top;
    const QRectF column = columnRect();
    const QRectF card(column.left(), top, column.width(), bottom - top);
    const bool asks =
        m_call->stage == CallRecord::Asking && m_message.state == Message::State::Streaming;
    painter.setPen(QPen(asks ? theme.accent : theme.border, asks ? 1.5 : 1));
    painter.setBrush(theme.surface);
    painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 10, 10);
}

void MessageItem::paintCallHeader(QPainter &painter, const QRectF &rect, int phase)
{
    const Theme &theme = Theme::current();
    const bool runs = m_message.state == Message::State::Streaming;
    const bool done =
        !runs && m_call->stage == CallRecord::Over && m_call->kind == ToolResult::Done;
    const bool wrong =
        !runs && (m_call->kind == ToolResult::ToolError || m_call->kind == ToolResult::Failed);
    const QRectF inner = rect.adjusted(14, 0, -14, 0);
    double left = inner.left();
    if (runs) {
        painter.save();
        painter.translate(left - 4, inner.center().y());
        painter.setPen(Qt::NoPen);
        for (int i = 0; i < 3; ++i) {
            QColor color = theme.accent;
            color.setAlphaF(i == phase % 3 ? 1.0f : 0.35f);
            painter.setBrush(color);
            painter.drawEllipse(QPointF(5 + i * 8, 0), 2.6, 2.6);
        }
        painter.restore();
        left += 28;
    } else {
        drawIcon(painter,
                 done    ? IconName::Check
                 : wrong ? IconName::Error
                         : IconName::Stop,
                 done    ? IconTint::Success
                 : wrong ? IconTint::Error
                         : IconTint::Muted,
                 QPointF(left, inner.center().y() - 8), 16);
        left += 24;
    }
    painter.setFont(Theme::font(0.92));
    const QString state = callState();
    const double most = inner.width() * 0.5;
    const double stateWidth = std::min(most, painter.fontMetrics().horizontalAdvance(state) + 2.0);
    painter.setPen(wrong ? theme.error : theme.muted);
    const QRectF right(inner.right() - stateWidth, inner.top(), stateWidth, inner.height());
    painter.drawText(right, Qt::AlignVCenter | Qt::AlignRight,
                     painter.fontMetrics().elidedText(state, Qt::ElideRight, int(stateWidth)));
    painter.setFont(Theme::font(0.92, true));
    painter.setPen(theme.text);
    const QRectF title(left, inner.top(), right.left() - left - 10, inner.height());
    painter.drawText(
        title, Qt::AlignVCenter | Qt::AlignLeft,
        painter.fontMetrics().elidedText(callTitle(), Qt::ElideMiddle, int(title.width())));
}

void MessageItem::paintReasoningHeader(QPainter &painter, const QRectF &rect, bool hovered)
{
    const Theme &theme = Theme::current();
    painter.setFont(Theme::font(0.92));
    const double width = painter.fontMetrics().horizontalAdvance(reasoningTitle()) + 44;
    const double inset = isCall() ? 14 : 0;
    const QRectF pill =
        mirrored(rect, QRectF(rect.left() + inset, rect.top() + 2, width, rect.height() - 12));
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(hovered ? theme.hover : theme.codeBackground);
    painter.drawRoundedRect(pill.adjusted(0.5, 0.5, -0.5, -0.5), pill.height() / 2,
                            pill.height() / 2);
    const QRectF arrow(pill.left() + 10, pill.center().y() - 7, 14, 14);
    drawIcon(painter, m_reasoningShown ? IconName::ChevronDown : IconName::ChevronRight,
             IconTint::Muted, mirrored(pill, arrow).topLeft(), 14);
    painter.setPen(theme.muted);
    painter.drawText(mirrored(pill, pill.adjusted(28, 0, -8, 0)), Qt::AlignVCenter | Qt::AlignLeft,
                     reasoningTitle());
}

void MessageItem::paintShowAll(QPainter &painter, const QRectF &rect, bool hovered)
{
    const Theme &theme = Theme::current();
    painter.setFont(Theme::font(0.92));
    const QString size =
        QLocale().formattedDataSize(m_message.text.size(), 1, QLocale::DataSizeTraditionalFormat);
    const QString text = folded() ? TranscriptTexts::tr("Show the whole message (%1)").arg(size)
                                  : TranscriptTexts::tr("Show all %1 as plain text").arg(size);
    const double width = painter.fontMetrics().horizontalAdvance(text) + 28;
    const QRectF pill =
        fromUser()
            ? QRectF(partRect(0).left(), rect.top() + 10, width, rect.height() - 14)
            : mirrored(rect, QRectF(rect.left(), rect.top() + 10, width, rect.height() - 14));
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(hovered ? theme.hover : theme.surface);
    painter.drawRoundedRect(pill.adjusted(0.5, 0.5, -0.5, -0.5), 7, 7);
    painter.setPen(theme.accent);
    painter.drawText(pill, Qt::AlignCenter, text);
}

void MessageItem::paintNotice(QPainter &painter, const QRectF &rect)
{
    const Theme &theme = Theme::current();
    const bool failed = m_message.state == Message::State::Failed;
    const QRectF box = rect.adjusted(0, 4, 0, -4);
    if (failed) {
        painter.setPen(theme.highContrast ? QPen(theme.error, 1) : QPen(Qt::NoPen));
        painter.setBrush(theme.errorSurface);
        painter.drawRoundedRect(box, Theme::kRadius, Theme::kRadius);
    }
    const double inset = failed ? 10 : 0;
    const QRectF sign(box.left() + inset, box.top() + 6, 16, 16);
    drawIcon(painter, failed ? IconName::Error : IconName::Stop,
             failed ? IconTint::Error : IconTint::Muted, mirrored(box, sign).topLeft(), 16);
    painter.setFont(Theme::font(0.92));
    painter.setPen(failed ? theme.error : theme.muted);
    painter.drawText(mirrored(box, box.adjusted(inset + 22, 5, -6, 0)),
                     Qt::TextWordWrap | Qt::AlignLeft, noticeText());
}

/// "2 of 3", where the buttons are not shown.
void MessageItem::paintBranches(QPainter &painter, const QRectF &rect)
{
    painter.setFont(Theme::font(0.85));
    painter.setPen(Theme::current().muted);
    painter.drawText(rect, Qt::AlignVCenter | (fromUser() ? Qt::AlignRight : Qt::AlignLeft),
                     TranscriptTexts::tr("%1 of %2")
                         .arg(m_message.siblingIndex + 1)
                         .arg(m_message.siblingCount));
}

void MessageItem::paintRow(QPainter &painter, const Row &row, const QRectF &clip, const Look &look)
{
    const QRectF column = columnRect();
    const QRectF rect(column.left(), row.top, column.width(), row.height);
    switch (row.kind) {
    case RowKind::Divider:
        paintDivider(painter, rect);
        break;
    case RowKind::Caption:
        paintCaption(painter, rect);
        break;
    case RowKind::CallHeader:
        paintCallHeader(painter, rect, look.phase);
        break;
    case RowKind::ReasoningHeader:
        paintReasoningHeader(painter, rect, look.hovered.kind == Hit::Reasoning);
        break;
    case RowKind::Section:
        paintSectionRow(painter, row, clip, look);
        break;
    case RowKind::ShowAll:
        paintShowAll(painter, rect, look.hovered.kind == Hit::ShowAll);
        break;
    case RowKind::Waiting:
        paintWaiting(painter, rect, look.phase, look.waiting);
        break;
    case RowKind::Notice:
        paintNotice(painter, rect);
        break;
    case RowKind::Footer:
        if (look.branches && m_message.siblingCount > 1)
            paintBranches(painter, rect);
        break;
    case RowKind::Editor:
    case RowKind::Gap:
        break;
    }
}

void MessageItem::paint(QPainter &painter, const QRectF &clip, const Look &look)
{
    rows();
    painter.setRenderHint(QPainter::Antialiasing);
    if (look.unseen && !Theme::current().highContrast)
        painter.setOpacity(kUnseenOpacity);
    if (look.focused)
        paintFocusMark(painter);
    if (fromUser() && m_editorHeight <= 0)
        paintBubble(painter);
    if (isCall())
        paintCallCard(painter);
    for (const Row &row : m_rows) {
        if (row.top > clip.bottom())
            break;
        if (row.top + row.height >= clip.top())
            paintRow(painter, row, clip, look);
    }
}

} // namespace fireside
