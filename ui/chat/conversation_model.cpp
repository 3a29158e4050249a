#include "ui/chat/conversation_model.h"

#include "app/chat/chat_controller.h"

namespace fireside {

ConversationModel::ConversationModel(ChatController &chat, QObject *parent)
    : QAbstractListModel(parent)
    , m_chat(chat)
{}

void ConversationModel::reload(const QString &search)
{
    beginResetModel();
    m_search = search;
    m_rows.clear();
    const QList<ConversationSummary> chats = m_chat.conversations(search);
    const bool flat = !search.isEmpty();
    const auto add = [this](const ConversationSummary &chat) {
        m_rows.append({false, 0, 0, chat});
    };
    for (const ConversationSummary &chat : chats) {
        if (flat || chat.pinned)
            add(chat);
    }
    for (const QString &folder : flat ? QStringList() : m_chat.folders()) {
        const qsizetype header = m_rows.size();
        ConversationSummary about;
        about.folder = folder;
        m_rows.append({true, 0, 0, about});
        for (const ConversationSummary &chat : chats) {
            if (chat.folder != folder)
                continue;
            if (chat.pinned) {
                ++m_rows[header].pinned;
                continue;
            }
            ++m_rows[header].count;
            if (!m_closed.contains(folder))
                add(chat);
        }
    }
    for (const ConversationSummary &chat : chats) {
        if (!flat && !chat.pinned && chat.folder.isEmpty())
            add(chat);
    }
    endResetModel();
}

void ConversationModel::showQueued()
{
    if (!m_rows.isEmpty())
        emit dataChanged(index(0), index(int(m_rows.size()) - 1));
}

bool ConversationModel::queued(qint64 id) const
{
    return !m_chat.queuedIn(id).isEmpty();
}

void ConversationModel::toggle(const QString &folder)
{
    if (!m_closed.remove(folder))
        m_closed.insert(folder);
    reload(m_search);
}

void ConversationModel::setClosed(const QStringList &folders)
{
    m_closed = QSet<QString>(folders.begin(), folders.end());
    reload(m_search);
}

QStringList ConversationModel::closed() const
{
    QStringList folders = m_chat.folders();
    folders.removeIf([this](const QString &folder) { return !m_closed.contains(folder); });
    return folders;
}

int ConversationModel::rowOf(qint64 id) const
{
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
        if (id != 0 && m_rows[i].chat.id == id)
            return int(i);
    }
    return -1;
}

int ConversationModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

QVariant ConversationModel::headerOf(const Row &row, int role) const
{
    // Where they are is said: else it would look as if they were gone.
    const auto withPinned = [&](const QString &text) {
        return row.pinned == 0 ? text : tr("%1 · pinned above: %2").arg(text).arg(row.pinned);
    };
    switch (role) {
    case Qt::DisplayRole:
        return withPinned(row.chat.folder);
    case Qt::AccessibleTextRole:
        return withPinned(
            m_closed.contains(row.chat.folder)
                ? tr("Folder %1, closed, chats: %2").arg(row.chat.folder).arg(row.count)
                : tr("Folder %1, chats: %2").arg(row.chat.folder).arg(row.count));
    case FolderRole:
        return row.chat.folder;
    case HeaderRole:
        return true;
    case ClosedRole:
        return m_closed.contains(row.chat.folder);
    default:
        return {};
    }
}

QVariant ConversationModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows.size())
        return {};
    if (m_rows[index.row()].header)
        return headerOf(m_rows[index.row()], role);
    const ConversationSummary &row = m_rows[index.row()].chat;
    const QString title = row.title.isEmpty() ? tr("New conversation") : row.title.simplified();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return title;
    case Qt::AccessibleTextRole: {
        const QString text = row.pinned ? tr("%1, pinned").arg(title) : title;
        return queued(row.id) ? tr("%1, a message waits to be sent").arg(text) : text;
    }
    case Qt::ToolTipRole:
        return queued(row.id) ? tr("A message is sent here when the reply has ended") : QString();
    case QueuedRole:
        return queued(row.id);
    case Qt::AccessibleDescriptionRole:
        return row.snippet;
    case IdRole:
        return row.id;
    case PinnedRole:
        return row.pinned;
    case SnippetRole:
        return row.snippet;
    case MatchRole:
        return row.match;
    case FolderRole:
        return m_search.isEmpty() && !row.pinned ? row.folder : QString();
    default:
        return {};
    }
}

bool ConversationModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const QString title = value.toString().simplified();
    if (role != Qt::EditRole || !index.isValid() || title.isEmpty() ||
        title == index.data().toString())
        return false;
    // Queued: it resets this model, and the view is still closing its editor.
    const qint64 id = m_rows[index.row()].chat.id;
    QMetaObject::invokeMethod(
        &m_chat, [&chat = m_chat, id, title] { chat.renameConversation(id, title); },
        Qt::QueuedConnection);
    return true;
}

Qt::ItemFlags ConversationModel::flags(const QModelIndex &index) const
{
    if (index.isValid() && m_rows[index.row()].header)
        return Qt::ItemIsEnabled;
    return QAbstractListModel::flags(index) | Qt::ItemIsEditable;
}

} // namespace fireside
