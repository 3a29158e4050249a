#include "ui/chat/conversation_delegate.h"

#include "ui/chat/conversation_model.h"
#include "ui/style/icons.h"
#include "ui/style/text_fields.h"
#include "ui/style/theme.h"
#include "ui/transcript/found_words.h"

#include <QPainter>
#include <QStyle>
#include <QTextLayout>

namespace fireside {

namespace {

constexpr int kCardPadX = 12, kCardPadY = 8, kMenuWidth = 26, kMenuIcon = 16, kIndent = 12;

/// One elided line with the matches marked.
void drawLine(QPainter &painter, const QRect &rect, const QString &text, const QFont &font,
              const QColor &color, const QStringList &words)
{
    const QFontMetrics metrics(font);
    QTextLayout layout(metrics.elidedText(text, Qt::ElideRight, rect.width()), font);
    QTextOption option;
    option.setWrapMode(QTextOption::NoWrap);
    option.setAlignment(Qt::AlignLeft | Qt::AlignAbsolute); // placed below, whatever its language
    layout.setTextOption(option);
    QList<QTextLayout::FormatRange> marks;
    for (const auto &[start, length] : findWords(layout.text(), words)) {
        QTextCharFormat format;
        format.setBackground(Theme::current().match);
        format.setForeground(Theme::current().text);
        if (Theme::current().highContrast)
            format.setFontUnderline(true);
        marks.append({int(start), int(length), format});
    }
    layout.setFormats(marks);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    if (line.isValid())
        line.setLineWidth(1e6);
    layout.endLayout();
    painter.setPen(color);
    const double left = painter.layoutDirection() == Qt::RightToLeft
                            ? rect.right() + 1 - line.naturalTextWidth()
                            : rect.left();
    layout.draw(&painter, QPointF(left, rect.top() + (rect.height() - metrics.height()) / 2.0));
}

} // namespace

void ConversationDelegate::setSearch(const QString &search)
{
    m_words = searchWords(search);
}

QRect ConversationDelegate::menuRect(const QRect &row, Qt::LayoutDirection direction)
{
    const QRect place(row.right() - kMenuWidth - 2, row.top() + 3, kMenuWidth, row.height() - 6);
    return QStyle::visualRect(direction, row, place);
}

QSize ConversationDelegate::sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const
{
    int height = QFontMetrics(Theme::font(1.0)).height() + 2 * kCardPadY;
    if (!index.data(ConversationModel::SnippetRole).toString().isEmpty())
        height += QFontMetrics(Theme::font(0.85)).height() + 2;
    return QSize(120, height);
}

void ConversationDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                                 const QModelIndex &index) const
{
    const Theme &theme = Theme::current();
    const bool chosen = option.state & QStyle::State_Selected;
    const bool hovered = option.state & QStyle::State_MouseOver;
    const QRect card = option.rect.adjusted(0, 1, 0, -1);
    const auto placed = [&](const QRect &place) {
        return QStyle::visualRect(option.direction, card, place);
    };
    painter->save();
    painter->setLayoutDirection(option.direction);
    painter->setRenderHint(QPainter::Antialiasing);
    const bool focused =
        (option.state & QStyle::State_HasFocus) && option.widget && option.widget->hasFocus();
    painter->setPen(focused ? QPen(theme.accent, 1) : QPen(Qt::NoPen));
    painter->setBrush(chosen ? theme.selected : hovered ? theme.hover : QColor(Qt::transparent));
    painter->drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7);
    if (chosen) { // not by a shade alone: the row under the pointer has one too
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.accent);
        const QRectF bar(card.left(), card.top() + 7, 3, card.height() - 14);
        painter->drawRoundedRect(placed(bar.toRect()), 1.5, 1.5);
    }

    QRect inner = card.adjusted(kCardPadX, kCardPadY - 1, -kCardPadX, -kCardPadY + 1);
    if (hovered) {
        const QRect place = menuRect(option.rect, option.direction);
        icon(IconName::More, IconTint::Muted)
            .paint(painter, QRect(place.center() - QPoint(kMenuIcon / 2 - 1, kMenuIcon / 2 - 1),
                                  QSize(kMenuIcon, kMenuIcon)));
        inner.setRight(inner.right() - kMenuWidth + kCardPadX / 2);
    } else if (index.data(ConversationModel::PinnedRole).toBool()) {
        icon(IconName::Pin, IconTint::Accent)
            .paint(painter, placed(QRect(inner.right() - 13, inner.top() + 1, 14, 14)));
        inner.setRight(inner.right() - 20);
    }
    if (index.data(ConversationModel::QueuedRole).toBool()) {
        icon(IconName::Send, IconTint::Muted)
            .paint(painter, placed(QRect(inner.right() - 13, inner.top() + 1, 14, 14)));
        inner.setRight(inner.right() - 20);
    }
    const bool header = index.data(ConversationModel::HeaderRole).toBool();
    if (header) {
        icon(index.data(ConversationModel::ClosedRole).toBool() ? IconName::ChevronRight
                                                                : IconName::ChevronDown,
             IconTint::Muted)
            .paint(painter, placed(QRect(inner.left() - 4, inner.center().y() - 6, 14, 14)));
        inner.setLeft(inner.left() + kIndent + 4);
    } else if (!index.data(ConversationModel::FolderRole).toString().isEmpty()) {
        inner.setLeft(inner.left() + kIndent);
    }
    const QFont titleFont = Theme::font(header ? 0.92 : 1.0, header);
    const QRect title(inner.left(), inner.top(), inner.width(), QFontMetrics(titleFont).height());
    drawLine(*painter, placed(title), index.data(Qt::DisplayRole).toString(), titleFont,
             header ? theme.muted : theme.text, m_words);
    if (const QString snippet = index.data(ConversationModel::SnippetRole).toString();
        !snippet.isEmpty()) {
        const QFont small = Theme::font(0.85);
        const QRect line(inner.left(), title.bottom() + 3, inner.width(),
                         QFontMetrics(small).height());
        drawLine(*painter, placed(line), snippet, small, theme.muted, m_words);
    }
    painter->restore();
}

QWidget *ConversationDelegate::createEditor(QWidget *parent, const QStyleOptionViewItem &,
                                            const QModelIndex &) const
{
    auto *editor = new LineField(parent);
    editor->setMaxLength(200);
    editor->setAccessibleName(tr("Name of the conversation"));
    return editor;
}

void ConversationDelegate::updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                                                const QModelIndex &) const
{
    editor->setGeometry(option.rect.adjusted(0, 1, 0, -1));
}

} // namespace fireside
