#include "app/chat/conversation_store.h"
#include "app/chat/sql_connection.h"
#include "app/chat/store_recovery.h"
#include "app/chat/store_schema.h"

#include "support.h"

#include <QFile>
#include <QFileInfo>
#include <QThread>

#include <sys/stat.h>

// What lies in the database, beside what the store shows of it.
namespace fireside::test {
namespace {

const QString kDatabase = QStringLiteral("/fireside.db");
const QString kWriter = QStringLiteral("user");

qint64 count(const QString &folder, const char *table)
{
    return SqlConnection(folder + kDatabase)
        .value(QStringLiteral("SELECT count(*) FROM ") + QString::fromLatin1(table))
        .toLongLong();
}

TEST(StoreContentsTest, deletedChatsLeaveNothingBehind)
{
    const QString folder = newFolder();
    {
        ConversationStore store(folder);
        addChat(store, store.addConversation(QStringLiteral("kept"), {}), 4);
        const qint64 gone = store.addConversation(QStringLiteral("gone"), {});
        addChat(store, gone, 6);
        store.setDeleted(gone, true);
    }
    EXPECT_EQ(count(folder, "messages"), 10) << "it can still be undone";
    {
        const ConversationStore next(folder);
    }
    EXPECT_EQ(count(folder, "conversations"), 1);
    EXPECT_EQ(count(folder, "messages"), 4);
}

TEST(StoreContentsTest, messagesNeedTheirChat)
{
    ConversationStore store(newFolder());
    EXPECT_EQ(store.addMessage(4711, makeMessage(kWriter, QStringLiteral("whose?"), 0)), 0);
}

TEST(StoreContentsTest, writesAheadOfTheFile)
{
    const QString folder = newFolder();
    const ConversationStore store(folder);
    EXPECT_EQ(
        SqlConnection(folder + kDatabase).value(QStringLiteral("PRAGMA journal_mode")).toString(),
        QStringLiteral("wal"));
}

/// Whatever the user's mask allows: also the log beside it, and a database of an earlier version.
TEST(StoreContentsTest, onlyTheOwnerReadsChats)
{
    constexpr QFile::Permissions kOthers =
        QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
    const QString path = newFolder() + kDatabase;
    const auto ofOthers = [&](const char *ending) {
        EXPECT_TRUE(QFile::exists(path + QLatin1String(ending))) << ending;
        return QFile::permissions(path + QLatin1String(ending)) & kOthers;
    };
    const mode_t mask = ::umask(0);
    {
        ConversationStore store(QFileInfo(path).path());
        addChat(store, store.addConversation(QStringLiteral("mine"), {}), 2);
        EXPECT_EQ(ofOthers("") | ofOthers("-wal") | ofOthers("-shm"), QFile::Permissions());
    }
    ASSERT_TRUE(QFile::setPermissions(path, QFile::permissions(path) | kOthers));
    {
        ConversationStore store(QFileInfo(path).path());
        EXPECT_EQ(store.list().size(), 1);
        addChat(store, store.addConversation(QStringLiteral("mine"), {}), 2);
        EXPECT_EQ(ofOthers("") | ofOthers("-wal"), QFile::Permissions());
    }
    ::umask(mask);
}

TEST(StoreContentsTest, choicesOfTheUserAreStored)
{
    const QString folder = newFolder();
    qint64 id = 0, first = 0, second = 0;
    {
        ConversationStore store(folder);
        id = store.addConversation(QStringLiteral("made up"), {});
        EXPECT_FALSE(store.conversation(id)->named);
        first = store.addMessage(id, makeMessage(kWriter, QStringLiteral("one"), 0));
        second = store.addMessage(id, makeMessage(kWriter, QStringLiteral("two"), 0));
        EXPECT_EQ(store.conversation(id)->currentLeaf, second);
        store.setTitle(id, QStringLiteral("mine"), true);
        store.setCurrentLeaf(id, first);
    }
    ConversationStore store(folder);
    EXPECT_EQ(store.conversation(id)->title, QStringLiteral("mine"));
    EXPECT_TRUE(store.conversation(id)->named);
    EXPECT_EQ(store.conversation(id)->currentLeaf, first);
    store.setTitle(id, QStringLiteral("made up again"), false);
    EXPECT_FALSE(store.conversation(id)->named);
}

TEST(StoreContentsTest, aMessageMovesItsChatUp)
{
    ConversationStore store(newFolder());
    const qint64 a = store.addConversation(QStringLiteral("a"), {});
    const qint64 b = store.addConversation(QStringLiteral("b"), {});
    EXPECT_EQ(store.list().first().id, b);
    QThread::msleep(3); // times are milliseconds
    store.addMessage(a, makeMessage(kWriter, QStringLiteral("more"), 0));
    EXPECT_EQ(store.list().first().id, a);
    EXPECT_EQ(store.list().last().id, b);
}

TEST(StoreContentsTest, changesOfTheStateAreStored)
{
    ConversationStore store(newFolder());
    const qint64 id = store.addConversation({}, {});
    const qint64 message = store.addMessage(id, makeMessage(kWriter, QStringLiteral("x"), 0));
    for (const auto state :
         {Message::State::Streaming, Message::State::Failed, Message::State::Stopped}) {
        store.updateMessage(message, QStringLiteral("y"), state, QStringLiteral("why"), {});
        EXPECT_EQ(store.message(message)->state, state);
        EXPECT_EQ(store.message(message)->error, QStringLiteral("why"));
    }
}

TEST(StoreContentsTest, whatWasWrittenBesideAnUnreadableFileJoinsIt)
{
    const QString folder = newFolder();
    qint64 old = 0, oldLeaf = 0;
    {
        ConversationStore store(folder);
        old = store.addConversation(QStringLiteral("old"), {});
        oldLeaf = addChat(store, old, 4);
    }
    const QString path = folder + kDatabase;
    QFile::setPermissions(path, QFile::Permissions());
    std::unique_ptr<ConversationStore> store;
    qint64 id = 0, leaf = 0;
    {
        const WithoutPrivileges unprivileged;
        store = std::make_unique<ConversationStore>(folder);
        ASSERT_TRUE(store->inMemory());
        EXPECT_TRUE(store->list().isEmpty());
        id = store->addConversation(QStringLiteral("new"), {});
        leaf = addChat(*store, id, 3);
    }
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    store->retryNow();
    ASSERT_FALSE(store->inMemory()) << qPrintable(store->problem());
    EXPECT_EQ(store->list().size(), 2);
    EXPECT_EQ(store->conversation(old)->title, QStringLiteral("old"));
    EXPECT_EQ(store->path(oldLeaf).size(), 4);
    EXPECT_EQ(store->conversation(id)->title, QStringLiteral("new"));
    EXPECT_EQ(store->path(leaf).size(), 3);
}

TEST(StoreContentsTest, recoveryMendsWhatTheGapsBroke)
{
    const QString folder = newFolder();
    qint64 lost = 0, gap = 0;
    QList<qint64> ids;
    {
        ConversationStore store(folder);
        lost = store.addConversation(QStringLiteral("its row is lost"), {});
        addChat(store, lost, 2);
        gap = store.addConversation(QStringLiteral("one message is lost"), {});
        qint64 parent = 0;
        for (int i = 0; i < 4; ++i)
            ids.append(parent =
                           store.addMessage(gap, makeMessage(kWriter, QString::number(i), parent)));
    }
    const SqlConnection source(folder + kDatabase);
    source.run(QStringLiteral("PRAGMA foreign_keys = OFF"));
    source.run(QStringLiteral("DELETE FROM conversations WHERE id = ?"), {lost});
    source.run(QStringLiteral("DELETE FROM messages WHERE id = ?"), {ids[2]});
    source.run(QStringLiteral("UPDATE conversations SET current_leaf = 12345 WHERE id = ?"), {gap});
    const QString other = newFolder();
    {
        const SqlConnection target(other + kDatabase);
        prepareSchema(target);
        const RecoveredRows rows = recoverRows(source, target);
        EXPECT_EQ(rows.conversations, 1);
        EXPECT_EQ(rows.messages, 5);
    }
    ConversationStore store(other);
    ASSERT_EQ(store.list().size(), 2);
    const auto found = store.conversation(lost);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->title, QStringLiteral("Recovered"));
    EXPECT_EQ(store.path(found->currentLeaf).size(), 2);
    const QList<Message> path = store.path(store.conversation(gap)->currentLeaf);
    ASSERT_EQ(path.size(), 3);
    EXPECT_EQ(path.last().id, ids[3]);
    EXPECT_EQ(path.last().parentId, ids[1])
        << "the lost message's place is taken by the one before";
}

} // namespace
} // namespace fireside::test
