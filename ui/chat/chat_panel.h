#pragma once
#include "app/runtime/engine_types.h"

#include <QPoint>
#include <QTimer>
#include <QWidget>

class QLayout;
class QPushButton;
class QStackedWidget;

namespace fireside {

class ChatController;
class CallBar;
class Composer;
class ContextQuestion;
class EngineService;
class FindBar;
class InputBar;
class NoticeBar;
class QueuedMessage;
class SignInBar;
class TranscriptView;
class Welcome;

/// The middle of the window: notices, transcript or welcome, composer; and their wiring to the
/// chat.
class ChatPanel : public QWidget
{
    Q_OBJECT
public:
    ChatPanel(ChatController &chat, EngineService &engine, QWidget *parent = nullptr);

    TranscriptView *transcript() const { return m_transcript; }
    Composer *composer() const { return m_composer; }
    NoticeBar *notices() const { return m_notices; }
    Welcome *welcome() const { return m_welcome; }
    FindBar *findBar() const { return m_find; }

    /// While it stands elsewhere, for example below two chats.
    void lendComposer(QLayout &layout);
    void takeComposerBack();
    /// Shows what another panel's composer was told, and has none.
    void beFollower();
    /// Why no message can be sent though the chat could; empty: it can.
    void setHeld(const QString &reason);

public slots:
    void editLastMessage();
    void regenerate();
    void continueReply();
    void copyLastAnswer();
    void findInChat();
    void showTools();

signals:
    void modelsRequested();
    void linkActivated(const QString &address);
    void largerContextRequested(int tokens); // for a message of so many
    void toolServersRequested();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void connectChat();
    void connectEngine();
    void connectTools();
    void countTools();
    void showCallQuestion();
    void showInput();
    void rebuild();
    void showPage();
    void showDraft();
    void editQueued();
    int largestRoom() const;
    void refuseLongMessage(int tokens);
    void showDetails(qint64 messageId);
    void askForChoices(qint64 messageId, qsizetype position, QPoint place);
    void showChoices(qint64 messageId, const QString &begun, const QList<TokenChoice> &choices,
                     const QString &problem);
    void updateComposer();
    QString unreadyReason() const;

    ChatController &m_chat;
    EngineService &m_engine;
    NoticeBar *m_notices;
    FindBar *m_find;
    QStackedWidget *m_pages;
    Welcome *m_welcome;
    TranscriptView *m_transcript;
    QWidget *m_composerRow;
    bool m_follows = false;
    QString m_held;
    ContextQuestion *m_question;
    CallBar *m_callBar;
    SignInBar *m_signInBar;
    InputBar *m_inputBar;
    int m_toolTokens = -1; // of the chat's tools; −1: not known
    QTimer m_toolCount;
    bool m_countsTools = false; // and waits for the answer
    QPushButton *m_skip;        // thoughts
    QueuedMessage *m_queued;
    Composer *m_composer;
    QString m_loading; // file name of the model being loaded
    int m_loadPercent = 0;
    bool m_answersOnceLoaded = false; // what did not fit into the context before
    QPoint m_choicesPlace;            // on the screen
    qint64 m_shown = -1;              // the conversation in the transcript
    bool m_rebuilding = false;
};

} // namespace fireside
