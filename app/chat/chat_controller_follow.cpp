// Several controllers show the chats of one store: each follows what the others do.
#include "app/chat/chat_controller.h"

#include "app/chat/chat_texts.h"
#include "app/chat/conversation_store.h"
#include "app/runtime/engine_service.h"

namespace fireside {

void ChatController::connectStore()
{
    // First of all who listen: what this controller tells itself need not be told again.
    connect(this, &ChatController::conversationsChanged, this,
            [this] { m_listSeen = m_store.listRevision(); });
    // Later, when who made the change has told it itself.
    connect(&m_store, &ConversationStore::listTouched, this, &ChatController::followList,
            Qt::QueuedConnection);
    connect(&m_store, &ConversationStore::messageAdded, this, &ChatController::followAdded,
            Qt::QueuedConnection);
    connect(&m_store, &ConversationStore::messageUpdated, this, &ChatController::followUpdated,
            Qt::QueuedConnection);
    connect(&m_store, &ConversationStore::writingChanged, this, &ChatController::followWriting,
            Qt::QueuedConnection);
    connect(&m_store, &ConversationStore::flushWanted, this, [this](qint64 conversation) {
        if (conversation == 0)
            storeNow();
        else if (m_reply.conversation == conversation)
            flushReply();
    });
    m_listSeen = m_store.listRevision();
}

std::unique_ptr<ChatController> ChatController::beside(EngineService &engine) const
{
    auto other = std::make_unique<ChatController>(m_store, engine);
    other->setToolBox(m_tools);
    other->setCallLimits(m_mostRounds, m_callSeconds);
    return other;
}

/// Somebody else writes the last message in view.
bool ChatController::followsReply() const
{
    return !m_path.isEmpty() && m_path.last().state == Message::State::Streaming &&
           m_path.last().id != m_reply.messageId && m_store.isWritten(m_path.last().id);
}

void ChatController::followList()
{
    if (m_listSeen == m_store.listRevision())
        return;
    if (m_conversation != 0) {
        const std::optional<ConversationRow> row = m_store.conversation(m_conversation);
        if (!row) {
            if (m_reply.conversation == m_conversation)
                stop();
            newConversation();
        } else {
            m_title = row->title;
            m_named = row->named;
        }
    }
    emit conversationsChanged();
}

void ChatController::followAdded(qint64 conversation, qint64 messageId)
{
    if (conversation != m_conversation || indexOf(messageId) >= 0)
        return;
    const std::optional<Message> message = m_store.message(messageId);
    if (!message)
        return;
    const qint64 last = m_path.isEmpty() ? 0 : m_path.last().id;
    if (m_following && message->parentId == last) {
        appendToPath(*message);
        followWriting(messageId);
        return;
    }
    // A version of a message in view: there is one more of it.
    for (qsizetype i = 0; i < m_path.size(); ++i) {
        if (m_path[i].parentId != message->parentId)
            continue;
        m_path[i].siblingCount = message->siblingCount;
        emit messageChanged(static_cast<int>(i));
        return;
    }
}

void ChatController::followUpdated(qint64 messageId)
{
    const int index = indexOf(messageId);
    if (index < 0 || messageId == m_reply.messageId)
        return;
    const std::optional<Message> message = m_store.message(messageId);
    Message &known = m_path[index];
    const bool same = message && message->text == known.text && message->state == known.state &&
                      message->error == known.error;
    if (!message || (same && known.state != Message::State::Streaming))
        return; // by this controller
    if (m_store.isWritten(messageId) && known.text.size() >= message->text.size())
        known.record = message->record; // its words came already
    else
        known = *message;
    emit messageChanged(index);
}

void ChatController::followWriting(qint64 messageId)
{
    if (messageId == m_reply.messageId || messageId == m_ended)
        return;
    if (m_path.isEmpty() || m_path.last().id != messageId)
        return followOutOfView(messageId);
    followUpdated(messageId);
    emit replyingChanged(replying());
    updateCanSend();
    emit contextShortageChanged();
    if (!replying())
        sendQueued(m_conversation, m_path.last().state == Message::State::Failed);
}

void ChatController::followText(qint64 messageId, const QString &text)
{
    const int index = indexOf(messageId);
    if (index < 0 || m_path[index].state != Message::State::Streaming ||
        !m_store.isWritten(messageId))
        return;
    m_path[index].text += text;
    emit textAppended(index, text);
}

void ChatController::keepBranch()
{
    if (m_conversation != 0 && !m_path.isEmpty())
        m_store.setCurrentLeaf(m_conversation, m_path.last().id);
}

void ChatController::answer(qint64 conversation, qint64 messageId)
{
    if (!canSend())
        return;
    if (conversation != m_conversation)
        openConversation(conversation);
    const QList<Message> path = m_store.path(messageId);
    if (path.isEmpty() || path.last().role != QLatin1String("user"))
        return;
    showConversation(conversation, path);
    startReply();
}

void ChatController::skipAnswer(qint64 conversation, qint64 messageId, const QString &problem)
{
    const QList<Message> path = m_store.path(messageId);
    if (replying() || path.isEmpty() || path.last().role != QLatin1String("user"))
        return;
    if (conversation != m_conversation)
        openConversation(conversation);
    showConversation(conversation, path);
    appendUnwritten(problem);
}

void ChatController::sendUnanswered(const QString &text, const QString &problem)
{
    if (replying() || text.trimmed().isEmpty())
        return;
    addUserMessage(m_path.isEmpty() ? 0 : m_path.last().id, text);
    appendUnwritten(problem);
}

void ChatController::appendUnwritten(const QString &problem)
{
    Message message = newMessage(QStringLiteral("assistant"), {}, m_path.last().id);
    message.state = problem.isEmpty() ? Message::State::Stopped : Message::State::Failed;
    message.error = problem;
    appendToPath(stored(message, m_conversation));
}

} // namespace fireside
