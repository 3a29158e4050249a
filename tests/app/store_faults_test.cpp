#include "app/chat/conversation_store.h"
#include "app/chat/sql_connection.h"
#include "app/chat/store_schema.h"
#include "tests/support/no_space.h"

#include "support.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>

#include <optional>

#include <sys/stat.h>

namespace fireside::test {
namespace {

const QString kFaultyDatabase = QStringLiteral("/fireside.db");

QStringList setAsideIn(const QString &folder)
{
    return QDir(folder)
        .entryList({QStringLiteral("fireside.db.corrupt-*")}, QDir::Files)
        .filter(QRegularExpression(QStringLiteral("\\d$")));
}

void overwrite(const QString &path, qint64 at, const QByteArray &bytes)
{
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadWrite));
    ASSERT_TRUE(file.seek(at));
    ASSERT_EQ(file.write(bytes), bytes.size());
}

qint64 countMessages(const QString &path)
{
    return SqlConnection(path).value(QStringLiteral("SELECT count(*) FROM messages")).toLongLong();
}

TEST(StoreFaultsTest, killedWriterLosesNothingThatWasStored)
{
    for (int round = 0; round < 3; ++round) {
        const QString folder = newFolder();
        QProcess writer;
        writer.start(QCoreApplication::applicationFilePath(),
                     {QStringLiteral("--role"), QStringLiteral("writer"), folder});
        ASSERT_TRUE(writer.waitForReadyRead());
        while (writer.bytesAvailable() < 400 * (round + 1))
            ASSERT_TRUE(writer.waitForReadyRead());
        writer.kill();
        writer.waitForFinished();
        const QList<QByteArray> words = writer.readAllStandardOutput().split('\n');
        const QString last = QStringLiteral("word%1 ").arg(words[words.size() - 2].toInt());

        ConversationStore store(folder);
        EXPECT_TRUE(store.notice().isEmpty()) << qPrintable(store.notice());
        ASSERT_EQ(store.list().size(), 1);
        const auto row = store.conversation(store.list().first().id);
        const QList<Message> path = store.path(row->currentLeaf);
        ASSERT_EQ(path.size(), 2);
        EXPECT_EQ(path[1].state, Message::State::Interrupted);
        EXPECT_TRUE(path[1].text.contains(last));
    }
}

TEST(StoreFaultsTest, damagedPagesAreRecoveredAround)
{
    const QString folder = newFolder();
    qint64 id = 0;
    {
        ConversationStore store(folder);
        id = store.addConversation(QStringLiteral("long"), {});
        addChat(store, id, 3000);
    }
    const qint64 size = QFile(folder + kFaultyDatabase).size();
    overwrite(folder + kFaultyDatabase, size / 2, QByteArray(8192, '\xa5'));

    ConversationStore store(folder);
    EXPECT_FALSE(store.inMemory());
    EXPECT_TRUE(store.notice().contains(QStringLiteral("recovered"))) << qPrintable(store.notice());
    EXPECT_EQ(setAsideIn(folder).size(), 1);
    const qint64 recovered = countMessages(folder + kFaultyDatabase);
    EXPECT_GT(recovered, 2000);
    EXPECT_LE(recovered, 3000);
    // Whatever was lost, the rest is still one readable conversation and can be continued.
    ASSERT_EQ(store.list().size(), 1);
    const auto row = store.conversation(store.list().first().id);
    const QList<Message> path = store.path(row->currentLeaf);
    EXPECT_GT(path.size(), 2000);
    EXPECT_GT(store.addMessage(row->id, makeMessage(QStringLiteral("user"), QStringLiteral("on"),
                                                    row->currentLeaf)),
              row->currentLeaf);
    EXPECT_FALSE(store.list(QStringLiteral("number")).isEmpty());
}

