// Messages that wait for a running reply, each with its chat, whichever is in view.
#include "app/chat/chat_controller.h"

#include "app/chat/chat_texts.h"
#include "app/chat/conversation_store.h"
#include "app/runtime/engine_service.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

/// Two texts for one message.
QString together(const QString &first, const QString &second)
{
    return first.isEmpty() || second.isEmpty() ? first + second
                                               : first + QStringLiteral("\n\n") + second;
}

} // namespace

ChatController::Queued *ChatController::queuedOf(qint64 conversation)
{
    const auto found =
        std::find_if(m_queue.begin(), m_queue.end(), [conversation](const Queued &one) {
            return one.conversation == conversation;
        });
    return found == m_queue.end() ? nullptr : &*found;
}

QString ChatController::queuedIn(qint64 conversation) const
{
    for (const Queued &one : m_queue) {
        if (one.conversation == conversation)
            return one.text;
    }
    return {};
}

void ChatController::queue(const QString &text)
{
    if (!replying())
        return send(text);
    if (text.trimmed().isEmpty())
        return;
    setDraft({});
    if (Queued *const waiting = queuedOf(m_conversation))
        waiting->text = together(waiting->text, text);
    else
        m_queue.append({m_conversation, text, {}});
    m_draftSave.start();
    saveDraft(); // it was sent, for the user: not even a crash may lose it
    emit queuedChanged(queued());
}

QString ChatController::takeQueued()
{
    const QString text = queued();
    if (text.isEmpty())
        return text;
    m_queue.removeIf([this](const Queued &one) { return one.conversation == m_conversation; });
    m_draftSave.start(); // what is stored has it, too
    emit queuedChanged({});
    return text;
}

/// Another chat comes into view: what is queued in this one waits on, with what was being written.
void ChatController::leaveQueued()
{
    Queued *const waiting = queuedOf(m_conversation);
    if (!waiting)
        return;
    if (m_conversation == 0) { // a chat of its own from now on, which can be found again
        m_title = titleFrom(waiting->text);
        beginConversation();
        waiting->conversation = m_conversation;
    }
    waiting->draft = m_draft;
    m_draftSave.start();
}

/// What is queued cannot be sent: it is what was being written.
void ChatController::keepQueuedAsDraft(qint64 conversation)
{
    if (conversation == m_conversation) {
        const QString text = takeQueued();
        if (text.isEmpty())
            return;
        setDraft(together(text, m_draft));
        emit draftChanged();
        return;
    }
    // Its stored draft has it already.
    const auto gone =
        m_queue.removeIf([&](const Queued &one) { return one.conversation == conversation; });
    if (gone > 0)
        emit queuedChanged(queued());
}

/// A reply to this chat has ended, or will not be: what waited for it is sent.
void ChatController::sendQueued(qint64 conversation, bool failed)
{
    if (failed)
        keepQueuedAsDraft(conversation);
    // One after the other; with its reply this comes again.
    for (qsizetype i = 0; i < m_queue.size() && !writes(); ++i) {
        const qint64 chat = m_queue[i].conversation;
        if (chat == m_conversation ? !followsReply() : !isWrittenElsewhere(chat))
            return sendWaiting(m_queue.takeAt(i));
    }
}

/// A reply that others write begins or has ended, perhaps in a chat that something is queued in.
void ChatController::followOutOfView(qint64 messageId)
{
    const auto waits =
        std::find_if(m_queue.cbegin(), m_queue.cend(), [this, messageId](const Queued &one) {
            const std::optional<ConversationRow> row = m_store.conversation(one.conversation);
            return one.conversation != m_conversation && row && row->currentLeaf == messageId;
        });
    if (waits == m_queue.cend())
        return sendQueued(0, false); // it may have waited for that
    const std::optional<Message> message = m_store.message(messageId);
    sendQueued(waits->conversation, message && message->state == Message::State::Failed);
}

bool ChatController::isWrittenElsewhere(qint64 conversation) const
{
    const std::optional<ConversationRow> row = m_store.conversation(conversation);
    return row && m_store.isWritten(row->currentLeaf);
}

void ChatController::sendWaiting(const Queued &queued)
{
    if (queued.conversation == m_conversation) {
        const QString written = m_draft; // meanwhile
        emit queuedChanged({});
        m_draftSave.start();
        send(queued.text);
        setDraft(written);
        return saveDraft();
    }
    const std::optional<ConversationRow> row = m_store.conversation(queued.conversation);
    if (!row)
        return sendQueued(queued.conversation, false); // deleted; its draft has the text
    m_store.setDraft(queued.conversation, queued.draft);
    QList<Message> path = m_store.path(row->currentLeaf);
    path.append(
        stored(newMessage(QStringLiteral("user"), queued.text, path.isEmpty() ? 0 : path.last().id),
               queued.conversation));
    emit queuedChanged(this->queued());
    startReplyIn(queued.conversation, path, samplingOf(row->sampling), row->tools);
}

void ChatController::storeNow()
{
    saveDraft();
    savePlace();
    flushReply();
}

void ChatController::saveDraft()
{
    if (!m_draftSave.isActive())
        return;
    m_draftSave.stop();
    m_store.setDraft(m_conversation, together(queued(), m_draft));
}

} // namespace fireside
