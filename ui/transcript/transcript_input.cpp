#include "ui/transcript/message_toolbar.h"
#include "ui/transcript/transcript_accessible.h"
#include "ui/transcript/transcript_view.h"

#include <QApplication>
#include <QClipboard>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fireside {

namespace {
constexpr int kRest = 400; // ms that the pointer stands still
} // namespace

TranscriptView::Place TranscriptView::placeAt(QPoint point)
{
    if (m_items.empty())
        return {};
    const double y = std::clamp(scrollTop() + point.y(), m_tops.front(),
                                std::max(m_tops.front(), m_tops.back() - 1));
    const int index = std::max(0, itemAt(y));
    return {index, m_items[size_t(index)]->positionAt(
                       QPointF(point.x(), scrollTop() + point.y() - m_tops[size_t(index)]))};
}

MessageItem::Hit TranscriptView::hitAt(QPoint point, int *item)
{
    *item = itemAt(scrollTop() + point.y());
    if (*item < 0 || scrollTop() + point.y() < m_tops.front()) {
        *item = -1;
        return {};
    }
    return m_items[size_t(*item)]->hitTest(
        QPointF(point.x(), scrollTop() + point.y() - m_tops[size_t(*item)]));
}

void TranscriptView::setHovered(int item, const MessageItem::Hit &hit)
{
    const bool changed = item != m_hoveredItem || hit.kind != m_hovered.kind ||
                         hit.codeBlock != m_hovered.codeBlock ||
                         hit.position.section != m_hovered.position.section;
    m_hoveredItem = item;
    m_hovered = hit;
    switch (hit.kind) {
    case MessageItem::Hit::Text:
        viewport()->setCursor(Qt::IBeamCursor);
        break;
    case MessageItem::Hit::Nothing:
    case MessageItem::Hit::SideBar:
        viewport()->setCursor(Qt::ArrowCursor);
        break;
    default:
        viewport()->setCursor(Qt::PointingHandCursor);
        break;
    }
    if (changed) {
        placeOverlays();
        viewport()->update();
    }
}

/// What grows or goes below a resting pointer takes the highlight with it.
void TranscriptView::refreshHovered()
{
    if (m_hoveredItem < 0 || !m_pointerInside)
        return;
    int item = -1;
    const MessageItem::Hit hit = hitAt(m_pointer, &item);
    setHovered(item, hit);
}

void TranscriptView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = hitAt(event->pos(), &m_pressedItem);
    m_focused = m_pressedItem;
    if (event->modifiers() & Qt::ShiftModifier) {
        m_selectionEnd = placeAt(event->pos());
    } else {
        clearSelection();
        m_selectionStart = m_selectionEnd = placeAt(event->pos());
    }
    m_selecting = m_pressed.kind == MessageItem::Hit::Text ||
                  m_pressed.kind == MessageItem::Hit::Link ||
                  m_pressed.kind == MessageItem::Hit::Nothing;
    m_dragPoint = event->pos();
    if (m_pressed.kind == MessageItem::Hit::SideBar)
        m_items[size_t(m_pressedItem)]->dragSideBar(m_pressed, event->pos().x());
    viewport()->update();
}

void TranscriptView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_selecting && (event->buttons() & Qt::LeftButton)) {
        m_dragPoint = event->pos();
        m_selectionEnd = placeAt(event->pos());
        if (!m_dragTimer.isActive())
            m_dragTimer.start(30, this);
        viewport()->update();
        return;
    }
    if (m_pressed.kind == MessageItem::Hit::SideBar && (event->buttons() & Qt::LeftButton)) {
        m_items[size_t(m_pressedItem)]->dragSideBar(m_pressed, event->pos().x());
        viewport()->update();
        return;
    }
    m_pointer = event->pos();
    m_pointerInside = true;
    int item = -1;
    const MessageItem::Hit hit = hitAt(event->pos(), &item);
    setHovered(item, hit);
    m_restTimer.stop();
    m_restPoint = event->pos();
    if (event->modifiers() == Qt::ControlModifier && event->buttons() == Qt::NoButton)
        m_restTimer.start(kRest, this);
}

void TranscriptView::moveSideways(int item, double y, double by)
{
    if (item >= 0 && item < count() && m_items[size_t(item)]->moveSideways(y, by))
        viewport()->update();
}

