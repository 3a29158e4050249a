#pragma once
#include <QFrame>

class QLabel;

namespace fireside {

/// The message that waits for the running reply to end: its beginning, and buttons that take it
/// back into the composer or away.
class QueuedMessage : public QFrame
{
    Q_OBJECT
public:
    explicit QueuedMessage(QWidget *parent = nullptr);

    void setText(const QString &text); // empty: hidden

signals:
    void editRequested();
    void removeRequested();

private:
    QLabel *m_text;
};

} // namespace fireside
