#include "app/chat/chat_texts.h"
#include "tests/ui/situations.h"
#include "ui/backend/device_details_dialog.h"
#include "ui/chat/chat_settings_dialog.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/prompt_dialog.h"
#include "ui/chat/unsaved_dialog.h"
#include "ui/help/help_dialog.h"
#include "ui/models/model_picker.h"
#include "ui/settings/settings_dialog.h"
#include "ui/tools/tools_dialog.h"

#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>
#include <QPrintDialog>

// Every entry of the menu bar, by each of its keys and by the mouse, in every situation.
namespace fireside::test {
namespace {

/// What was there before an entry was used.
struct Before
{
    bool enabled = false, listShown = false, replying = false;
    QList<Message> path;
    QString clipboard;
};

class MenuTest : public SituationTest
{
protected:
    Before look(const QAction &action)
    {
        return {action.isEnabled(), window().conversationList()->isVisible(), chat().replying(),
                chat().messages(), clipboardText()};
    }

    void expectSamePath(const Before &before)
    {
        ASSERT_EQ(chat().messages().size(), before.path.size());
        for (qsizetype i = 0; i < before.path.size(); ++i) {
            EXPECT_EQ(chat().messages()[i].id, before.path[i].id);
            EXPECT_TRUE(chat().messages()[i].text.startsWith(before.path[i].text));
        }
    }

    template <typename Dialog>
    Dialog *expectDialog()
    {
        Dialog *dialog = window().template findChild<Dialog *>();
        EXPECT_NE(dialog, nullptr);
        if (dialog) {
            EXPECT_TRUE(dialog->isVisible());
            EXPECT_TRUE(waitFor([&] { return QApplication::activeWindow() == dialog; }));
        }
        return dialog;
    }

    void expectClosedByEscape(QWidget *dialog)
    {
        if (!dialog)
            return;
        const QPointer<QWidget> open(dialog);
        press("Esc");
        EXPECT_TRUE(!open || !open->isVisible());
        activate();
    }

    void expectNewChat(const Before &)
    {
        EXPECT_EQ(chat().currentConversation(), 0);
        EXPECT_TRUE(chat().messages().isEmpty());
        EXPECT_TRUE(field()->hasFocus());
        if (m_chat == 0)
            return;
        EXPECT_TRUE(composer()->text().isEmpty());
        chat().openConversation(m_chat); // where the draft belongs
    }

    void expectShortcutsPage()
    {
        auto *dialog = expectDialog<SettingsDialog>();
        ASSERT_NE(dialog, nullptr);
        EXPECT_EQ(dialog->findChild<QListWidget *>(QStringLiteral("settingsPages"))->currentRow(),
                  int(SettingsDialog::Page::Shortcuts));
        expectClosedByEscape(dialog);
    }

    void expectStop(const Before &before)
    {
        EXPECT_EQ(before.enabled, before.replying);
        if (!before.replying)
            return expectSamePath(before);
        ASSERT_TRUE(replied());
        EXPECT_EQ(chat().messages().last().state, Message::State::Stopped);
        EXPECT_TRUE(chat().messages().last().text.startsWith(before.path.last().text));
    }

    /// It comes back with the next reply, which other entries ask for.
    void expectUnloaded(const Before &before)
    {
        EXPECT_EQ(before.enabled, GetParam().model && !before.replying);
        EXPECT_EQ(engine().model().reason.startsWith(QLatin1String("Unloaded as you asked")),
                  before.enabled);
        EXPECT_EQ(engine().hasModel(), GetParam().model);
        expectSamePath(before);
    }

    void expectContinue(const Before &before)
    {
        const bool any = !before.path.isEmpty();
        EXPECT_EQ(before.enabled, any && GetParam().model && !before.replying &&
                                      !unfinishedAnswer(before.path.last()).isEmpty());
        if (!before.enabled)
            return expectSamePath(before);
        ASSERT_TRUE(replied());
        EXPECT_EQ(chat().messages().last().id, before.path.last().id);
        EXPECT_TRUE(chat().messages().last().text.startsWith(before.path.last().text));
    }

    void expectRegenerate(const Before &before)
    {
        const Situation &now = GetParam();
        EXPECT_EQ(before.enabled, now.model && now.chats && !now.replying);
        if (!before.enabled)
            return expectSamePath(before);
        EXPECT_TRUE(chat().replying());
        ASSERT_TRUE(replied());
        ASSERT_EQ(chat().messages().size(), before.path.size());
        EXPECT_NE(chat().messages().last().id, before.path.last().id);
        EXPECT_EQ(chat().messages().last().siblingCount, before.path.last().siblingCount + 1);
    }

    void expectEditor(const Before &before)
    {
        EXPECT_EQ(before.enabled, GetParam().chats && !before.replying);
        EXPECT_EQ(transcript()->editing(), before.enabled);
        if (before.enabled) {
            press("Esc");
            EXPECT_FALSE(transcript()->editing());
        }
        expectSamePath(before);
    }

