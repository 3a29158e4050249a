#include "ui/transcript/transcript_view.h"

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/transcript/message_toolbar.h"
#include "ui/transcript/transcript_accessible.h"

#include <QAccessible>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QTimerEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fireside {

namespace {
constexpr int kFrame = 33; // ms between two renderings of a streaming reply
constexpr double kTopMargin = 14, kBottomMargin = 10;
} // namespace

TranscriptView::TranscriptView(QWidget *parent)
    : QAbstractScrollArea(parent)
{
    installTranscriptAccessibility();
    setFrameShape(QFrame::NoFrame);
    setProperty("role", "transcript");
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Conversation"));
    viewport()->setMouseTracking(true);
    verticalScrollBar()->setSingleStep(24);

    m_toolbar = new MessageToolbar(viewport());
    m_toolbar->hide();
    m_toolbar->installEventFilter(this);
    const auto target = [this]() -> MessageItem * {
        return m_toolbarItem >= 0 && m_toolbarItem < count() ? m_items[size_t(m_toolbarItem)].get()
                                                             : nullptr;
    };
    connect(m_toolbar, &MessageToolbar::copyRequested, this,
            [this] { copyMessage(m_toolbarItem); });
    connect(m_toolbar, &MessageToolbar::editRequested, this,
            [this] { editMessage(m_toolbarItem); });
    connect(m_toolbar, &MessageToolbar::regenerateRequested, this,
            &TranscriptView::regenerateRequested);
    connect(m_toolbar, &MessageToolbar::continueRequested, this,
            &TranscriptView::continueRequested);
    connect(m_toolbar, &MessageToolbar::detailsRequested, this, [this, target] {
        if (MessageItem *item = target())
            emit detailsRequested(item->message().id);
    });
    connect(m_toolbar, &MessageToolbar::siblingRequested, this, [this, target](int step) {
        if (MessageItem *item = target())
            emit siblingRequested(item->message().id, step);
    });

    m_jump = new QPushButton(icon(IconName::ArrowDown), tr("Jump to latest"), this);
    m_jump->setAccessibleName(tr("Jump to the latest message"));
    m_jump->hide();
    connect(m_jump, &QPushButton::clicked, this, &TranscriptView::scrollToEnd);
}

TranscriptView::~TranscriptView() = default;

void TranscriptView::setMessages(const QList<Message> &messages, bool keepPlace)
{
    closeEditor();
    if (!keepPlace)
        forgetEdit();
    m_streamTimer.stop();
    m_dotsTimer.stop();
    m_restored = {};
    m_streaming = m_spokenOf = -1;
    m_focused = m_hoveredItem = m_copiedItem = m_pressedItem = m_toolbarItem = -1;
    m_hovered = m_copied = m_pressed = {};
    m_pointerInside = false;
    m_selecting = false;
    clearSelection();

    // Branches of a conversation share their beginning.
    size_t same = 0;
    while (keepPlace && same < m_items.size() && same < size_t(messages.size()) &&
           m_items[same]->message().id == messages[qsizetype(same)].id)
        ++same;
    m_items.resize(same);
    m_live.removeIf([same](int index) { return index >= int(same); });
    m_items.reserve(size_t(messages.size()));
    for (qsizetype i = 0; i < messages.size(); ++i) {
        if (size_t(i) < same) {
            m_items[size_t(i)]->setDivider(false);
            m_items[size_t(i)]->setMessage(messages[i]);
            continue;
        }
        m_items.push_back(std::make_unique<MessageItem>(messages[i]));
        m_items.back()->setWidth(viewport()->width());
        if (messages[i].state == Message::State::Streaming)
            m_dotsTimer.start(400, this);
    }
    noteCalls(0);
    if (m_firstSeen > 0 && m_firstSeen < count())
        m_items[size_t(m_firstSeen)]->setDivider(true);
    m_follow = m_follow || !keepPlace;
    m_tops.clear(); // the old places mean nothing now
    layOut();
    QAccessibleEvent event(this, QAccessible::ObjectReorder);
    QAccessible::updateAccessibility(&event);
}

void TranscriptView::appendMessage(const Message &message)
{
    flushStream();
    m_items.push_back(std::make_unique<MessageItem>(message));
    m_items.back()->setWidth(viewport()->width());
    noteCalls(std::max(0, count() - 2));
    if (message.role == QLatin1String("user"))
        m_follow = true; // one's own new message is always shown
    if (message.state == Message::State::Streaming)
        m_dotsTimer.start(400, this);
    layOut();
    QAccessibleEvent event(this, QAccessible::ObjectReorder);
    QAccessible::updateAccessibility(&event);
}

