#pragma once
#include <QFrame>

#include <optional>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace fireside {

class ChatController;
class EngineService;
enum class IconName;

/// Above one of two chats side by side: which model answers there, what it does, and how fast.
/// Its buttons are one row, and show icons in place of words where that is narrow.
class ColumnHeader : public QFrame
{
    Q_OBJECT
public:
    ColumnHeader(const QString &name, ChatController &chat, EngineService &engine,
                 QWidget *parent = nullptr);

    /// In place of "Ready": what it waits for; empty: nothing.
    void setWaiting(const QString &text);
    void setKeepable(bool keepable);
    /// One row: what the model does stands in its button, while it does something.
    void setLow(bool low);
    /// With a button that ends the comparison.
    void setCloseable(bool closeable);

    QSize minimumSizeHint() const override; // with icons

signals:
    void modelRequested();
    void stopRequested();
    void keepRequested();
    void closeRequested();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QHBoxLayout *buildButtons(const QString &name);
    QString stateText() const;
    bool resting() const;
    void refresh();
    void showName();
    void fitButtons();
    static void showAs(QPushButton &button, const QString &text, IconName name, bool narrow);

    ChatController &m_chat;
    EngineService &m_engine;
    QPushButton *m_model, *m_stop, *m_keep;
    QToolButton *m_close;
    QLabel *m_state, *m_rate;
    QString m_waiting, m_rateText;
    int m_percent = 0;
    bool m_low = false;
    std::optional<bool> m_narrow;
};

} // namespace fireside
