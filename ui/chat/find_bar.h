#pragma once
#include "app/chat/conversation.h"

#include <QWidget>

#include <utility>

class QLabel;
class QToolButton;

namespace fireside {

class LineField;

/// Finds a text in the open chat: how often it is there, and the way from one place to the next.
class FindBar : public QWidget
{
    Q_OBJECT
public:
    explicit FindBar(QWidget *parent = nullptr);

    void open(); // with the keyboard in its field
    /// The messages that are searched; they may grow.
    void setMessages(const QList<Message> &messages);

public slots:
    void close();
    void next();
    void previous();

signals:
    /// Place `nth` of the text in a message. An empty text: nothing is to be marked.
    void found(const QString &text, int message, int nth);
    void closed();

protected:
    void changeEvent(QEvent *event) override;
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    QToolButton *addButton(const QString &name);
    void search();
    void collect();
    void go(int step);
    void showCount();

    QList<Message> m_messages;
    QList<std::pair<int, int>> m_hits; // message, and which of its places
    int m_current = -1;
    LineField *m_field;
    QLabel *m_count;
    QToolButton *m_previous, *m_next;
};

} // namespace fireside
