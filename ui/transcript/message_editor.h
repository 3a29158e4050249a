#pragma once
#include <QWidget>

class QPlainTextEdit;

namespace fireside {

/// Edits a message where it stands. Enter sends the new version, Escape gives up.
class MessageEditor : public QWidget
{
    Q_OBJECT
public:
    MessageEditor(const QString &text, QWidget *parent);
    QString text() const;
    int wantedHeight() const; // grows to ten lines
    void startEditing();

signals:
    void accepted(const QString &text);
    void cancelled();
    void wantedHeightChanged();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QPlainTextEdit *m_edit;
};

} // namespace fireside
