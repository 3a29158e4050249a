#pragma once
#include "app/chat/chat_place.h"
#include "app/chat/conversation.h"
#include "app/chat/imported_chats.h"
#include "app/chat/store_file.h"
#include "app/exchange/chat_tree.h"
#include "app/runtime/engine_types.h"
#include "app/tools/tool_memory.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace fireside {

/// What a conversation keeps besides its messages.
struct ConversationRow
{
    qint64 id = 0;
    QString title;
    bool named = false; // the user chose the title
    QString draft;
    qint64 currentLeaf = 0;  // last message of the visible branch, 0: none
    SamplingChoice sampling; // of this chat
    ChatTools tools;
    ChatPlace place;
};

/// All conversations, in one SQLite file with one writer. GUI thread. Each change is one
/// transaction, on disk when the call returns (a power cut may take the last moments, kill -9 does
/// not). When the disk refuses, everything goes on in memory, problem() says so, and writing is
/// tried again.
class ConversationStore : public QObject
{
    Q_OBJECT
public:
    explicit ConversationStore(const QString &folder = defaultFolder(), QObject *parent = nullptr);
    ~ConversationStore() override;
    static QString defaultFolder(); // $XDG_DATA_HOME/fireside

    QString path() const { return m_file.path; }
    QString problem() const; // what the user must know now; empty when all is well
    QString notice() const { return m_file.notice; } // what happened when the file was opened
    bool inMemory() const { return m_file.inMemory; }
    bool hasFullTextIndex() const { return m_file.hasIndex; }

    /// Newest first, pinned on top. With `search`: those with all of its words in one message or in
    /// the title.
    QList<ConversationSummary> list(const QString &search = {});
    std::optional<ConversationRow> conversation(qint64 id);
    qint64 addConversation(const QString &title, const SamplingChoice &sampling);
    void setTitle(qint64 id, const QString &title, bool named);
    void setPinned(qint64 id, bool pinned);
    void setFolder(qint64 id, const QString &folder); // empty: none
    void setDraft(qint64 id, const QString &draft);   // 0: of the chat that is not stored yet
    QString newChatDraft();
    void setSampling(qint64 id, const SamplingChoice &sampling);
    void setTools(qint64 id, const ChatTools &tools);
    void setPlace(qint64 id, const ChatPlace &place);
    void setCurrentLeaf(qint64 id, qint64 messageId);
    void setDeleted(qint64 id, bool deleted); // the rows go when the program next starts

    /// Root to `leaf`, with sibling numbers.
    QList<Message> path(qint64 leaf);
    std::optional<Message> message(qint64 id);
    qint64 addMessage(qint64 conversation, const Message &message); // the new id; makes it the leaf
    void updateMessage(qint64 id, const QString &text, Message::State state, const QString &error,
                       const QJsonObject &record);
    /// The sibling `step` places away, 0 when there is none.
    qint64 sibling(qint64 messageId, int step);
    /// Follows the newest children down to the end of a branch.
    qint64 newestLeafBelow(qint64 messageId);

    /// Everything of a conversation.
    std::optional<ChatTree> tree(qint64 id);
    /// All of them or, when they are refused, none; the new ids.
    QList<qint64> addTrees(const QList<ChatTree> &trees);
    /// The same, but a chat that is here already is recognised by its first message: it gets what
    /// it lacks of the imported one's messages.
    ImportedChats importTrees(const QList<ChatTree> &trees);
    void undoImport(const ImportedChats &imported);

    /// The conversations that have changes which are only in memory, and the unsent text of the new
    /// chat if it is.
    QList<qint64> unsavedConversations();
    QString unsavedNewChatDraft();

    // Several may show what is stored here, and follow each other's changes.
    /// A reply is being written into this message, until it is said that none is.
    void setWriting(qint64 message, bool writing);
    bool isWritten(qint64 message) const { return m_written.contains(message); }
    /// Who writes into this conversation stores it as it is now. 0: all, and drafts too.
    void flush(qint64 conversation) { emit flushWanted(conversation); }
    /// Grows with each change of what list() gives.
    quint64 listRevision() const { return m_listRevision; }

public slots:
    void retryNow(); // writes what is in memory to the disk, if it can

signals:
    void problemChanged(const QString &problem);
    void noticeChanged(const QString &notice); // the file was recovered
    void contentsReplaced();                   // rows of the disk came back, or were recovered
    void listTouched();
    void messageAdded(qint64 conversation, qint64 message);
    void messageUpdated(qint64 message);
    void writingChanged(qint64 message);
    void flushWanted(qint64 conversation);

private:
    /// Runs a statement; when the disk refuses it, recovers and runs it again. A default value when
    /// even that fails.
    template <typename Operation>
    auto guarded(Operation operation) -> decltype(operation())
    {
        try {
            const Solved solved{*this}; // unless it throws
            return operation();
        } catch (const SqlError &error) {
            recoverFrom(error);
        }
        try {
            return operation();
        } catch (const SqlError &error) {
            reportRefusal(error);
            return decltype(operation())();
        }
    }
    /// Takes the report of a refused statement back when a later one succeeds.
    struct Solved
    {
        ConversationStore &store;
        int exceptions = std::uncaught_exceptions();
        ~Solved()
        {
            if (store.m_refused && std::uncaught_exceptions() == exceptions)
                store.withdrawRefusal();
        }
    };
    void recoverFrom(const SqlError &error);
    void reportRefusal(const SqlError &error);
    void withdrawRefusal();
    void setProblem(const QString &problem);
    void touch(qint64 conversation, qint64 message);
    void touchList();
    void set(qint64 conversation, const QString &column, const QVariant &value);
    struct Match
    {
        qint64 message = 0;
        QString text;
    };
    QHash<qint64, Match> messagesWith(const QStringList &words);
    QHash<qint64, Match> matchesIn(const QList<qint64> &messages);
    QHash<qint64, qint64> newestOf(const std::vector<qint64> &messages);
    void learnPlaces();
    const SqlConnection &db() const { return *m_file.connection; }

    OpenedStore m_file;
    std::vector<std::pair<qint64, qint64>> m_places; // of messages, by id: their conversations
    QString m_problem;
    bool m_refused = false; // a statement, and listeners know
    QTimer m_retry;
    quint64 m_listRevision = 0;
    QSet<qint64> m_written; // by a reply now
    // Rows that exist only in memory.
    QSet<qint64> m_changedConversations, m_changedMessages;
    QSet<qint64> m_scrolledConversations; // their places alone
    bool m_changedNewChatDraft = false;
};

} // namespace fireside
