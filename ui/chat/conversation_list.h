#pragma once
#include "app/chat/conversation.h"

#include <QTimer>
#include <QWidget>

#include <functional>

class QLabel;
class QListView;
class QMenu;
class QModelIndex;

namespace fireside {

class ChatController;
class ConversationDelegate;
class ConversationModel;
class LineField;

/// The left side of the window: new chat, search, the conversations, and the undo of a deletion.
class ConversationList : public QWidget
{
    Q_OBJECT
public:
    explicit ConversationList(ChatController &chat, QWidget *parent = nullptr);

    void focusSearch();
    void setClosedFolders(const QStringList &folders);
    QListView *view() const { return m_view; }

public slots:
    void renameCurrent();
    void removeCurrent();
    void undoDelete();

signals:
    void closedFoldersChanged(const QStringList &folders);
    void newChatRequested();
    void undoAvailable(bool available);
    void opened(); // the user chose a conversation
    /// … among those that were found, because of the message `match` (0: its title). No words: the
    /// search is over.
    void found(const QStringList &words, qint64 match);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *buildUndoBar();
    void reload();
    void search();
    bool openFirstHit();
    void selectCurrent();
    void choose(const QModelIndex &index);
    void open(const QModelIndex &index);
    void removeChosen();
    void showMenu(const QPoint &point);
    void showFolderMenu(const QModelIndex &index, const QPoint &point);
    QMenu *folderMenu(const QList<qint64> &ids);
    void askForName(const QString &title, const QString &name,
                    const std::function<void(const QString &)> &use);
    bool pressedMenu(QPoint point);
    void offerUndo(const QString &title, int count);
    QList<qint64> chosen() const;

    ChatController &m_chat;
    ConversationModel *m_model;
    LineField *m_search;
    QListView *m_view;
    ConversationDelegate *m_delegate;
    QLabel *m_empty;
    QWidget *m_undoBar;
    QLabel *m_undoText;
    QTimer m_searchDelay, m_undoTimer;
};

} // namespace fireside
