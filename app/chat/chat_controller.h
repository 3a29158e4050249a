#pragma once
#include "app/chat/call_question.h"
#include "app/chat/chat_place.h"
#include "app/chat/conversation.h"
#include "app/chat/imported_chats.h"
#include "app/exchange/chat_tree.h"
#include "app/runtime/engine_types.h"
#include "app/tools/tool_memory.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>

namespace fireside {

class ChatNamer;
class ConversationStore;
class EngineService;
class ToolBox;

/// What the chat window shows and does: the list of conversations, the open one's visible path, and
/// the reply in progress. GUI thread. Every change is stored as it happens; a storage failure keeps
/// the text in memory, is reported by storageProblem() and retried.
class ChatController : public QObject
{
    Q_OBJECT
public:
    static constexpr int kStoreEveryMs = 700; // a growing reply; kill -9 may lose a second at most
    enum class ContextChoice { LeaveOut, Summarise, TryAgain };

    ChatController(ConversationStore &store, EngineService &engine, QObject *parent = nullptr);
    ~ChatController() override;

    QList<ConversationSummary>
    conversations(const QString &search = {}) const; // newest first, pinned on top
    std::optional<ChatTree> conversationTree(qint64 id) const;
    qint64 currentConversation() const { return m_conversation; } // 0: a new one, not stored yet
    QStringList folders() const;                                  // in alphabetical order
    QString currentTitle() const;
    const QList<Message> &messages() const { return m_path; } // root to leaf of the visible branch
    /// Also while tools run that a reply has called, and while another window's reply to this chat
    /// is written.
    bool replying() const { return writes() || followsReply(); }
    /// The message that is written; 0: none.
    qint64 writtenMessage() const { return m_reply.messageId; }
    /// Another controller of the same store, for `engine`; it has none of this one's settings yet.
    std::unique_ptr<ChatController> beside(EngineService &engine) const;
    /// What others add to the chat appears here, too; unless another branch is to stay in view.
    void setFollowing(bool following) { m_following = following; }
    /// What is in view is what opens next time.
    void keepBranch();
    /// Stores what waits to be stored: the draft, the place and the growing reply.
    void storeNow();
    /// The chats of which something is only in memory after one more try to store it, each
    /// complete; an unsent text of the new chat is one without messages.
    QList<ChatTree> unsavedChats();
    /// Another reply to a stored message of the user, in view from here on.
    void answer(qint64 conversation, qint64 messageId);
    /// The same question is not answered: an empty reply says that it was stopped, or why it
    /// failed.
    void skipAnswer(qint64 conversation, qint64 messageId, const QString &problem);
    /// As send(), with such a reply.
    void sendUnanswered(const QString &text, const QString &problem);
    bool canSend() const; // a model is ready and no reply is running
    /// Index into messages() of the first one the model still sees (0: all).
    int firstSeenMessage() const { return m_firstSeen; }
    const SamplingSettings &sampling() const { return m_sampling; }   // as replies are drawn now
    const SamplingChoice &samplingChoice() const { return m_choice; } // of this chat
    const SamplingLayers &samplingBase() const { return m_base; }     // what lies below that
    /// Whether the last reply broke off in its answer and can go on.
    bool canContinue() const;
    /// The running reply is in thoughts that can be ended.
    bool thinking() const { return m_thinking; }
    /// Set when the last reply was not written because the chat is too long: what is there, and
    /// how it was to go on is asked for by answerContextFull().
    std::optional<ContextShortage> contextShortage() const;
    /// What is sent in the open chat, or in any, when the running reply ends; empty: nothing.
    QString queued() const { return queuedIn(m_conversation); }
    QString queuedIn(qint64 conversation) const;
    /// Titles by the model.
    ChatNamer &namer() { return *m_namer; }

    /// Where the tools are; nullptr: there are none. It must outlive the controller's calls.
    void setToolBox(ToolBox *tools);
    ToolBox *toolBox() const { return m_tools; }
    /// Of the open conversation.
    const ChatTools &chatTools() const { return m_chatTools; }
    /// A call that may only run when the user says so, in whatever chat.
    std::optional<CallQuestion> callQuestion() const;
    /// rounds: of calls for one message; seconds: without a sign of a call.
    void setCallLimits(int rounds, int seconds);
    /// What the model is offered of these tools.
    QList<ToolOffer> offersOf(const QStringList &ids) const;

public slots:
    void newConversation();
    /// With the branch in view that holds `messageId`, if that is given.
    void openConversation(qint64 id, qint64 messageId = 0);
    void renameConversation(qint64 id, const QString &title);
    void setPinned(qint64 id, bool pinned);
    void moveToFolder(const QList<qint64> &ids, const QString &folder); // empty: to none
    void renameFolder(const QString &folder, const QString &name);      // empty: dissolves it
    /// Undoable until the next deletion or the program's end.
    void deleteConversations(const QList<qint64> &ids);
    void undoDelete();
    /// A copy with all branches, which is opened.
    void duplicateConversation(qint64 id);
    /// Chats that are here already get what they lack. chatsImported() follows.
    void importChats(const QList<fireside::ChatTree> &chats);
    void undoImport(); // of the last one