/// Calls of a reply are shown where their own messages are, if there are any.
void TranscriptView::noteCalls(int from)
{
    for (int i = from; i < count(); ++i)
        m_items[size_t(i)]->setCallsBelow(!m_items[size_t(i)]->isCall() && i + 1 < count() &&
                                          m_items[size_t(i) + 1]->isCall());
}

void TranscriptView::updateMessage(int index, const Message &message)
{
    if (index < 0 || index >= count())
        return;
    if (message.state == Message::State::Streaming) {
        if (m_streaming != index)
            flushStream();
        if (std::exchange(m_spokenOf, index) != index) {
            m_spoken = {};
            m_spoken.next(m_items[size_t(index)]->message()); // what was there before is known
        }
        m_streaming = index;
        m_pending = message;
        if (!m_streamTimer.isActive())
            m_streamTimer.start(kFrame, this);
        if (!m_dotsTimer.isActive())
            m_dotsTimer.start(400, this);
        return;
    }
    if (m_streaming == index) {
        m_streaming = -1;
        m_streamTimer.stop();
    }
    m_dotsTimer.stop();
    const bool ended = m_items[size_t(index)]->message().state == Message::State::Streaming;
    m_items[size_t(index)]->setMessage(message);
    m_toolbarItem = -1;
    layOut();
    if (ended && std::exchange(m_spokenOf, -1) == index)
        announce(this, m_spoken.next(message));
}

void TranscriptView::flushStream()
{
    m_streamTimer.stop();
    if (m_streaming < 0 || m_streaming >= count())
        return;
    m_items[size_t(m_streaming)]->setMessage(m_pending);
    m_streaming = -1;
    layOut();
    announce(this, m_spoken.next(m_pending)); // sentence by sentence, not its fragments
}

void TranscriptView::setFirstSeen(int index)
{
    if (index == m_firstSeen)
        return;
    if (m_firstSeen > 0 && m_firstSeen < count())
        m_items[size_t(m_firstSeen)]->setDivider(false);
    m_firstSeen = index;
    if (m_firstSeen > 0 && m_firstSeen < count())
        m_items[size_t(m_firstSeen)]->setDivider(true);
    layOut();
}

void TranscriptView::setReplying(bool replying)
{
    m_replying = replying;
    if (!replying)
        m_dotsTimer.stop();
    m_toolbarItem = -1;
    placeOverlays();
}

void TranscriptView::setWaitingText(const QString &text)
{
    m_waiting = text;
    viewport()->update();
}

double TranscriptView::scrollTop() const
{
    return verticalScrollBar()->value();
}

void TranscriptView::placeItems(int from)
{
    m_tops.resize(m_items.size() + 1);
    double y = from > 0 ? m_tops[size_t(from)] : kTopMargin;
    for (size_t i = size_t(from); i < m_items.size(); ++i) {
        m_tops[i] = y;
        y += m_items[i]->height();
    }
    m_tops.back() = y;
}

int TranscriptView::itemAt(double y) const
{
    if (m_items.empty() || y < 0 || y >= m_tops.back())
        return -1;
    const auto after = std::upper_bound(m_tops.begin(), m_tops.end() - 1, y);
    return std::max(0, int(after - m_tops.begin()) - 1);
}

void TranscriptView::layOut()
{
    if (m_layingOut)
        return;
    m_layingOut = true;
    const double height = viewport()->height();
    const bool placed = m_tops.size() == m_items.size() + 1;
    const Anchor anchor = m_follow || !placed ? Anchor() : currentAnchor();
    placeItems();
    double top = 0, most = 0;
    int first = 0, last = -1;
    // Measuring changes what is in view; a few rounds settle it.
    for (int round = 0; round < 24; ++round) {
        most = std::max(0.0, m_tops.back() + kBottomMargin - height);
        top = std::clamp(m_follow ? most : anchorTop(anchor), 0.0, most);
        first = std::max(0, itemAt(std::max(kTopMargin, top)));
        last = first - 1;
        int changed = -1;
        for (int i = first; i < count() && m_tops[size_t(i)] < top + height; ++i) {
            last = i;
            MessageItem &item = *m_items[size_t(i)];
            const double before = item.height();
            item.measure(top - m_tops[size_t(i)], top + height - m_tops[size_t(i)]);
            if (item.laidOut())
                m_live.insert(i);
            if (item.height() != before && changed < 0)
                changed = i;
            if (item.height() != before)
                placeItems(changed);
        }
        if (changed < 0)
            break;
    }
    releaseFarItems(first, last);

    m_adjusting = true;
    QScrollBar *bar = verticalScrollBar();
    bar->setPageStep(int(height));
    bar->setRange(0, int(std::ceil(most)));
    bar->setValue(m_follow || top >= most ? bar->maximum() : int(std::lround(top)));
    m_adjusting = false;
    m_layingOut = false;
    refreshHovered();
    placeOverlays();
    viewport()->update();
    emit placeChanged();
}

