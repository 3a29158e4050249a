#pragma once
#include "ui/chat/message_field.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QToolButton;

namespace fireside {

class AttachmentList;
class ThinkingButton;
class ToolsButton;

/// The text field of the composer: its keys, and files dropped or pasted into it.
class ComposerEdit : public MessageField
{
    Q_OBJECT
public:
    explicit ComposerEdit(AttachmentList &files, QWidget *parent = nullptr);

signals:
    void sendPressed();
    void upInEmpty();
    void filesGiven(const QStringList &paths);

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool canInsertFromMimeData(const QMimeData *source) const override;
    void insertFromMimeData(const QMimeData *source) override;
};

/// Where messages are written. Grows to eight lines; Enter sends, Shift+Enter breaks the line.
class Composer : public QWidget
{
    Q_OBJECT
public:
    explicit Composer(QWidget *parent = nullptr);

    QString text() const; // what is typed
    /// The message as it is sent: the text and the files that go with it.
    QString message() const;
    void setMessage(const QString &message);
    void focusText();
    /// In place of a command ("/…"), else where the cursor is.
    void insertPrompt(const QString &text);
    QPlainTextEdit *field() const { return m_edit; }
    void typeText(const QString &text); // typed or dropped elsewhere, meant for here
    /// The files of a drop that can be attached, when all can; models are for the window.
    static QStringList attachable(const QMimeData *data);
    /// Whether a message can be sent now; if not, why, in a few words.
    void setSendable(bool sendable, const QString &reason);
    /// The button stops the reply instead, and Enter queues the message.
    void setReplying(bool replying);
    /// How many tokens a message may have; 0: not known.
    void setRoom(int tokens);
    /// A count that was asked for: of the whole message, or of one of its files.
    /// Negative: nobody can count it.
    void setTokens(const QString &text, int tokens);
    AttachmentList *attachments() const { return m_attachments; }
    void setPlaceholder(const QString &text);
    void attachFiles(const QStringList &paths);
    ThinkingButton *thinking() const { return m_thinking; }
    ToolsButton *tools() const { return m_tools; }

signals:
    void sendRequested(const QString &message);
    void queueRequested(const QString &message);
    void stopRequested();
    void countRequested(const QString &text); // when the typing rests
    void tooLong(int tokens);                 // it was not sent
    void editLastRequested();
    void edited(const QString &message);
    void attachmentFailed(const QString &message);

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fitHeight();
    void updateButton();
    void submit();
    void chooseFiles();
    bool blank() const;
    bool exceedsRoom() const;
    bool mustBeCounted(const QString &whole) const;
    void askForCounts();

    ComposerEdit *m_edit;
    AttachmentList *m_attachments;
    QToolButton *m_attach, *m_button;
    ThinkingButton *m_thinking;
    ToolsButton *m_tools; // hidden unless somebody shows it
    QLabel *m_reasonLabel;
    QString m_reason;
    bool m_sendable = false, m_replying = false;
    int m_room = 0;
    QString m_counted; // the message that has m_tokens
    int m_tokens = -1;
    QString m_waiting; // a message that is sent once it is counted
    QTimer m_count;    // waits until the typing rests
};

} // namespace fireside
