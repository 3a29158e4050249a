#pragma once
#include <QFrame>

class QLabel;
class QPushButton;

namespace fireside {

class ChatController;
class EngineService;

/// Above one of two chats side by side: which model answers there, what it does, and how fast.
class ColumnHeader : public QFrame
{
    Q_OBJECT
public:
    ColumnHeader(const QString &name, ChatController &chat, EngineService &engine,
                 QWidget *parent = nullptr);

    /// In place of "Ready": what it waits for; empty: nothing.
    void setWaiting(const QString &text);
    void setKeepable(bool keepable);

signals:
    void modelRequested();
    void stopRequested();
    void keepRequested();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QString stateText() const;
    void refresh();
    void showName();

    ChatController &m_chat;
    EngineService &m_engine;
    QPushButton *m_model, *m_stop, *m_keep;
    QLabel *m_state, *m_rate;
    QString m_waiting, m_rateText;
    int m_percent = 0;
};

} // namespace fireside
