// Whole chats: deleted, copied, taken over from files, and each of these undone.
#include "app/chat/chat_controller.h"

#include "app/chat/chat_texts.h"
#include "app/chat/conversation_store.h"
#include "app/runtime/engine_service.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

bool isUpdated(const ImportedChats &imported, qint64 conversation)
{
    return std::any_of(imported.updated.cbegin(), imported.updated.cend(),
                       [conversation](const ImportedChats::Update &update) {
                           return update.conversation == conversation;
                       });
}

} // namespace

std::optional<ChatTree> ChatController::conversationTree(qint64 id) const
{
    return m_store.tree(id);
}

QStringList ChatController::folders() const
{
    QStringList names;
    for (const ConversationSummary &chat : m_store.list()) {
        if (!chat.folder.isEmpty() && !names.contains(chat.folder))
            names += chat.folder;
    }
    std::sort(names.begin(), names.end(), [](const QString &a, const QString &b) {
        return QString::localeAwareCompare(a, b) < 0;
    });
    return names;
}

void ChatController::moveToFolder(const QList<qint64> &ids, const QString &folder)
{
    for (const qint64 id : ids)
        m_store.setFolder(id, folder.simplified());
    emit conversationsChanged();
}

void ChatController::renameFolder(const QString &folder, const QString &name)
{
    QList<qint64> ids;
    for (const ConversationSummary &chat : m_store.list()) {
        if (chat.folder == folder)
            ids.append(chat.id);
    }
    moveToFolder(ids, name);
}

void ChatController::deleteConversations(const QList<qint64> &ids)
{
    QList<qint64> deleted;
    QString title;
    for (const qint64 id : ids) {
        const std::optional<ConversationRow> row = m_store.conversation(id);
        if (!row)
            continue;
        if (replying() && (m_reply.conversation == id || m_round.conversation == id))
            stop();
        m_store.setDeleted(id, true);
        title = row->title;
        deleted.append(id);
    }
    if (deleted.isEmpty())
        return;
    m_deleted = deleted;
    m_deletedOpen = deleted.contains(m_conversation) ? m_conversation : 0;
    if (m_deletedOpen != 0)
        newConversation();
    emit conversationsChanged();
    emit conversationsDeleted(title, static_cast<int>(deleted.size()));
}

void ChatController::undoDelete()
{
    const QList<qint64> ids = std::exchange(m_deleted, {});
    if (ids.isEmpty())
        return;
    for (const qint64 id : ids)
        m_store.setDeleted(id, false);
    emit conversationsChanged();
    const qint64 open = std::exchange(m_deletedOpen, 0);
    if (open != 0 && m_conversation == 0) // nothing else is read meanwhile
        openConversation(open);
}

void ChatController::duplicateConversation(qint64 id)
{
    std::optional<ChatTree> tree = m_store.tree(id);
    if (!tree)
        return;
    tree->title = tr("%1 (copy)").arg(tree->title);
    tree->named = true;
    tree->updated = QDateTime::currentDateTimeUtc();
    const QList<qint64> ids = m_store.addTrees({*tree});
    emit conversationsChanged();
    if (!ids.isEmpty())
        openConversation(ids.first());
}

QList<ChatTree> ChatController::unsavedChats()
{
    m_store.flush(0);
    m_store.retryNow();
    QList<ChatTree> chats;
    for (const qint64 id : m_store.unsavedConversations()) {
        if (const std::optional<ChatTree> tree = m_store.tree(id))
            chats.append(*tree);
    }
    if (const QString draft = m_store.unsavedNewChatDraft(); !draft.isEmpty()) {
        ChatTree chat;
        chat.title = titleFrom(draft);
        chat.created = chat.updated = QDateTime::currentDateTimeUtc();
        chat.draft = draft;
        chats.append(chat);
    }
    return chats;
}

void ChatController::importChats(const QList<ChatTree> &chats)
{
    m_imported = m_store.importTrees(chats);
    emit conversationsChanged();
    if (m_imported.added.size() == 1 && m_imported.updated.isEmpty())
        openConversation(m_imported.added.first());
    else if (isUpdated(m_imported, m_conversation))
        openConversation(m_conversation);
    emit chatsImported(m_imported);
}

void ChatController::undoImport()
{
    const ImportedChats imported = std::exchange(m_imported, {});
    if (imported.added.isEmpty() && imported.updated.isEmpty())
        return;
    m_store.undoImport(imported);
    if (imported.added.contains(m_conversation))
        newConversation();
    else if (isUpdated(imported, m_conversation))
        openConversation(m_conversation);
    emit conversationsChanged();
}

} // namespace fireside
