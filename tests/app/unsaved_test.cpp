#include "app/chat/chat_controller.h"
#include "app/exchange/chat_file.h"
#include "app/files/write_file.h"
#include "app/settings/app_settings.h"
#include "app/settings/preset_store.h"
#include "app/settings/prompt_store.h"
#include "tests/support/no_space.h"

#include "engine_fixture.h"

#include <QDir>
#include <QFile>
#include <QSettings>
#include <QSignalSpy>

// What is only in memory while the disk refuses it.
namespace fireside::test {
namespace {

TEST(UnsavedStoreTest, WhatIsOnlyInMemoryIsWrittenAtTheEnd)
{
    const QString parent = newFolder(), folder = parent + QStringLiteral("/data");
    writeFile(folder, "in the way");
    qint64 leaf = 0;
    {
        ConversationStore store(folder);
        leaf = addChat(store, store.addConversation(QStringLiteral("kept"), {}), 6);
        EXPECT_TRUE(store.inMemory());
        QFile::remove(folder); // there is room at the last moment
    }
    ConversationStore again(folder);
    EXPECT_EQ(again.list().size(), 1);
    EXPECT_EQ(again.path(leaf).size(), 6);
}

TEST(UnsavedStoreTest, TheChatsThatAreOnlyInMemoryAreNamed)
{
    const QString folder = newFolder();
    ConversationStore store(folder);
    const qint64 saved = store.addConversation(QStringLiteral("saved"), {});
    addChat(store, saved, 2);
    {
        const NoSpace full(4096);
        const qint64 lost = store.addConversation(QStringLiteral("lost"), {});
        addChat(store, lost, 2);
        EXPECT_EQ(store.unsavedConversations(), QList<qint64>{lost});
        store.setPlace(saved, {.message = 1});
        EXPECT_EQ(store.unsavedConversations(), QList<qint64>{lost}) << "scrolling is no content";
        store.setPlace(saved, {.message = 1, .edited = 1, .edit = QStringLiteral("x")});
        EXPECT_EQ(store.unsavedConversations(), (QList<qint64>{saved, lost})) << "an edit is";
        store.updateMessage(1, QStringLiteral("new"), Message::State::Complete, {}, {});
        EXPECT_EQ(store.unsavedConversations(), (QList<qint64>{saved, lost}));
        store.setDraft(0, QStringLiteral("half a thought"));
        EXPECT_EQ(store.unsavedNewChatDraft(), QStringLiteral("half a thought"));
        store.setDeleted(lost, true);
        EXPECT_EQ(store.unsavedConversations(), QList<qint64>{saved});
    }
    store.retryNow();
    EXPECT_FALSE(store.inMemory());
    EXPECT_TRUE(store.unsavedConversations().isEmpty());
    EXPECT_TRUE(store.unsavedNewChatDraft().isEmpty());
}

class UnsavedChatsTest : public EngineTest
{};

TEST_F(UnsavedChatsTest, WhatIsSavedElsewhereCanBeImportedAgain)
{
    const QString folder = newFolder();
    ConversationStore store(folder);
    ChatController chat(store, service);
    EXPECT_TRUE(chat.unsavedChats().isEmpty());
    QByteArray copy;
    {
        const NoSpace full(4096);
        addChat(store, store.addConversation(QStringLiteral("in memory"), {}), 4);
        chat.setDraft(QStringLiteral("not sent yet"));
        const QList<ChatTree> unsaved = chat.unsavedChats();
        ASSERT_EQ(unsaved.size(), 2);
        EXPECT_EQ(unsaved[0].title, QStringLiteral("in memory"));
        EXPECT_EQ(unsaved[0].messages.size(), 4);
        EXPECT_EQ(unsaved[1].draft, QStringLiteral("not sent yet"));
        copy = toJson(unsaved);
    }
    ConversationStore other(newFolder());
    const ImportedChats imported = other.importTrees(readChats(copy));
    ASSERT_EQ(imported.added.size(), 2);
    EXPECT_EQ(other.tree(imported.added[0])->messages.size(), 4);
    EXPECT_EQ(other.conversation(imported.added[1])->draft, QStringLiteral("not sent yet"));
    EXPECT_TRUE(chat.unsavedChats().isEmpty()) << "there is room again";
}

TEST_F(UnsavedChatsTest, RecoveryAndTroubleAreSaidBesideEachOther)
{
    ConversationStore store(newFolder());
    ChatController chat(store, service);
    QSignalSpy problems(&chat, &ChatController::storageProblem),
        notices(&chat, &ChatController::storageNotice);
    emit store.noticeChanged(QStringLiteral("recovered"));
    emit store.problemChanged(QStringLiteral("full"));
    ASSERT_EQ(notices.size(), 1);
    EXPECT_EQ(notices[0][0].toString(), QStringLiteral("recovered"));
    ASSERT_EQ(problems.size(), 1);
    EXPECT_EQ(problems[0][0].toString(), QStringLiteral("full"));
}

TEST(UnsavedFileTest, WhatCannotBeWrittenLeavesTheOldFile)
{
    const QString path = newFolder() + QStringLiteral("/list.json");
    ASSERT_EQ(fireside::writeFile(path, "old"), QString());
    {
        const NoSpace full;
        EXPECT_NE(fireside::writeFile(path, "new content"), QString());
        EXPECT_NE(writeChatFile(path, "new content"), QString());
    }
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), QByteArray("old"));
}