TEST(StoreFaultsTest, rubbishIsSetAside)
{
    for (const QByteArray &content :
         {QByteArray("this is no database at all, only words").repeated(100),
          QByteArray(70'000, '\0')}) {
        const QString folder = newFolder();
        writeFile(folder + kFaultyDatabase, content);
        ConversationStore store(folder);
        EXPECT_FALSE(store.inMemory()) << qPrintable(store.problem());
        EXPECT_FALSE(store.notice().isEmpty());
        ASSERT_EQ(setAsideIn(folder).size(), 1);
        EXPECT_EQ(QFile(folder + QLatin1Char('/') + setAsideIn(folder).first()).size(),
                  content.size());
        EXPECT_GT(store.addConversation(QStringLiteral("new"), {}), 0);
    }
}

TEST(StoreFaultsTest, truncatedAtAnyPageOpens)
{
    const QString folder = newFolder();
    {
        ConversationStore store(folder);
        addChat(store, store.addConversation(QStringLiteral("long"), {}), 400);
    }
    QFile whole(folder + kFaultyDatabase);
    ASSERT_TRUE(whole.open(QIODevice::ReadOnly));
    const QByteArray bytes = whole.readAll();
    for (qsizetype cut = 1; cut < bytes.size(); cut += 7919) {
        const QString other = newFolder();
        writeFile(other + kFaultyDatabase, bytes.left(cut));
        ConversationStore store(other);
        ASSERT_FALSE(store.inMemory()) << cut;
        ASSERT_GT(store.addConversation(QStringLiteral("new"), {}), 0) << cut;
    }
}

TEST(StoreFaultsTest, newerFileIsLeftAlone)
{
    const QString folder = newFolder();
    {
        ConversationStore store(folder);
        store.addConversation(QStringLiteral("from the future"), {});
    }
    SqlConnection(folder + kFaultyDatabase)
        .run(QStringLiteral("PRAGMA user_version = %1").arg(kSchemaVersion + 5));
    for (int start = 1; start <= 2; ++start) {
        ConversationStore store(folder);
        EXPECT_FALSE(store.inMemory());
        EXPECT_TRUE(store.notice().contains(QStringLiteral("newer")));
        EXPECT_EQ(store.list().size(), start - 1); // this version's own chats stay
        store.addConversation(QStringLiteral("now"), {});
    }
    const SqlConnection newer(folder + kFaultyDatabase);
    EXPECT_EQ(newer.value(QStringLiteral("PRAGMA user_version")).toInt(), kSchemaVersion + 5);
    EXPECT_EQ(newer.value(QStringLiteral("SELECT count(*) FROM conversations")).toInt(), 1);
}

TEST(StoreFaultsTest, impossibleFolderMeansMemoryAndComesBack)
{
    const QString parent = newFolder();
    const QString folder = parent + QStringLiteral("/data");
    writeFile(folder, "in the way");
    ConversationStore store(folder);
    EXPECT_TRUE(store.inMemory());
    EXPECT_FALSE(store.problem().isEmpty());
    const qint64 id = store.addConversation(QStringLiteral("kept"), {});
    const qint64 leaf = addChat(store, id, 6);
    EXPECT_EQ(store.path(leaf).size(), 6);
    EXPECT_EQ(store.list(QStringLiteral("number")).size(), 1);
    store.retryNow();
    EXPECT_TRUE(store.inMemory());

    QFile::remove(folder);
    store.retryNow();
    EXPECT_FALSE(store.inMemory());
    EXPECT_TRUE(store.problem().isEmpty());
    EXPECT_EQ(store.path(leaf).size(), 6);
    ConversationStore again(folder);
    EXPECT_EQ(again.path(leaf).size(), 6);
}

TEST(StoreFaultsTest, readOnlyFolderShowsWhatIsThere)
{
    const QString folder = newFolder() + QStringLiteral("/data");
    qint64 id = 0, leaf = 0;
    {
        ConversationStore store(folder);
        id = store.addConversation(QStringLiteral("old"), {});
        leaf = addChat(store, id, 4);
    }
    QFile::setPermissions(folder + kFaultyDatabase, QFile::Permissions(0x4444));
    ::chmod(folder.toUtf8().constData(), 0555);
    {
        const WithoutPrivileges unprivileged;
        ConversationStore store(folder);
        EXPECT_TRUE(store.inMemory());
        EXPECT_FALSE(store.problem().isEmpty());
        EXPECT_EQ(store.path(leaf).size(), 4);
        const qint64 next =
            store.addMessage(id, makeMessage(QStringLiteral("user"), QStringLiteral("more"), leaf));
        EXPECT_EQ(store.path(next).size(), 5);
    }
    ::chmod(folder.toUtf8().constData(), 0755);
    QFile::setPermissions(folder + kFaultyDatabase, QFile::Permissions(0x6666));
    EXPECT_EQ(countMessages(folder + kFaultyDatabase), 4);
}

TEST(StoreFaultsTest, fullDiskKeepsTheTextAndWritesItLater)
{
    const QString folder = newFolder();
    ConversationStore store(folder);
    const qint64 id = store.addConversation(QStringLiteral("chat"), {});
    const qint64 before = addChat(store, id, 4);
    QSignalSpy problems(&store, &ConversationStore::problemChanged);
    qint64 leaf = 0;
    {
        const NoSpace full(4096);
        leaf = store.addMessage(
            id, makeMessage(QStringLiteral("user"), QString(100'000, QLatin1Char('x')), before));
        EXPECT_TRUE(store.inMemory());
        EXPECT_EQ(problems.size(), 1);
        store.updateMessage(before, QStringLiteral("changed"), Message::State::Complete, {}, {});
        EXPECT_EQ(store.path(leaf).size(), 5);
        store.retryNow();
        EXPECT_TRUE(store.inMemory());
    }
    store.retryNow();
    EXPECT_FALSE(store.inMemory());
    EXPECT_TRUE(store.problem().isEmpty());
    ConversationStore again(folder);
    EXPECT_FALSE(again.inMemory()) << qPrintable(again.problem());
    EXPECT_TRUE(again.notice().isEmpty()) << qPrintable(again.notice());
    const QList<Message> path = again.path(leaf);
    ASSERT_EQ(path.size(), 5) << again.list().size() << " " << leaf << " " << before;
    EXPECT_EQ(path.last().text.size(), 100'000);
    EXPECT_EQ(path[3].text, QStringLiteral("changed"));
    EXPECT_EQ(again.list(QStringLiteral("changed")).size(), 1);
}

TEST(StoreFaultsTest, fullDiskKeepsEveryChangeOfAChat)
{
    // The disk fills while the store is open, and was full before it was opened.
    for (const bool fromTheStart : {false, true}) {
        const QString folder = newFolder();
        qint64 renamed = 0, deleted = 0, revived = 0, reply = 0;
        {
            ConversationStore store(folder);
            renamed = store.addConversation(QStringLiteral("old name"), {});
            reply = addChat(store, renamed, 2);
            addChat(store, renamed, 2); // another branch, which is the current one
            deleted = store.addConversation(QStringLiteral("to be deleted"), {});
            revived = store.addConversation(QStringLiteral("deleted by mistake"), {});
        }
        std::optional<NoSpace> full;
        if (fromTheStart)
            full.emplace();
        ConversationStore store(folder);
        full.emplace();
        SamplingSettings sampling;
        sampling.temperature = 1.25;
        store.setTitle(renamed, QStringLiteral("new name"), true);
        store.setPinned(renamed, true);
        store.setDraft(renamed, QStringLiteral("half a thought"));
        store.setSampling(renamed, sampling);
        store.setCurrentLeaf(renamed, reply);
        store.setDraft(0, QStringLiteral("of a new chat"));
        store.setDeleted(deleted, true);
        store.setDeleted(revived, true);
        store.setDeleted(revived, false);
        EXPECT_TRUE(store.inMemory());
        EXPECT_FALSE(store.problem().isEmpty());
        EXPECT_EQ(store.list().size(), 2);
        store.retryNow();
        EXPECT_TRUE(store.inMemory());

        full.reset();
        store.retryNow();
        EXPECT_FALSE(store.inMemory()) << qPrintable(store.problem());
        for (int opened = 1; opened <= 2; ++opened) {
            ConversationStore again(folder);
            EXPECT_FALSE(again.inMemory());
            const auto row = again.conversation(renamed);
            ASSERT_TRUE(row);
            EXPECT_EQ(row->title, QStringLiteral("new name"));
            EXPECT_TRUE(row->named);
            EXPECT_EQ(row->draft, QStringLiteral("half a thought"));
            EXPECT_EQ(row->sampling, sampling);
            EXPECT_EQ(row->currentLeaf, reply);
            ASSERT_EQ(again.list().size(), 2);
            EXPECT_EQ(again.list().first().id, renamed);
            EXPECT_TRUE(again.list().first().pinned);
            EXPECT_FALSE(again.list().last().pinned);
            EXPECT_EQ(again.list().last().id, revived);
            EXPECT_EQ(again.newChatDraft(), QStringLiteral("of a new chat"));
        }
    }
}

} // namespace
} // namespace fireside::test