    void expectCopied(const Before &before)
    {
        EXPECT_EQ(before.enabled, GetParam().chats);
        if (!before.enabled)
            EXPECT_EQ(clipboardText(), before.clipboard);
        else
            EXPECT_TRUE(clipboardText().startsWith(before.path.last().text));
        expectSamePath(before);
    }

    void expectRename(const Before &before)
    {
        EXPECT_EQ(before.enabled, GetParam().chats);
        auto *editor = list()->viewport()->findChild<QLineEdit *>();
        EXPECT_EQ(editor != nullptr, before.enabled);
        if (editor) {
            EXPECT_TRUE(editor->isVisible());
            EXPECT_TRUE(editor->hasFocus());
            press("Esc");
            EXPECT_EQ(chat().currentTitle(), QStringLiteral("About links"));
        }
    }

    void expectFindBar(const Before &before)
    {
        FindBar *bar = window().chatPanel()->findBar();
        EXPECT_EQ(before.enabled, GetParam().chats);
        EXPECT_EQ(bar->isVisible(), before.enabled);
        if (!before.enabled)
            return;
        EXPECT_TRUE(bar->isAncestorOf(QApplication::focusWidget()));
        press("Esc");
        EXPECT_FALSE(bar->isVisible());
        expectSamePath(before);
    }

    void expectExport(const Before &before)
    {
        EXPECT_EQ(before.enabled, GetParam().chats);
        if (before.enabled)
            expectClosedByEscape(expectDialog<QFileDialog>());
        else
            EXPECT_EQ(window().findChild<QFileDialog *>(), nullptr);
    }

    void expectDuplicate(const Before &before)
    {
        EXPECT_EQ(before.enabled, GetParam().chats);
        if (!before.enabled)
            return expectSamePath(before);
        const qint64 copy = chat().currentConversation();
        EXPECT_NE(copy, m_chat);
        EXPECT_EQ(chat().messages().size(), before.path.size());
        chat().deleteConversations({copy});
        chat().openConversation(m_chat);
        expectSamePath(before);
    }

    void expectDelete(const Before &before)
    {
        EXPECT_EQ(before.enabled, GetParam().chats);
        if (!before.enabled)
            return expectSamePath(before);
        EXPECT_EQ(chat().currentConversation(), 0);
        EXPECT_TRUE(replied()) << "nobody waits for it";
        QAction *undo = menuAction(QStringLiteral("Undo the deletion"));
        EXPECT_TRUE(undo->isEnabled());
        undo->trigger();
        EXPECT_EQ(chat().currentConversation(), m_chat);
        expectSamePath(before);
    }

    void expectQuit()
    {
        for (auto *dialog : window().findChildren<UnsavedDialog *>()) {
            EXPECT_NE(GetParam().disk, Situation::Good);
            EXPECT_TRUE(window().isVisible()) << "it asks first";
            emit dialog->quitChosen();
        }
        EXPECT_FALSE(window().isVisible());
        EXPECT_FALSE(chat().replying());
        m_program.reset();
        start(); // what was written is still there, unless the disk refused it
        if (m_chat != 0 && GetParam().disk == Situation::Good)
            chat().openConversation(m_chat);
    }