void TranscriptView::wheelEvent(QWheelEvent *event)
{
    const QPoint pixels = event->pixelDelta(), angle = event->angleDelta();
    const bool turned = event->modifiers() & Qt::ShiftModifier; // the wheel that everybody has
    const int sideways = turned && angle.x() == 0 ? angle.y() : angle.x();
    if (sideways == 0 || (!turned && std::abs(angle.y()) > std::abs(angle.x()))) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    const double y = scrollTop() + event->position().y();
    const int item = itemAt(y);
    const double by = pixels.isNull() || turned ? sideways / 2.0 : pixels.x();
    if (item >= 0)
        moveSideways(item, y - m_tops[size_t(item)], -by);
    event->accept();
}

void TranscriptView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_dragTimer.stop();
    m_selecting = false;
    if (hasSelection()) {
        if (QClipboard *clipboard = QApplication::clipboard(); clipboard->supportsSelection())
            clipboard->setText(selectedText(), QClipboard::Selection);
        return;
    }
    int item = -1;
    const MessageItem::Hit hit = hitAt(event->pos(), &item);
    // A click is a press and a release on the same thing.
    if (item == m_pressedItem && hit.kind == m_pressed.kind &&
        hit.codeBlock == m_pressed.codeBlock && hit.address == m_pressed.address)
        activate(item, hit);
}

void TranscriptView::activate(int item, const MessageItem::Hit &hit)
{
    switch (hit.kind) {
    case MessageItem::Hit::Link:
        emit linkActivated(hit.address);
        break;
    case MessageItem::Hit::CopyCode:
        QApplication::clipboard()->setText(
            m_items[size_t(item)]->codeText(hit.position.section, hit.codeBlock));
        m_copied = hit;
        m_copiedItem = item;
        m_copiedTimer.start(1500, this);
        viewport()->update();
        break;
    case MessageItem::Hit::Reasoning:
        m_items[size_t(item)]->toggleReasoning();
        m_follow = m_follow && item == count() - 1 && m_replying;
        layOut();
        break;
    case MessageItem::Hit::ShowAll:
        m_follow = false;
        m_items[size_t(item)]->showAll();
        layOut();
        break;
    default:
        break;
    }
}

void TranscriptView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    int item = -1;
    const MessageItem::Hit hit = hitAt(event->pos(), &item);
    if (hit.kind != MessageItem::Hit::Text)
        return;
    const auto [from, to] = m_items[size_t(item)]->wordAt(hit.position);
    m_selectionStart = {item, from};
    m_selectionEnd = {item, to};
    m_pressed = {}; // its release is no click
    viewport()->update();
}

void TranscriptView::focusMessage(int index)
{
    if (m_items.empty())
        return;
    m_restored = {};
    m_focused = std::clamp(index, 0, count() - 1);
    // Into view: its top, or its end when it is the last one.
    const double top = m_tops[size_t(m_focused)],
                 bottom = top + m_items[size_t(m_focused)]->height();
    const double height = viewport()->height();
    if (m_focused == count() - 1 && bottom - top <= height)
        m_follow = true;
    else
        m_follow = false;
    scrollTo(m_focused);
    notifyMessageFocus(this, m_focused);
}

/// No farther than it takes. Heights on the way become certain only when they are laid out.
void TranscriptView::scrollTo(int index)
{
    constexpr int kAttempts = 3;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const double top = m_tops[size_t(index)], bottom = top + m_items[size_t(index)]->height();
        const double height = viewport()->height();
        if (top < scrollTop() || bottom > scrollTop() + height) {
            m_adjusting = true;
            const double target =
                bottom - top > height || top < scrollTop() ? top - 6 : bottom - height + 6;
            verticalScrollBar()->setValue(int(std::lround(target)));
            m_adjusting = false;
        }
        layOut();
    }
}

void TranscriptView::showFound(const QStringList &words, qint64 id)
{
    m_found = words;
    viewport()->update();
    const int index = id == 0 ? -1 : indexOf(id);
    if (words.isEmpty() || index < 0)
        return;
    focusMessage(index);
    bringIntoView(index, [&] { return m_items[size_t(index)]->findWords(words); });
}