void TranscriptView::releaseFarItems(int first, int last)
{
    for (auto it = m_live.begin(); it != m_live.end();) {
        if (*it < first - 8 || *it > last + 8) {
            if (*it < count())
                m_items[size_t(*it)]->release();
            it = m_live.erase(it);
        } else {
            ++it;
        }
    }
}

void TranscriptView::scrollToEnd()
{
    m_follow = true;
    layOut();
}

void TranscriptView::scrollContentsBy(int, int)
{
    if (m_adjusting)
        return;
    m_follow = verticalScrollBar()->value() >= verticalScrollBar()->maximum() - 2;
    m_restored = {};
    m_hoveredItem = -1;
    m_hovered = {};
    m_pointerInside = false;
    viewport()->setCursor(Qt::ArrowCursor);
    layOut();
}

void TranscriptView::resizeEvent(QResizeEvent *)
{
    const bool placed = m_tops.size() == m_items.size() + 1;
    if (placed && !m_items.empty() && !m_follow) {
        // The anchor is taken before the new width changes every height.
        const Anchor anchor = m_restored.message != 0 ? anchorOf(m_restored) : currentAnchor();
        for (const auto &item : m_items)
            item->setWidth(viewport()->width());
        moveTo(anchor);
    } else {
        for (const auto &item : m_items)
            item->setWidth(viewport()->width());
        layOut();
    }
}

void TranscriptView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::StyleChange) {
        for (const auto &item : m_items)
            item->restyle();
        m_live.clear();
        if (!m_items.empty())
            layOut();
    }
}

void TranscriptView::timerEvent(QTimerEvent *event)
{
    if (event->timerId() == m_streamTimer.timerId()) {
        flushStream();
    } else if (event->timerId() == m_dotsTimer.timerId()) {
        m_phase += Theme::current().still ? 0 : 1;
        if (!m_items.empty() && !m_items.back()->rows().empty() && count() > 0)
            viewport()->update(messageRect(count() - 1));
    } else if (event->timerId() == m_copiedTimer.timerId()) {
        m_copiedTimer.stop();
        m_copied = {};
        viewport()->update();
    } else if (event->timerId() == m_restTimer.timerId()) {
        m_restTimer.stop();
        askForChoices();
    } else if (event->timerId() == m_dragTimer.timerId()) {
        const int beyond = m_dragPoint.y() < 0
                               ? m_dragPoint.y()
                               : std::max(0, m_dragPoint.y() - viewport()->height());
        if (beyond != 0) {
            verticalScrollBar()->setValue(verticalScrollBar()->value() +
                                          std::clamp(beyond, -60, 60));
            m_selectionEnd = placeAt(m_dragPoint);
            viewport()->update();
        }
    } else {
        QAbstractScrollArea::timerEvent(event);
    }
}

MessageItem::Look TranscriptView::lookOf(int index) const
{
    MessageItem::Look look;
    if (hasSelection()) {
        const auto [from, to] = std::minmax(m_selectionStart, m_selectionEnd);
        if (index >= from.item && index <= to.item)
            look.selection = {index == from.item ? from.position : TextPosition{0, 0},
                              index == to.item ? to.position : TextPosition{1 << 30, 1 << 30}};
    }
    if (index == m_hoveredItem)
        look.hovered = m_hovered;
    if (index == m_copiedItem)
        look.copied = m_copied;
    look.focused = hasFocus() && index == m_focused;
    look.phase = m_phase;
    look.waiting = m_waiting;
    look.branches = index != m_toolbarItem;
    look.found = m_found;
    look.unseen = index < m_firstSeen;
    return look;
}

void TranscriptView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    painter.fillRect(event->rect(), Theme::current().window);
    if (m_items.empty())
        return;
    const double top = scrollTop();
    for (int i = std::max(0, itemAt(std::max(kTopMargin, top + event->rect().top()))); i < count();
         ++i) {
        const double y = m_tops[size_t(i)] - top;
        if (y > event->rect().bottom())
            break;
        painter.save();
        painter.translate(0, y);
        m_items[size_t(i)]->paint(painter, QRectF(event->rect()).translated(0, -y), lookOf(i));
        painter.restore();
    }
}

QRect TranscriptView::messageRect(int index) const
{
    if (index < 0 || index >= count() || m_tops.size() != m_items.size() + 1)
        return {};
    const MessageItem &item = *m_items[size_t(index)];
    return item.contentRect()
        .translated(0, m_tops[size_t(index)] - scrollTop())
        .toAlignedRect()
        .adjusted(-16, 0, 16, 0);
}

} // namespace fireside
