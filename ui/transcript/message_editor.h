#pragma once
#include <QWidget>

class QPushButton;

namespace fireside {

class AttachmentList;
class MessageField;

/// Edits a message where it stands; its files are a list, as in the composer. Enter sends the new
/// version, Escape gives up.
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
    void noteChange();

    AttachmentList *m_attachments;
    void accept();

    MessageField *m_edit;
    QPushButton *m_send;
};

} // namespace fireside
