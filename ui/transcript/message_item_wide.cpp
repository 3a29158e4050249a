// Code and tables that are wider than the column: how far each is moved.
#include "ui/transcript/message_item.h"

#include <algorithm>
#include <cmath>

namespace fireside {

/// A long code block is several sections, which move together.
std::pair<qsizetype, int> MessageItem::wideKey(int section, const WideBlock &block) const
{
    int head = section;
    while (head > 0 && m_parts[size_t(head)].section.continued)
        --head;
    return {m_parts[size_t(head)].section.start, head == section ? block.key : 0};
}

QList<SideShift> MessageItem::shiftsOf(int section)
{
    const Part &part = m_parts[size_t(section)];
    QList<SideShift> shifts;
    if (!part.rendered)
        return shifts;
    for (const WideBlock &block : part.rendered->wide) {
        const auto key = wideKey(section, block);
        double reach = block.reach();
        if (part.section.continued || part.section.continues) {
            size_t at = size_t(section);
            while (at > 0 && m_parts[at].section.continued)
                --at;
            for (;; ++at) {
                if (const auto &other = m_parts[at].rendered; other && !other->wide.isEmpty())
                    reach = std::max(reach, other->wide.first().reach());
                if (!m_parts[at].section.continues || at + 1 == m_parts.size())
                    break;
            }
        }
        const auto moved = m_offsets.find(key);
        const double start = block.fromRight ? reach : 0;
        const double offset = moved == m_offsets.end() ? start : moved->second;
        shifts.append({std::clamp(offset, 0.0, reach), reach});
    }
    return shifts;
}

void MessageItem::setOffset(int section, int block, double offset)
{
    const WideBlock &wide = m_parts[size_t(section)].rendered->wide.at(block);
    m_offsets[wideKey(section, wide)] = std::clamp(offset, 0.0, shiftsOf(section)[block].reach);
}

bool MessageItem::moveSideways(double y, double by)
{
    bool moved = false;
    for (const Row &row : rows()) {
        if (row.kind != RowKind::Section || !m_parts[size_t(row.section)].rendered)
            continue;
        const RenderedSection &shown = *m_parts[size_t(row.section)].rendered;
        const double top = partRect(row.section).top() + shown.above;
        const QList<SideShift> shifts = shiftsOf(row.section);
        for (int i = 0; i < int(shifts.size()); ++i) {
            const WideBlock &block = shown.wide.at(i);
            const bool meant =
                std::isnan(y) ? !m_parts[size_t(row.section)].section.continued
                              : y >= top + block.top - codebox::kHeader && y < top + block.bottom;
            if (!meant || shifts[i].reach <= 0)
                continue;
            setOffset(row.section, i, shifts[i].offset + by);
            moved = true;
        }
    }
    return moved;
}

void MessageItem::dragSideBar(const Hit &bar, double x)
{
    const Part &part = m_parts[size_t(bar.position.section)];
    if (!part.rendered || bar.wideBlock < 0 || bar.wideBlock >= part.rendered->wide.size())
        return;
    const WideBlock &block = part.rendered->wide.at(bar.wideBlock);
    const SideShift shift = shiftsOf(bar.position.section)[bar.wideBlock];
    const QRectF track = sideBar(block), thumb = sideThumb(block, shift);
    const double room = track.width() - thumb.width();
    const double at = x - partRect(bar.position.section).left() - track.left() - thumb.width() / 2;
    setOffset(bar.position.section, bar.wideBlock, room > 0 ? at / room * shift.reach : 0);
}

/// From the section's coordinates to where the document has it.
QPointF MessageItem::inDocument(int section, QPointF local)
{
    const RenderedSection &shown = *m_parts[size_t(section)].rendered;
    local -= QPointF(0, shown.above);
    const QList<SideShift> shifts = shiftsOf(section);
    for (qsizetype i = 0; i < shifts.size(); ++i) {
        if (local.y() >= shown.wide.at(i).top && local.y() < shown.wide.at(i).bottom)
            local += QPointF(shifts[i].offset, 0);
    }
    return local;
}

/// Moves the block around a place of the document until the place is in its window.
void MessageItem::reveal(int section, double x, double y)
{
    constexpr double kAround = 60;
    const RenderedSection &shown = *m_parts[size_t(section)].rendered;
    const QList<SideShift> shifts = shiftsOf(section);
    for (int i = 0; i < int(shifts.size()); ++i) {
        const WideBlock &block = shown.wide.at(i);
        if (y < block.top || y >= block.bottom)
            continue;
        const double seen = x - shifts[i].offset;
        if (seen < block.left || seen > block.right - kAround)
            setOffset(section, i, x - block.right + 2 * kAround);
    }
}

} // namespace fireside
