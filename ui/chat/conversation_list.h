#pragma once
#include "app/chat/conversation.h"

#include <QAbstractListModel>
#include <QTimer>
#include <QWidget>

class QLabel;
class QListView;

namespace fireside {

class ChatController;
class LineField;

/// The conversations as rows; renaming goes through the controller.
class ConversationModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role { IdRole = Qt::UserRole, PinnedRole, SnippetRole, MatchRole };

    explicit ConversationModel(ChatController &chat, QObject *parent = nullptr);

    void reload(const QString &search);
    const QString &search() const { return m_search; }
    int rowOf(qint64 id) const; // −1: not listed

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

private:
    ChatController &m_chat;
    QList<ConversationSummary> m_rows;
    QString m_search;
};

/// The left side of the window: new chat, search, the conversations, and the undo of a deletion.
class ConversationList : public QWidget
{
    Q_OBJECT
public:
    explicit ConversationList(ChatController &chat, QWidget *parent = nullptr);

    void focusSearch();
    QListView *view() const { return m_view; }

public slots:
    void renameCurrent();
    void removeCurrent();
    void undoDelete();

signals:
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
    void selectCurrent();
    void open(const QModelIndex &index);
    void removeChosen();
    void showMenu(const QPoint &point);
    bool pressedMenu(QPoint point);
    void offerUndo(const QString &title, int count);
    QList<qint64> chosen() const;

    ChatController &m_chat;
    ConversationModel *m_model;
    LineField *m_search;
    QListView *m_view;
    QLabel *m_empty;
    QWidget *m_undoBar;
    QLabel *m_undoText;
    QTimer m_searchDelay, m_undoTimer;
};

} // namespace fireside