    /// Adds the user's message to the visible path and asks for a reply.
    void send(const QString &text);
    void stop();
    /// Sends the text in the open chat once the running reply has ended, whichever chat is in view
    /// then; at once when there is none. Further texts join it. A reply that fails gives it back to
    /// the draft.
    void queue(const QString &text);
    /// Nothing is sent in the open chat then.
    QString takeQueued();
    /// A new reply beside the last one.
    void regenerate();
    /// The last reply goes on where it broke off.
    void continueReply();
    /// Its thoughts end, and the answer begins.
    void skipThinking();
    /// The reply that was not written is: without the oldest messages, with a summary of them that
    /// the model writes first, or, in another context, as it was asked for. always: from now on in
    /// this chat.
    void answerContextFull(fireside::ChatController::ContextChoice choice, bool always);
    /// What might stand at a place of a reply, for its model as it is now; choicesFound() answers.
    void findChoices(qint64 messageId, qsizetype position);
    /// A version of a reply that begins with this answer and continues from there. tokens: how the
    /// answer was written, if that is known.
    void branch(qint64 messageId, const QString &begun,
                const fireside::BegunTokens &tokens = fireside::BegunTokens());
    /// The same with one of the choices that were found last, behind the answer `begun`.
    void choose(qint64 messageId, const QString &begun, const fireside::TokenChoice &choice);
    /// A new version of an earlier user message beside the old one, and a reply to it.
    void edit(qint64 messageId, const QString &text);
    /// Shows the sibling `step` places away (−1, +1) and the path below it.
    void showSibling(qint64 messageId, int step);

    /// What differs from sampling() was decided for this chat.
    void setSampling(const fireside::SamplingSettings &sampling);
    void setChatTools(const QStringList &enabled); // of the open conversation
    void answerCall(fireside::CallAnswer answer);
    void setSamplingChoice(const fireside::SamplingChoice &choice);
    void setDraft(const QString &text); // kept per conversation
    void startWithoutDraft();           // what is stored of the new chat stays as it is
    QString draft() const;
    void setPlace(const fireside::ChatPlace &place); // kept per conversation
    const ChatPlace &place() const { return m_place; }

    /// What counts where a chat says nothing.
    void setSamplingBase(const fireside::SamplingLayers &base);
    void setDefaultSampling(const fireside::SamplingSettings &sampling); // as one layer

signals:
    void conversationsChanged();                       // list order, titles, pins
    void conversationOpened(qint64 id);                // messages() is a new path: rebuild
    void messageAdded(int index);                      // appended to messages()
    void messageChanged(int index);                    // text, state or record replaced
    void textAppended(int index, const QString &text); // streaming, after messages() was updated
    void statsChanged(const fireside::ReplyStats &stats);
    void replyingChanged(bool replying);
    void canSendChanged(bool canSend);
    void firstSeenChanged(int index);
    void thinkingChanged(bool thinking);
    /// begun: the answer up to the token that the place lies in.
    void choicesFound(qint64 messageId, const QString &begun,
                      const QList<fireside::TokenChoice> &choices, const QString &problem);
    void contextShortageChanged();
    void queuedChanged(const QString &text); // in any chat; of the open one
    void draftChanged();                     // not by setDraft()
    void samplingChanged();                  // of the open conversation
    void chatToolsChanged();
    void callQuestionChanged();
    void conversationsDeleted(const QString &title, int count); // offer undo; one of their titles
    void chatsImported(const fireside::ImportedChats &imported);
    void storageProblem(const QString &message); // empty: solved
    void storageNotice(const QString &message);  // what was recovered

private:
    /// The reply being written; it goes on while another conversation is shown.
    struct Reply
    {
        qint64 conversation = 0;
        qint64 messageId = 0; // 0: none; also the job's id
        QString text;
        QJsonObject record;
        QList<int> pathIndex; // of each message of the job, in the path it was made from
        int index = 0;        // where it stands in that path itself
        qsizetype begun = 0;  // length of the text that it goes on from
        BegunTokens tokens;   // of that text
        QList<MessagePart> begunParts;
        ReplyStats before;   // of the text that it goes on from
        QList<Tool> offered; // that it may call
        QStringList names;   // as it calls them
    };

