// Where in the messages the view stands, whatever their heights turn out to be.
#include "ui/transcript/transcript_view.h"

#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace fireside {

/// The first row in view whose height is certain; what must not move when others get their real
/// height.
TranscriptView::Anchor TranscriptView::currentAnchor()
{
    const double top = scrollTop(), bottom = top + viewport()->height();
    const int first = std::max(0, itemAt(top));
    Anchor fallback;
    for (int i = first; i < count() && m_tops[size_t(i)] < bottom; ++i) {
        const auto &rows = m_items[size_t(i)]->rows();
        for (size_t r = 0; r < rows.size(); ++r) {
            const double y = m_tops[size_t(i)] + rows[r].top;
            if (y + rows[r].height <= top || y >= bottom)
                continue;
            const Anchor anchor{i, r, top - y};
            if (fallback.item < 0)
                fallback = anchor;
            if (rows[r].measured && rows[r].kind == MessageItem::RowKind::Section)
                return anchor;
        }
    }
    return fallback;
}

double TranscriptView::anchorTop(const Anchor &anchor)
{
    if (anchor.item < 0 || anchor.item >= count())
        return scrollTop();
    const auto &rows = m_items[size_t(anchor.item)]->rows();
    const auto &row = rows[std::min(anchor.row, rows.size() - 1)];
    return m_tops[size_t(anchor.item)] + row.top + anchor.offset;
}

ChatPlace TranscriptView::place()
{
    ChatPlace place = m_restored;
    place.edited = m_keptEdit;
    place.edit = m_keptText;
    if (place.message != 0 && !m_follow)
        return place; // as it was, so that it never drifts
    place.message = 0;
    const bool placed = m_tops.size() == m_items.size() + 1;
    const Anchor anchor = m_follow || !placed ? Anchor() : currentAnchor();
    if (anchor.item < 0 || messageAt(anchor.item).id <= 0)
        return ChatPlace{.edited = m_keptEdit, .edit = m_keptText};
    const MessageItem::Row &row = m_items[size_t(anchor.item)]->rows()[anchor.row];
    place.message = messageAt(anchor.item).id;
    place.section = row.section;
    place.offset = anchor.offset + (row.section < 0 ? row.top : 0);
    return place;
}

int TranscriptView::indexOf(qint64 messageId) const
{
    const auto item = std::find_if(m_items.begin(), m_items.end(),
                                   [&](const auto &one) { return one->message().id == messageId; });
    return item == m_items.end() ? -1 : int(item - m_items.begin());
}

void TranscriptView::setPlace(const ChatPlace &place)
{
    m_keptEdit = place.edited;
    m_keptText = place.edit;
    if (const int edited = indexOf(place.edited); edited >= 0)
        openEditor(edited);
    if (indexOf(place.message) < 0)
        return;
    m_restored = place;
    moveTo(anchorOf(place));
}

TranscriptView::Anchor TranscriptView::anchorOf(const ChatPlace &place)
{
    const int item = indexOf(place.message);
    if (item < 0)
        return {};
    const auto &rows = m_items[size_t(item)]->rows();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const MessageItem::Row &one) {
        return place.section >= 0 && one.section == place.section;
    });
    return {item, row == rows.end() ? 0 : size_t(row - rows.begin()), place.offset};
}

/// Heights above it are estimates, and stay so: it is what does not move.
void TranscriptView::moveTo(const Anchor &anchor)
{
    m_follow = false;
    placeItems();
    m_adjusting = true;
    verticalScrollBar()->setRange(0, std::max(1, int(std::ceil(m_tops.back()))));
    verticalScrollBar()->setValue(int(std::lround(anchorTop(anchor))));
    m_adjusting = false;
    layOut();
}

} // namespace fireside
