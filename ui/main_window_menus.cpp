// The window's menus, and what of them can be chosen now.
#include "app/chat/chat_controller.h"
#include "app/chat/chat_namer.h"
#include "app/chat/comparison.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "ui/chat/chat_files.h"
#include "ui/chat/chat_panel.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/prompt_inserter.h"
#include "ui/main_window.h"
#include "ui/style/shortcut_menu.h"
#include "ui/transcript/transcript_view.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>

namespace fireside {
namespace {

QMenu *addMenu(QMenuBar &bar, const QString &title)
{
    auto *menu = new ShortcutMenu(title, &bar);
    bar.addMenu(menu);
    return menu;
}

} // namespace

void MainWindow::buildMenus()
{
    const auto add = [](QMenu *menu, const QString &text, const QList<QKeySequence> &keys,
                        auto *object, auto slot) {
        auto *action = menu->addAction(text);
        action->setShortcuts(keys);
        connect(action, &QAction::triggered, object, slot);
        return action;
    };
    const auto keys = [](const char *text) {
        return QList<QKeySequence>{QKeySequence(QLatin1String(text))};
    };

    QMenu *file = addMenu(*menuBar(), tr("&File"));
    add(file, tr("&New chat"), keys("Ctrl+N"), m_list, &ConversationList::newChatRequested);
    add(file, tr("New &window"), keys("Ctrl+Shift+N"), this, &MainWindow::newWindowRequested);
    add(file, tr("&Models…"), keys("Ctrl+L"), this, &MainWindow::showModels);
    add(file, tr("&Get models…"), keys("Ctrl+Shift+L"), this, &MainWindow::getModels);
    m_unloadAction = add(file, tr("&Unload the model"), {}, &m_engine, &EngineService::unload);
    file->addSeparator();
    add(file, tr("&Import chats…"), {}, m_files, &ChatFiles::chooseImport);
    m_exportAction =
        add(file, tr("&Export this chat…"), keys("Ctrl+S"), m_files, &ChatFiles::exportCurrent);
    add(file, tr("Export &all chats…"), {}, m_files, &ChatFiles::exportAll);
    m_printAction = add(file, tr("&Print…"), keys("Ctrl+P"), m_files, &ChatFiles::print);
    file->addSeparator();
    add(file, tr("&Settings…"), keys("Ctrl+,"), this, &MainWindow::showSettings);
    file->addSeparator();
    add(file, tr("&Close this window"), keys("Ctrl+W"), this, &QWidget::close);
    add(file, tr("&Quit"), keys("Ctrl+Q"), this, &MainWindow::quit);

    QMenu *chat = addMenu(*menuBar(), tr("&Chat"));
    m_stopAction = add(chat, tr("&Stop"), keys("Esc"), this, &MainWindow::stop);
    m_skipAction = add(chat, tr("S&kip thinking"), {}, &m_chat, &ChatController::skipThinking);
    m_regenerateAction = add(chat, tr("&Regenerate the last reply"), keys("Ctrl+R"), m_panel,
                             &ChatPanel::regenerate);
    m_continueAction =
        add(chat, tr("C&ontinue the last reply"), {}, m_panel, &ChatPanel::continueReply);
    m_editAction =
        add(chat, tr("&Edit the last message"), {}, m_panel, &ChatPanel::editLastMessage);
    m_copyAction = add(chat, tr("&Copy the last answer"), keys("Ctrl+Shift+C"), m_panel,
                       &ChatPanel::copyLastAnswer);
    if (m_chat.toolBox()) {
        chat->addSeparator();
        add(chat, tr("&Tools of this chat…"), keys("Ctrl+T"), m_panel, &ChatPanel::showTools);
    }
    chat->addSeparator();
    m_findAction =
        add(chat, tr("&Find in this chat"), keys("Ctrl+F"), m_panel, &ChatPanel::findInChat);
    add(chat, tr("Find the &next place"), keys("F3"), m_panel->findBar(), &FindBar::next);
    add(chat, tr("Find the &previous place"), keys("Shift+F3"), m_panel->findBar(),
        &FindBar::previous);
    chat->addSeparator();
    m_compareAction = chat->addAction(tr("Compare &with a second model"));
    m_compareAction->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+M")));
    m_compareAction->setCheckable(true);
    connect(m_compareAction, &QAction::toggled, this, &MainWindow::compare);
    add(chat, tr("Pro&mpts…"), keys("Ctrl+Shift+P"), m_prompts, &PromptInserter::showLibrary);
    add(chat, tr("Settin&gs of this chat…"), keys("Ctrl+Shift+,"), this,
        &MainWindow::showChatSettings);
    add(chat, tr("Write &a message"), keys("Ctrl+E"), m_panel->composer(), &Composer::focusText);
    add(chat, tr("&Jump to the latest message"), keys("Ctrl+End"), m_panel->transcript(),
        &TranscriptView::scrollToEnd);

    QMenu *history = addMenu(*menuBar(), tr("C&onversations"));
    add(history, tr("&Search all chats"), keys("Ctrl+K"), this, &MainWindow::focusSearch);
    m_renameAction = add(history, tr("&Rename"), keys("F2"), this, &MainWindow::renameCurrent);
    m_nameAction = add(history, tr("Let the &model name it"), {}, this,
                       [this] { m_chat.namer().nameAgain(m_chat.currentConversation()); });
    m_duplicateAction = add(history, tr("Dupli&cate"), {}, this,
                            [this] { m_chat.duplicateConversation(m_chat.currentConversation()); });
    m_deleteAction =
        add(history, tr("&Delete this chat"), {}, m_list, &ConversationList::removeCurrent);
    m_undoAction =
        add(history, tr("&Undo the deletion"), {}, m_list, &ConversationList::undoDelete);
    m_undoAction->setEnabled(false);
    connect(m_list, &ConversationList::undoAvailable, m_undoAction, &QAction::setEnabled);
    m_listAction = history->addAction(tr("Show the &list"));
    m_listAction->setShortcut(QKeySequence(QStringLiteral("Ctrl+B")));
    m_listAction->setCheckable(true);
    m_listAction->setChecked(m_settings.listShown());
    m_list->setVisible(m_listAction->isChecked());
    connect(m_listAction, &QAction::toggled, m_list, &QWidget::setVisible);
    connect(m_listAction, &QAction::toggled, &m_settings, &AppSettings::setListShown);

    QMenu *help = addMenu(*menuBar(), tr("&Help"));
    add(help, tr("&First hour with Fireside"), keys("F1"), this, &MainWindow::showFirstHour);
    add(help, tr("&Models of servers"), {}, this, &MainWindow::showServersHelp);
    add(help, tr("&Keyboard shortcuts"), keys("Ctrl+/"), this,
        [this] { showSettingsPage(SettingsDialog::Page::Shortcuts); });
    add(help, tr("&Devices and backends…"), {}, this, &MainWindow::showDeviceDetails);
    help->addSeparator();
    add(help, tr("&About Fireside"), {}, this, &MainWindow::showAbout);
}

void MainWindow::updateActions()
{
    const QList<Message> &messages = m_chat.messages();
    const bool any = !messages.isEmpty();
    m_unloadAction->setEnabled(m_engine.state() == EngineState::Ready);
    m_stopAction->setEnabled(m_chat.replying() || (m_comparison && m_comparison->busy()) ||
                             m_engine.state() == EngineState::Loading ||
                             m_engine.state() == EngineState::Replying);
    m_skipAction->setEnabled(m_chat.thinking());
    m_regenerateAction->setEnabled(any && m_chat.canSend());
    m_continueAction->setEnabled(m_chat.canContinue());
    m_editAction->setEnabled(any && !m_chat.replying());
    m_copyAction->setEnabled(any);
    m_findAction->setEnabled(any);
    updateTitle();
}

void MainWindow::updateTitle()
{
    const QString title = m_chat.currentTitle().simplified();
    setWindowTitle(title.isEmpty() ? tr("Fireside") : tr("%1 — Fireside").arg(title));
    for (QAction *action :
         {m_renameAction, m_duplicateAction, m_deleteAction, m_exportAction, m_printAction})
        action->setEnabled(m_chat.currentConversation() != 0);
    m_nameAction->setEnabled(m_chat.currentConversation() != 0 && m_chat.canSend());
}

void MainWindow::focusSearch()
{
    m_listAction->setChecked(true);
    m_list->focusSearch();
}

void MainWindow::renameCurrent()
{
    m_listAction->setChecked(true);
    m_list->renameCurrent();
}

/// All windows, where there are several.
void MainWindow::quit()
{
    if (m_only)
        close();
    else
        emit quitRequested();
}

} // namespace fireside