void TranscriptView::showPlace(const QString &text, int message, int nth)
{
    m_found = text.isEmpty() ? QStringList() : QStringList(text);
    clearSelection();
    viewport()->update();
    if (m_found.isEmpty() || message < 0 || message >= count())
        return;
    MessageItem &item = *m_items[size_t(message)];
    m_focused = message;
    bringIntoView(message, [&] { return item.findPlace(m_found, nth); });
    const MessageItem::Found place = item.findPlace(m_found, nth);
    m_selectionStart = {message, place.from};
    m_selectionEnd = {message, place.to};
    viewport()->update();
}

/// Heights above the place become certain only when they are laid out.
void TranscriptView::bringIntoView(int index, const std::function<MessageItem::Found()> &find)
{
    m_follow = false;
    m_restored = {};
    MessageItem &item = *m_items[size_t(index)];
    item.measure(0, find().top + viewport()->height());
    placeItems();
    const double y = m_tops[size_t(index)] + find().top;
    m_adjusting = true;
    verticalScrollBar()->setRange(0, std::max(1, int(m_tops.back())));
    verticalScrollBar()->setValue(int(std::lround(y - viewport()->height() / 3.0)));
    m_adjusting = false;
    layOut();
}

void TranscriptView::moveFocus(int step)
{
    if (m_items.empty())
        return;
    if (m_focused < 0) {
        focusMessage(step < 0 ? count() - 1 : std::max(0, itemAt(scrollTop() + 1)));
        return;
    }
    // A message taller than the window is read to its end before the next one.
    const QRect rect = messageRect(m_focused);
    const int page = viewport()->height();
    const int beyond = step > 0 ? rect.bottom() - page : -rect.top();
    if (beyond > 4 && rect.height() > page && rect.intersects(viewport()->rect())) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() +
                                      step * std::min(beyond + 8, page * 3 / 4));
        return;
    }
    focusMessage(m_focused + step);
}

void TranscriptView::keyPressEvent(QKeyEvent *event)
{
    m_restTimer.stop(); // Ctrl belongs to that key
    if (event->matches(QKeySequence::Copy)) {
        copySelection();
        return;
    }
    if (event->matches(QKeySequence::SelectAll))
        return selectMore();
    if (event->modifiers() == Qt::ShiftModifier) {
        const int all = count();
        for (const auto &[key, step] : {std::pair(Qt::Key_Up, -1), std::pair(Qt::Key_Down, 1),
                                        std::pair(Qt::Key_Home, -all), std::pair(Qt::Key_End, all)})
            if (event->key() == key)
                return extendSelection(step);
    }
    switch (event->key()) {
    case Qt::Key_Up:
        moveFocus(-1);
        return;
    case Qt::Key_Down:
        moveFocus(+1);
        return;
    case Qt::Key_Left:
    case Qt::Key_Right:
        moveSideways(m_focused, std::nan(""), event->key() == Qt::Key_Left ? -60 : 60);
        return;
    case Qt::Key_Home:
        focusMessage(0);
        return;
    case Qt::Key_End:
        focusMessage(count() - 1);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_focused >= 0 && m_items[size_t(m_focused)]->hasReasoning()) {
            MessageItem::Hit header;
            header.kind = MessageItem::Hit::Reasoning;
            activate(m_focused, header);
            return;
        }
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void TranscriptView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    if (m_focused < 0 && event->reason() != Qt::MouseFocusReason && !m_items.empty())
        m_focused = count() - 1;
    placeOverlays();
    viewport()->update();
    if (m_focused >= 0)
        notifyMessageFocus(this, m_focused);
}

void TranscriptView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    placeOverlays();
    viewport()->update();
}

bool TranscriptView::viewportEvent(QEvent *event)
{
    // Over one of the overlay's buttons the message below stays the hovered one, but nothing in it.
    if (event->type() == QEvent::Leave) {
        m_pointerInside = false;
        const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
        setHovered(viewport()->rect().contains(pointer) ? m_hoveredItem : -1, {});
    }
    return QAbstractScrollArea::viewportEvent(event);
}

/// From the buttons the pointer may leave the window without crossing the messages.
bool TranscriptView::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_toolbar && event->type() == QEvent::Leave &&
        !viewport()->rect().contains(viewport()->mapFromGlobal(QCursor::pos())))
        setHovered(-1, {});
    return QAbstractScrollArea::eventFilter(watched, event);
}

} // namespace fireside
