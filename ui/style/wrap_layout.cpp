#include "ui/style/wrap_layout.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

constexpr int kLineGap = 4;

} // namespace

WrapLayout::~WrapLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem *WrapLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

/// One that may be elided is no wider than the line.
int WrapLayout::widthOf(qsizetype index, int most) const
{
    const QLayoutItem &item = *m_items[index];
    return std::max(item.minimumSize().width(), std::min(item.sizeHint().width(), most));
}

QList<WrapLayout::Line> WrapLayout::linesIn(int width) const
{
    QList<Line> lines;
    for (qsizetype i = 0; i < m_items.size(); ++i) {
        if (m_items[i]->isEmpty())
            continue; // hidden
        const int wide = widthOf(i, width);
        if (lines.isEmpty() || lines.last().width + spacing() + wide > width)
            lines.append(Line());
        Line &line = lines.last();
        line.width += wide + (line.items.isEmpty() ? 0 : spacing());
        line.height = std::max(line.height, m_items[i]->sizeHint().height());
        line.items.append(i);
    }
    return lines;
}

int WrapLayout::heightForWidth(int width) const
{
    const QMargins around = contentsMargins();
    int height = around.top() + around.bottom() - kLineGap;
    const QList<Line> lines = linesIn(width - around.left() - around.right());
    for (const Line &line : lines)
        height += line.height + kLineGap;
    return lines.isEmpty() ? around.top() + around.bottom() : height;
}

QSize WrapLayout::sizeHint() const
{
    const QMargins around = contentsMargins();
    const QList<Line> lines = linesIn(QWIDGETSIZE_MAX);
    const QSize inside = lines.isEmpty() ? QSize() : QSize(lines[0].width, lines[0].height);
    return inside.expandedTo(QSize(0, 0)).grownBy(around);
}

QSize WrapLayout::minimumSize() const
{
    QSize size(0, 0);
    for (const QLayoutItem *item : m_items) {
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    }
    return size.grownBy(contentsMargins());
}

void WrapLayout::place(const Line &line, const QRect &row)
{
    int left = row.left(), spare = std::max(0, row.width() - line.width);
    for (const qsizetype i : line.items) {
        if (m_gap >= 0 && i >= m_gap)
            left += std::exchange(spare, 0);
        int wide = widthOf(i, row.width());
        if (m_growing && m_items[i]->widget() == m_growing)
            wide += std::exchange(spare, 0);
        const int high = m_items[i]->sizeHint().height();
        const QRect place(left, row.top() + (row.height() - high) / 2, wide, high);
        const Qt::LayoutDirection direction =
            parentWidget() ? parentWidget()->layoutDirection() : Qt::LeftToRight;
        m_items[i]->setGeometry(QStyle::visualRect(direction, row, place));
        left += wide + spacing();
    }
}

void WrapLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    const QRect inside = rect.marginsRemoved(contentsMargins());
    int top = inside.top();
    for (const Line &line : linesIn(inside.width())) {
        place(line, QRect(inside.left(), top, inside.width(), line.height));
        top += line.height + kLineGap;
    }
}

} // namespace fireside
