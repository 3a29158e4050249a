#include "app/chat/conversation_store.h"
#include "app/chat/sql_connection.h"
#include "app/chat/store_schema.h"

#include "support.h"
#include "tests/support/require.h"

#include <QDir>

#include <memory>

#include <sys/stat.h>

// Files whose tables, indices or triggers somebody changed.
namespace fireside::test {
namespace {

const QString kChanged = QStringLiteral("/fireside.db");

struct OldChat
{
    QString folder;
    qint64 id = 0, leaf = 0;
};

// A chat of four messages in a file on which the statements were run.
OldChat changedBy(const QStringList &statements)
{
    OldChat chat{newFolder()};
    {
        ConversationStore store(chat.folder);
        addChat(store, store.addConversation(QStringLiteral("gone"), {}), 2);
        chat.id = store.addConversation(QStringLiteral("old"), {});
        chat.leaf = addChat(store, chat.id, 4);
        store.setDraft(0, QStringLiteral("half a thought"));
    }
    const SqlConnection file(chat.folder + kChanged);
    file.run(QStringLiteral("PRAGMA foreign_keys = ON"));
    file.run(QStringLiteral("DELETE FROM conversations WHERE title = 'gone'")); // ids have a gap
    for (const QString &statement : statements)
        file.run(statement);
    return chat;
}

QString textOf(const char *name, const QString &text)
{
    return QStringLiteral("UPDATE sqlite_master SET sql = '%1' WHERE name = '%2'")
        .arg(text, QString::fromLatin1(name));
}

QStringList rewritten(const QString &statement)
{
    return {QStringLiteral("PRAGMA writable_schema = ON"), statement};
}

qsizetype setAside(const QString &folder)
{
    return QDir(folder).entryList({QStringLiteral("fireside.db.corrupt-*")}, QDir::Files).size();
}

void expectWorks(const OldChat &chat, bool setAsideBefore)
{
    for (int opened = 1; opened <= 2; ++opened) {
        ConversationStore store(chat.folder);
        EXPECT_FALSE(store.inMemory()) << qPrintable(store.problem());
        EXPECT_EQ(store.notice().contains(QStringLiteral("4 messages were recovered")),
                  setAsideBefore && opened == 1)
            << qPrintable(store.notice());
        EXPECT_EQ(setAside(chat.folder) > 0, setAsideBefore);
        EXPECT_EQ(store.path(chat.leaf).size(), 4);
        EXPECT_EQ(store.list().size(), opened);
        const qint64 added = store.addConversation(QStringLiteral("new"), {});
        EXPECT_TRUE(store.conversation(added));
        const qint64 message =
            store.addMessage(added, makeMessage(QStringLiteral("user"), QStringLiteral("hay"), 0));
        EXPECT_TRUE(store.message(message));
        if (store.hasFullTextIndex()) {
            EXPECT_EQ(store.list(QStringLiteral("hay")).size(), opened);
            EXPECT_EQ(store.list(QStringLiteral("number")).size(), 1);
        }
    }
}

TEST(StoreSchemaTest, aFileWithOtherTablesIsSetAside)
{
    const QList<QStringList> changes{
        {QStringLiteral("CREATE TRIGGER hides AFTER INSERT ON conversations BEGIN "
                        "UPDATE conversations SET deleted = 1 WHERE id = new.id; END")},
        {QStringLiteral("CREATE TRIGGER keeps_away BEFORE INSERT ON messages BEGIN "
                        "SELECT raise(IGNORE); END")},
        {QStringLiteral("CREATE UNIQUE INDEX one_each ON conversations(pinned)")},
        {QStringLiteral("CREATE UNIQUE INDEX message_index_one ON conversations(pinned)")},
        {QStringLiteral("DROP INDEX messages_tree")},
        {QStringLiteral("DROP TABLE notes")},
        {QStringLiteral("CREATE TABLE others(x)")},
        {QStringLiteral("CREATE VIEW shown AS SELECT 1")},
        {QStringLiteral("ALTER TABLE messages ADD COLUMN more TEXT")},
        {QStringLiteral("ALTER TABLE messages RENAME COLUMN role TO \"a \"\" role\"")},
        {QStringLiteral("ALTER TABLE conversations RENAME COLUMN title TO name")},
        {QStringLiteral("DROP INDEX conversations_list"),
         QStringLiteral("ALTER TABLE conversations DROP COLUMN pinned")},
        {QStringLiteral("PRAGMA user_version = 0")},
        {QStringLiteral("PRAGMA user_version = -1")},
        rewritten(textOf("sqlite_sequence", QStringLiteral("CREATE TABLE sqlite_sequence(seq)"))),
        rewritten(textOf("messages_tree", QStringLiteral("CREATE INDEX messages_tree OM"))),
        rewritten(QStringLiteral("UPDATE sqlite_master SET sql = replace(sql, 'id INTEGER PRIMARY "
                                 "KEY AUTOINCREMENT', 'id INTEGER')")),
    };
    for (const QStringList &change : changes) {
        SCOPED_TRACE(qPrintable(change.last()));
        expectWorks(changedBy(change), true);
    }
}

TEST(StoreSchemaTest, whatIsLeftOfATableIsRecovered)
{
    const OldChat chat =
        changedBy({QStringLiteral("ALTER TABLE conversations RENAME COLUMN title TO name"),
                   QStringLiteral("ALTER TABLE notes RENAME COLUMN value TO more")});
    ConversationStore store(chat.folder);
    ASSERT_TRUE(store.conversation(chat.id));
    EXPECT_EQ(store.conversation(chat.id)->title, QStringLiteral("old"));
    EXPECT_EQ(store.newChatDraft(), QStringLiteral("half a thought"));
}

TEST(StoreSchemaTest, aViewIsNoTable)
{
    const OldChat chat = changedBy(
        {QStringLiteral("DROP TABLE notes"),
         QStringLiteral("CREATE VIEW notes(key, value) AS SELECT 'draft of the new chat', 'x'")});
    ConversationStore store(chat.folder);
    EXPECT_EQ(store.newChatDraft(), QString());
    EXPECT_EQ(store.path(chat.leaf).size(), 4);
}

TEST(StoreSchemaTest, anotherSearchIndexIsMadeAnew)
{
    {
        ConversationStore store(newFolder());
        if (!store.hasFullTextIndex())
            FIRESIDE_SKIP("this SQLite has no FTS5");
    }
    for (const QStringList &change : {
             QStringList{QStringLiteral("DROP TRIGGER message_index_added")},
             QStringList{QStringLiteral("DROP TRIGGER message_index_added"),
                         QStringLiteral("CREATE TRIGGER message_index_added AFTER INSERT ON "
                                        "conversations BEGIN UPDATE conversations SET deleted = 1 "
                                        "WHERE id = new.id; END")},
             QStringList{QStringLiteral("CREATE TRIGGER message_index_more AFTER INSERT ON "
                                        "conversations BEGIN UPDATE conversations SET deleted = 1 "
                                        "WHERE id = new.id; END")},
             rewritten(QStringLiteral("UPDATE sqlite_master SET sql = replace(sql, ' 2', ' 1') "
                                      "WHERE name = 'message_index'")),
         }) {
        SCOPED_TRACE(qPrintable(change.last()));
        expectWorks(changedBy(change), false);
    }
    // What cannot be dropped and made again takes the file along.
    expectWorks(
        changedBy(rewritten(textOf("message_index_config",
                                   QStringLiteral("CREATE TABLE message_index_config(x)")))),
        true);
}

TEST(StoreSchemaTest, aChangedFileThatCannotBeRenamedIsNotWrittenTo)
{
    const OldChat chat = changedBy({QStringLiteral("CREATE TABLE others(x)")});
    const QByteArray folder = chat.folder.toUtf8();
    const QFileInfoList files = QDir(chat.folder).entryInfoList(QDir::Files);
    for (const QFileInfo &file : files) // of another user here, who may read it all the same
        ::chmod(file.filePath().toUtf8().constData(), 0644);
    ::chmod(folder.constData(), 0555);
    {
        const WithoutPrivileges unprivileged;
        ConversationStore store(chat.folder);
        EXPECT_TRUE(store.inMemory());
        EXPECT_EQ(store.path(chat.leaf).size(), 4);
        EXPECT_TRUE(store.conversation(store.addConversation(QStringLiteral("new"), {})));
        store.retryNow();
        EXPECT_TRUE(store.inMemory());
        EXPECT_FALSE(store.problem().isEmpty());
    }
    ::chmod(folder.constData(), 0755);
    expectWorks(chat, true);
}

TEST(StoreSchemaTest, aFileChangedMeanwhileIsNotWrittenTo)
{
    const OldChat chat = changedBy({});
    ::chmod((chat.folder + kChanged).toUtf8().constData(), 0);
    std::unique_ptr<ConversationStore> store;
    {
        const WithoutPrivileges unprivileged;
        store = std::make_unique<ConversationStore>(chat.folder);
        EXPECT_TRUE(store->inMemory());
        store->addConversation(QStringLiteral("new"), {});
    }
    ::chmod((chat.folder + kChanged).toUtf8().constData(), 0644);
    SqlConnection(chat.folder + kChanged)
        .run(QStringLiteral("CREATE TRIGGER keeps_away BEFORE INSERT ON conversations BEGIN "
                            "SELECT raise(IGNORE); END"));
    store->retryNow();
    EXPECT_TRUE(store->inMemory());
    EXPECT_EQ(store->list().size(), 1);
    EXPECT_TRUE(store->problem().contains(QStringLiteral("tables")));
}

TEST(StoreSchemaTest, aFileOfTheThirdVersionKeepsItsChatsAndGetsPlaces)
{
    const OldChat chat = changedBy({QStringLiteral("ALTER TABLE conversations DROP COLUMN place"),
                                    QStringLiteral("PRAGMA user_version = 3")});
    const ChatPlace place{chat.leaf, 0, 12};
    {
        ConversationStore store(chat.folder);
        EXPECT_FALSE(store.inMemory());
        EXPECT_EQ(setAside(chat.folder), 0);
        EXPECT_EQ(store.path(chat.leaf).size(), 4);
        EXPECT_EQ(store.conversation(chat.id)->place, ChatPlace());
        store.setPlace(chat.id, place);
    }
    EXPECT_EQ(ConversationStore(chat.folder).conversation(chat.id)->place, place);
}

TEST(StoreSchemaTest, aFileOfTheSecondVersionKeepsItsChatsAndGetsTools)
{
    const OldChat chat = changedBy({QStringLiteral("ALTER TABLE conversations DROP COLUMN tools"),
                                    QStringLiteral("ALTER TABLE conversations DROP COLUMN place"),
                                    QStringLiteral("PRAGMA user_version = 2")});
    const ChatTools tools{{QStringLiteral("a/b")}, {{QStringLiteral("a/b"), "print"}}};
    {
        ConversationStore store(chat.folder);
        EXPECT_FALSE(store.inMemory());
        EXPECT_EQ(setAside(chat.folder), 0);
        EXPECT_EQ(store.path(chat.leaf).size(), 4);
        EXPECT_EQ(store.conversation(chat.id)->tools, ChatTools());
        store.setTools(chat.id, tools);
    }
    EXPECT_EQ(ConversationStore(chat.folder).conversation(chat.id)->tools, tools);
}

TEST(StoreSchemaTest, aFileOfTheFirstVersionKeepsItsChatsAndGetsFolders)
{
    const OldChat chat = changedBy({QStringLiteral("ALTER TABLE conversations DROP COLUMN folder"),
                                    QStringLiteral("ALTER TABLE conversations DROP COLUMN tools"),
                                    QStringLiteral("ALTER TABLE conversations DROP COLUMN place"),
                                    QStringLiteral("PRAGMA user_version = 1")});
    {
        ConversationStore store(chat.folder);
        EXPECT_FALSE(store.inMemory());
        EXPECT_TRUE(store.notice().isEmpty()) << qPrintable(store.notice());
        EXPECT_EQ(setAside(chat.folder), 0);
        EXPECT_EQ(store.path(chat.leaf).size(), 4);
        EXPECT_EQ(store.newChatDraft(), QStringLiteral("half a thought"));
        store.setFolder(chat.id, QStringLiteral("Work"));
    }
    ConversationStore store(chat.folder);
    EXPECT_EQ(store.list().first().folder, QStringLiteral("Work"));
}

} // namespace
} // namespace fireside::test
