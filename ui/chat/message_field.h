#pragma once
#include "ui/style/text_fields.h"

namespace fireside {

class AttachmentList;

/// A field for a message and the list of files that go with it. Lines that are too long to be laid
/// out at each key become files, however they come: typed, pasted, dropped, set or committed by an
/// input method.
class MessageField : public PlainTextField
{
    Q_OBJECT
public:
    explicit MessageField(AttachmentList &files, QWidget *parent = nullptr);

    QString message() const; // the text and the files
    void setMessage(const QString &message);
    void insertText(const QString &text); // where the cursor is

    /// An input method has text in the field that is not a part of it yet.
    bool isComposing() const;
    /// That text becomes a part of the field's.
    void commitComposition();

signals:
    void compositionChanged();

protected:
    void insertFromMimeData(const QMimeData *source) override;
    void inputMethodEvent(QInputMethodEvent *event) override;

private:
    void moveLongLine();

    AttachmentList &m_files;
};

} // namespace fireside
