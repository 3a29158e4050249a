// The menu of a message, and what else might stand at one of its words.
#include "app/chat/chat_texts.h"
#include "ui/transcript/transcript_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>

#include <algorithm>

namespace fireside {

namespace {
constexpr int kBelow = 14; // px, so that the word stays in view
} // namespace

void TranscriptView::contextMenuEvent(QContextMenuEvent *event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    int item = -1;
    MessageItem::Hit hit = byKey ? MessageItem::Hit() : hitAt(event->pos(), &item);
    if (byKey)
        item = m_focused;
    if (item < 0)
        return;
    if (const Place first = std::min(m_selectionStart, m_selectionEnd);
        byKey && hasSelection() && first.item == item) {
        hit.kind = MessageItem::Hit::Text; // a word that was found, for example
        hit.position = first.position;
    }
    const QPoint place = byKey
                             ? viewport()->mapToGlobal(messageRect(item).topLeft() + QPoint(40, 30))
                             : event->globalPos();
    QMenu menu(this);
    addCopyActions(menu, item);
    if (hit.kind == MessageItem::Hit::Link) {
        menu.addSeparator();
        menu.addAction(tr("Open link…"), this, [this, hit] { emit linkActivated(hit.address); });
        menu.addAction(tr("Copy link address"), this,
                       [hit] { QApplication::clipboard()->setText(hit.address); });
    }
    addReasoningAction(menu, item);
    menu.addSeparator();
    addReplyActions(menu, item, choicePlace(item, hit), place);
    addVersionActions(menu, item);
    menu.exec(place);
}

void TranscriptView::addReasoningAction(QMenu &menu, int item)
{
    if (!m_items[size_t(item)]->hasReasoning())
        return;
    menu.addSeparator();
    const bool shown = m_items[size_t(item)]->reasoningShown();
    const QString text = isCall(messageAt(item))
                             ? (shown ? tr("Hide the result") : tr("Show the result"))
                         : shown ? tr("Hide reasoning")
                                 : tr("Show reasoning");
    menu.addAction(text, this, [this, item] {
        MessageItem::Hit header;
        header.kind = MessageItem::Hit::Reasoning;
        activate(item, header);
    });
}

/// choice: a place of its text (−1: none), at: where that is on the screen.
void TranscriptView::addReplyActions(QMenu &menu, int item, qsizetype choice, QPoint at)
{
    const Message &message = messageAt(item);
    if (message.role != QLatin1String("assistant") || message.record.isEmpty() ||
        message.state == Message::State::Streaming)
        return;
    const qint64 id = message.id;
    menu.addAction(tr("How this reply was made…"), this, [this, id] { emit detailsRequested(id); });
    menu.addAction(tr("What else might stand here…"), this,
                   [this, id, choice, at] { emit choicesRequested(id, choice, at); })
        ->setEnabled(choice >= 0);
    menu.addSeparator();
}

void TranscriptView::addVersionActions(QMenu &menu, int item)
{
    const Message &message = messageAt(item);
    if (message.role == QLatin1String("user"))
        menu.addAction(tr("Edit…"), this, [this, item] { editMessage(item); })
            ->setEnabled(!m_replying);
    else if (item == count() - 1)
        menu.addAction(tr("Regenerate"), this, &TranscriptView::regenerateRequested)
            ->setEnabled(!m_replying);
    if (item == count() - 1 && !unfinishedAnswer(message).isEmpty())
        menu.addAction(tr("Continue"), this, &TranscriptView::continueRequested)
            ->setEnabled(!m_replying);
    if (message.siblingCount < 2)
        return;
    const qint64 id = message.id;
    menu.addAction(tr("Previous version"), this, [this, id] { emit siblingRequested(id, -1); })
        ->setEnabled(!m_replying && message.siblingIndex > 0);
    menu.addAction(tr("Next version"), this, [this, id] { emit siblingRequested(id, 1); })
        ->setEnabled(!m_replying && message.siblingIndex + 1 < message.siblingCount);
}

/// Where a reply could go on with another word; −1: not there.
qsizetype TranscriptView::choicePlace(int item, const MessageItem::Hit &hit)
{
    if (m_replying || item < 0 || item >= count() || hit.kind != MessageItem::Hit::Text)
        return -1;
    const qsizetype place = m_items[size_t(item)]->sourceOf(hit.position).value_or(-1);
    return answerUpTo(messageAt(item), place).isNull() ? -1 : place;
}

/// The pointer rests on a word, with Ctrl.
void TranscriptView::askForChoices()
{
    if (!(QGuiApplication::keyboardModifiers() & Qt::ControlModifier))
        return;
    int item = -1;
    const MessageItem::Hit hit = hitAt(m_restPoint, &item);
    if (const qsizetype place = choicePlace(item, hit); place >= 0)
        emit choicesRequested(messageAt(item).id, place,
                              viewport()->mapToGlobal(m_restPoint + QPoint(0, kBelow)));
}

} // namespace fireside