class UnsavedSettingsTest : public testing::Test
{
protected:
    UnsavedSettingsTest() { qputenv("XDG_CONFIG_HOME", m_config.toUtf8()); }

    QString m_config = newFolder();
};

TEST_F(UnsavedSettingsTest, TheyAreNamedStoredLaterAndTheNoticeGoes)
{
    AppSettings settings;
    settings.setAppearance({.fontSize = 14}); // the file is there
    QSignalSpy problems(&settings, &AppSettings::problemChanged);
    {
        const NoSpace full;
        settings.setAppearance({.fontSize = 15});
        settings.presets().save(QStringLiteral("mine"), {{"temperature", 0.5}});
        settings.prompts().save({}, {QStringLiteral("one"), QStringLiteral("text"), false});
        EXPECT_EQ(settings.unsaved().size(), 3);
        EXPECT_FALSE(settings.problem().isEmpty());
        ASSERT_EQ(problems.size(), 1);
        EXPECT_FALSE(problems[0][0].toString().isEmpty());
    }
    EXPECT_TRUE(settings.unsaved().isEmpty());
    EXPECT_TRUE(settings.problem().isEmpty());
    ASSERT_EQ(problems.size(), 2);
    EXPECT_TRUE(problems[1][0].toString().isEmpty());
    EXPECT_TRUE(settings.presets().problem().isEmpty());
    AppSettings again;
    EXPECT_EQ(again.appearance().fontSize, 15);
    EXPECT_NE(again.presets().find(QStringLiteral("mine")), nullptr);
    EXPECT_EQ(again.prompts().prompts().size(), 1);
    settings.setAppearance({.fontSize = 16}); // and it goes on
    EXPECT_EQ(AppSettings().appearance().fontSize, 16);
}

TEST_F(UnsavedSettingsTest, CopiesCanBeUsedAgain)
{
    AppSettings settings;
    settings.setAppearance({.fontSize = 17});
    settings.prompts().save({}, {QStringLiteral("one"), QStringLiteral("text"), false});
    const QString folder = newFolder();
    EXPECT_EQ(settings.writeCopies(folder), QString());
    EXPECT_EQ(QSettings(folder + QStringLiteral("/fireside.ini"), QSettings::IniFormat)
                  .value(QStringLiteral("appearance/fontSize"))
                  .toInt(),
              17);
    qputenv("XDG_CONFIG_HOME", newFolder().toUtf8());
    PromptStore prompts;
    EXPECT_EQ(prompts.importFrom(folder + QStringLiteral("/prompts.json")), 1);
    EXPECT_NE(settings.writeCopies(folder + QStringLiteral("/fireside.ini")), QString());
}

} // namespace
} // namespace fireside::test