    /// The calls of a reply, one after the other. The model goes on when all are answered.
    struct Round
    {
        qint64 conversation = 0; // 0: nothing is called
        QList<Message> path;     // up to the last message that is stored
        qsizetype at = 0, count = 0;
        QList<Tool> offered;
        QStringList names;
        Message message{}; // of the call that is asked for, or runs
        Tool tool{};
        bool asking = false;
        qint64 call = 0; // in the tool box; 0: none runs
        QElapsedTimer clock{};
    };

    bool writes() const { return m_reply.messageId != 0 || m_round.conversation != 0; }
    // What others do in the same store (chat_controller_follow.cpp).
    void connectStore();
    bool followsReply() const;
    void followList();
    void followAdded(qint64 conversation, qint64 messageId);
    void followUpdated(qint64 messageId);
    void followWriting(qint64 messageId);
    void followText(qint64 messageId, const QString &text);
    void connectEngine();
    void showConversation(qint64 id, const QList<Message> &path);
    void setFirstSeen(int index);
    void addUserMessage(qint64 parentId, const QString &text);
    void beginConversation();
    /// With its id, also when the store refuses it.
    Message stored(Message message, qint64 conversation);
    void appendToPath(Message message);
    void startReply();
    void startReplyIn(qint64 conversation, const QList<Message> &path,
                      const SamplingSettings &sampling, const ChatTools &tools);
    // chat_controller_calls.cpp
    void offer(ReplyJob &job, const ChatTools &tools);
    bool beginCalls(const Reply &reply, const Message &message);
    void nextCall();
    void runCall();
    void finishCall(const ToolResult &result);
    void endRound();
    void stopCalls();
    void keepChatTools();
    ChatTools toolsOfRound() const;
    void showRound(bool added);
    QString refusalOfCall(const QString &name) const;
    void goOn(Message message, const QString &answer, const BegunTokens &tokens = BegunTokens());
    QList<int> writtenTokens(const QJsonObject &record) const;
    static bool leavesOut(const QList<Message> &path, const SamplingSettings &sampling);
    void setThinking(bool thinking);
    void noteName(qint64 id, const QString &title);
    void noteMove();
    void noteServedModel();
    void recordModelAgain();
    void appendUnwritten(const QString &problem);
    void noteShortage(const ContextShortage &shortage);
    bool afterReply(qint64 messageId);
    void askForReply(const Message &message, ReplyJob job, qint64 conversation);
    // chat_controller_queue.cpp
    /// A message that waits; while its chat is not in view, also what is being written in it.
    struct Queued
    {
        qint64 conversation = 0;
        QString text, draft;
    };
    Queued *queuedOf(qint64 conversation);
    void leaveQueued();
    void keepQueuedAsDraft(qint64 conversation);
    void sendQueued(qint64 conversation, bool failed);
    void sendWaiting(const Queued &queued);
    bool isWrittenElsewhere(qint64 conversation) const;
    void followOutOfView(qint64 messageId);
    ReplyJob makeJob(const QList<Message> &path, const SamplingSettings &sampling,
                     const ChatTools &tools);
    QJsonObject makeRecord(const SamplingSettings &sampling) const;
    void noteReasoningEnd(qsizetype added, const ReplyStats &stats);
    void flushReply();
    void finishReply(Message::State state, const ReplyStats &stats, const QString &error);
    int indexOf(qint64 messageId) const;
    void saveDraft();
    void savePlace();
    void updateCanSend();
    SamplingSettings samplingOf(const SamplingChoice &choice) const;
    void resolveSampling();

    ConversationStore &m_store;
    EngineService &m_engine;
    ChatNamer *const m_namer;
    qint64 m_conversation = 0;
    QString m_title;
    bool m_named = false;
    QList<Message> m_path;
    Reply m_reply;
    Round m_round;
    qint64 m_ended = 0; // its own reply, until the store has told it
    ToolBox *m_tools = nullptr;
    ChatTools m_chatTools;
    int m_mostRounds = 12, m_callSeconds = 120;
    ReplyStats m_stats; // the latest of the running reply
    int m_firstSeen = 0;
    SamplingLayers m_base;
    SamplingChoice m_choice;
    SamplingSettings m_sampling; // of both
    bool m_couldSend = false, m_thinking = false;
    QList<qint64> m_deleted;   // can be undone
    ImportedChats m_imported;  // can be undone
    qint64 m_deletedOpen = 0;  // of the deleted ones, the one that was in view
    qint64 m_choicesOf = 0;    // message whose choices are asked for
    ChoicePlace m_choicePlace; // of those found last
    quint64 m_listSeen = 0;    // revision of the list that was told
    bool m_following = true;   // what others add
    QString m_draft;
    QList<Queued> m_queue; // one for a chat, in the order in which they are sent
    QTimer m_flush;        // stores the growing reply
    ChatPlace m_place;
    QTimer m_draftSave, m_placeSave; // not at every key, and not at every step of a scroll bar
};

} // namespace fireside
