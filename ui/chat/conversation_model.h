#pragma once
#include "app/chat/conversation.h"

#include <QAbstractListModel>
#include <QSet>

namespace fireside {

class ChatController;

/// The conversations as rows: pinned ones, then each folder with a row of its own above, then the
/// others. What a search finds has no folders. Renaming goes through the controller.
class ConversationModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role {
        IdRole = Qt::UserRole,
        PinnedRole,
        SnippetRole,
        MatchRole,
        FolderRole,
        HeaderRole,
        ClosedRole,
        QueuedRole // a message waits to be sent
    };

    explicit ConversationModel(ChatController &chat, QObject *parent = nullptr);

    void reload(const QString &search);
    void showQueued(); // it has changed in some chat
    const QString &search() const { return m_search; }
    int rowOf(qint64 id) const; // −1: not listed
    void toggle(const QString &folder);
    void setClosed(const QStringList &folders);
    QStringList closed() const; // of the folders that there are, in alphabetical order

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

private:
    struct Row
    {
        bool header = false;
        int count = 0, pinned = 0; // of a folder's chats: below it, and at the top
        ConversationSummary chat;  // of a header only the folder
    };
    bool queued(qint64 id) const;
    QVariant headerOf(const Row &row, int role) const;

    ChatController &m_chat;
    QList<Row> m_rows;
    QSet<QString> m_closed; // folders
    QString m_search;
};

} // namespace fireside
