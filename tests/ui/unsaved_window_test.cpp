#include "app/chat/open_chats.h"
#include "app/exchange/chat_file.h"
#include "tests/support/no_space.h"
#include "tests/ui/program.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/unsaved_dialog.h"
#include "ui/program_windows.h"

#include <QAbstractButton>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QTest>

#include <optional>

// The program does not end while something is only in memory, unless the user says so.
namespace fireside::test {
namespace {

class UnsavedWindowTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start();
        activate();
        m_full.emplace(4096); // as much as a copy of the chat needs
        const qint64 id = store().addConversation(QStringLiteral("Only in memory"), {});
        Message message;
        message.role = QStringLiteral("user");
        message.text = QStringLiteral("words that are not on the disk");
        message.created = QDateTime::currentDateTime();
        store().addMessage(id, message);
        ASSERT_TRUE(store().inMemory());
    }
    UnsavedDialog *dialog()
    {
        for (auto *found : window().findChildren<UnsavedDialog *>()) {
            if (found->isVisible()) // one that was closed may not be deleted yet
                return found;
        }
        return nullptr;
    }
    QStringList names()
    {
        QStringList names;
        const auto *list = dialog()->findChild<QListWidget *>();
        for (int i = 0; i < list->count(); ++i)
            names += list->item(i)->text();
        return names;
    }
    void click(const char *text)
    {
        for (auto *button : dialog()->findChildren<QAbstractButton *>()) {
            if (button->text().remove(u'&') == QString::fromUtf8(text))
                return button->click();
        }
        FAIL() << "no button " << text;
    }

    std::optional<NoSpace> m_full;
};

TEST_F(UnsavedWindowTest, EachWayToEndAsksAndNamesTheChats)
{
    for (const char *keys : {"Ctrl+Q", "Ctrl+W"}) {
        press(keys);
        ASSERT_NE(dialog(), nullptr) << keys;
        EXPECT_TRUE(window().isVisible());
        EXPECT_TRUE(names().contains(QStringLiteral("Only in memory"))) << keys;
        press("Esc");
        EXPECT_EQ(dialog(), nullptr);
        EXPECT_TRUE(window().isVisible()) << "Cancel stays";
        activate();
    }
    EXPECT_FALSE(window().close());
    ASSERT_NE(dialog(), nullptr);
    click("Quit without saving");
    EXPECT_FALSE(window().isVisible());
}

TEST_F(UnsavedWindowTest, ADraftThatIsNotStoredYetIsNamed)
{
    chat().setDraft(QStringLiteral("A question in the making"));
    press("Ctrl+Q");
    ASSERT_NE(dialog(), nullptr);
    EXPECT_TRUE(names().contains(QStringLiteral("Unsent message “A question in the making”")))
        << qPrintable(names().join(u','));
    press("Esc");
}

TEST_F(UnsavedWindowTest, WhatIsSavedInAnotherFolderIsImportedAgain)
{
    press("Ctrl+Q");
    ASSERT_NE(dialog(), nullptr);
    dialog()->saveTo(home.path(QStringLiteral("no/such/folder")));
    ASSERT_NE(dialog(), nullptr) << "it could not be written";
    EXPECT_TRUE(window().isVisible());
    const QString folder = home.path(QStringLiteral("stick"));
    ASSERT_TRUE(QDir().mkpath(folder));
    dialog()->saveTo(folder);
    EXPECT_FALSE(window().isVisible());
    const QStringList files = QDir(folder).entryList({QStringLiteral("*.json")}, QDir::Files);
    ASSERT_FALSE(files.isEmpty());
    QStringList texts;
    for (const QString &file : files) {
        if (!file.startsWith(QLatin1String("Fireside chats")))
            continue;
        for (const ChatTree &tree : readChatFiles({folder + u'/' + file}).chats)
            for (const Message &message : tree.messages)
                texts += message.text;
    }
    EXPECT_EQ(texts, QStringList{QStringLiteral("words that are not on the disk")});
}

TEST_F(UnsavedWindowTest, WithRoomAgainItEndsWithoutAQuestion)
{
    m_full.reset();
    press("Ctrl+Q");
    EXPECT_EQ(dialog(), nullptr);
    EXPECT_FALSE(window().isVisible());
    EXPECT_FALSE(store().inMemory());
}

TEST_F(UnsavedWindowTest, TheNoticeGoesWhenThereIsRoomAndHidesNoOther)
{
    NoticeBar *notices = window().chatPanel()->notices();
    EXPECT_FALSE(notices->textOf(QStringLiteral("storage")).isEmpty());
    emit chat().storageNotice(QStringLiteral("The database was recovered."));
    EXPECT_FALSE(notices->textOf(QStringLiteral("storage")).isEmpty());
    EXPECT_FALSE(notices->textOf(QStringLiteral("recovery")).isEmpty());
    AppearanceSettings looks = settings().appearance();
    looks.fontSize = 15;
    m_full.emplace();
    settings().setAppearance(looks);
    EXPECT_FALSE(notices->textOf(QStringLiteral("settings")).isEmpty());
    m_full.reset();
    store().retryNow();
    EXPECT_TRUE(notices->textOf(QStringLiteral("storage")).isEmpty());
    EXPECT_TRUE(waitFor([&] { return notices->textOf(QStringLiteral("settings")).isEmpty(); }));
    EXPECT_FALSE(notices->textOf(QStringLiteral("recovery")).isEmpty()) << "nobody has read it";
}

TEST(UnsavedWindowsTest, SeveralWindowsAskOnceAndAllClose)
{
    const PrivateHome home;
    Program parts;
    OpenChats chats(parts.settings, parts.store, parts.engine, &parts.tools);
    ProgramWindows windows(parts.settings, chats,
                           [&](ChatController &chat) { return parts.another(chat); });
    windows.show();
    windows.open();
    std::optional<NoSpace> full;
    full.emplace(4096);
    parts.store.addConversation(QStringLiteral("Only in memory"), {});
    windows.quit();
    ASSERT_EQ(windows.count(), 2);
    UnsavedDialog *dialog = nullptr;
    for (int i = 0; i < 2; ++i) {
        if (auto *found = windows.at(i).findChild<UnsavedDialog *>())
            dialog = found;
    }
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(windows.at(0).isVisible() && windows.at(1).isVisible());
    emit dialog->quitChosen();
    EXPECT_EQ(windows.count(), 1);
    EXPECT_FALSE(windows.at(0).isVisible());
}

} // namespace
} // namespace fireside::test