    void expectEffect(const QString &text, const Before &before);
    void use(const QString &text, const std::function<void()> &how);
};

void MenuTest::expectEffect(const QString &text, const Before &before)
{
    if (text == QLatin1String("New chat"))
        expectNewChat(before);
    else if (text == QLatin1String("Models") || text == QLatin1String("Get models"))
        expectClosedByEscape(expectDialog<ModelPicker>());
    else if (text == QLatin1String("Unload the model"))
        expectUnloaded(before);
    else if (text == QLatin1String("Settings"))
        expectClosedByEscape(expectDialog<SettingsDialog>());
    else if (text == QLatin1String("Quit") || text == QLatin1String("Close this window"))
        expectQuit();
    else if (text == QLatin1String("New window"))
        expectSamePath(before); // another part of the program makes it
    else if (text == QLatin1String("Skip thinking")) {
        EXPECT_FALSE(before.enabled); // nobody thinks in these situations
        expectSamePath(before);
    } else if (text == QLatin1String("Stop"))
        expectStop(before);
    else if (text == QLatin1String("Regenerate the last reply"))
        expectRegenerate(before);
    else if (text == QLatin1String("Continue the last reply"))
        expectContinue(before);
    else if (text == QLatin1String("Edit the last message"))
        expectEditor(before);
    else if (text == QLatin1String("Copy the last answer"))
        expectCopied(before);
    else if (text == QLatin1String("Tools of this chat"))
        expectClosedByEscape(expectDialog<ToolsDialog>());
    else if (text == QLatin1String("Prompts"))
        expectClosedByEscape(expectDialog<PromptDialog>());
    else if (text == QLatin1String("Settings of this chat"))
        expectClosedByEscape(expectDialog<ChatSettingsDialog>());
    else if (text == QLatin1String("Compare with a second model")) {
        EXPECT_NE(window().comparison(), nullptr);
        window().compare(false);
        expectSamePath(before);
    } else if (text == QLatin1String("Find in this chat"))
        expectFindBar(before);
    else if (text.startsWith(QLatin1String("Find the ")))
        expectSamePath(before);
    else if (text == QLatin1String("Write a message"))
        EXPECT_TRUE(field()->hasFocus());
    else if (text == QLatin1String("Jump to the latest message"))
        EXPECT_TRUE(transcript()->followsEnd());
    else if (text == QLatin1String("Search all chats"))
        EXPECT_TRUE(search()->hasFocus());
    else if (text == QLatin1String("Rename"))
        expectRename(before);
    else if (text == QLatin1String("Import chats") || text == QLatin1String("Export all chats"))
        expectClosedByEscape(expectDialog<QFileDialog>());
    else if (text == QLatin1String("Export this chat"))
        expectExport(before);
    else if (text == QLatin1String("Print")) {
        EXPECT_EQ(before.enabled, GetParam().chats);
        if (before.enabled)
            expectClosedByEscape(expectDialog<QPrintDialog>());
        expectSamePath(before);
    } else if (text == QLatin1String("Let the model name it")) {
        const bool can = GetParam().chats && GetParam().model && !before.replying;
        EXPECT_EQ(before.enabled, can);
        const QString told = window().chatPanel()->notices()->textOf(QStringLiteral("name"));
        EXPECT_EQ(told.contains(QLatin1String("too small")), can) << told.toStdString();
        expectSamePath(before);
    } else if (text == QLatin1String("Duplicate"))
        expectDuplicate(before);
    else if (text == QLatin1String("Delete this chat"))
        expectDelete(before);
    else if (text == QLatin1String("Undo the deletion"))
        EXPECT_FALSE(before.enabled) << "nothing was deleted";
    else if (text == QLatin1String("Show the list"))
        EXPECT_NE(window().conversationList()->isVisible(), before.listShown);
    else if (text == QLatin1String("First hour with Fireside") ||
             text == QLatin1String("Models of servers"))
        expectClosedByEscape(expectDialog<HelpDialog>());
    else if (text == QLatin1String("Keyboard shortcuts"))
        expectShortcutsPage();
    else if (text == QLatin1String("Devices and backends"))
        expectClosedByEscape(expectDialog<DeviceDetailsDialog>());
    else if (text == QLatin1String("About Fireside"))
        expectClosedByEscape(expectDialog<QMessageBox>());
    else
        ADD_FAILURE() << "this test does not know the menu entry " << text.toStdString();
}

void MenuTest::use(const QString &text, const std::function<void()> &how)
{
    SCOPED_TRACE(text.toStdString());
    const QAction *action = menuAction(text);
    ASSERT_NE(action, nullptr);
    const Before before = look(*action);
    how();
    ASSERT_NO_FATAL_FAILURE(expectEffect(text, before));
    closeAll();
    const bool quits = text == QLatin1String("Quit") || text == QLatin1String("Close this window");
    if (!quits || GetParam().disk == Situation::Good) {
        EXPECT_EQ(composer()->text(), draft());
    }
    if (::testing::Test::HasFailure())
        enter();
}

QStringList entriesOf(const QMenuBar &bar)
{
    QStringList texts;
    for (const QAction *head : bar.actions()) {
        for (const QAction *action : head->menu()->actions()) {
            if (!action->isSeparator())
                texts += action->text();
        }
    }
    return texts;
}

TEST_P(MenuTest, EveryKeyOfEveryEntry)
{
    int used = 0;
    for (QString text : entriesOf(*window().menuBar())) {
        text.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
        for (const QKeySequence &keys : menuAction(text)->shortcuts()) {
            SCOPED_TRACE(keys.toString().toStdString());
            use(text, [&] { press(keys.toString()); });
            ASSERT_NO_FATAL_FAILURE(enter());
            ++used;
        }
    }
    EXPECT_GE(used, 14);
}

TEST_P(MenuTest, EveryEntryByTheMouse)
{
    int used = 0;
    for (QString text : entriesOf(*window().menuBar())) {
        text.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
        use(text, [&] { clickMenu(text); });
        ASSERT_NO_FATAL_FAILURE(enter());
        ++used;
    }
    EXPECT_GE(used, 17);
}

INSTANTIATE_TEST_SUITE_P(In, MenuTest, testing::ValuesIn(kSituations),
                         [](const auto &tested) { return std::string(tested.param.name); });

} // namespace
} // namespace fireside::test
