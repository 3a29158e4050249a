#pragma once
#include "app/chat/chat_controller.h"
#include "app/chat/conversation_store.h"
#include "app/hub/network.h"
#include "app/models/model_library.h"
#include "app/network/connections.h"
#include "app/remote/remote_models.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "app/tools/tool_box.h"
#include "tests/ui/private_home.h"
#include "ui/chat/chat_panel.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_list.h"
#include "ui/main_window.h"
#include "ui/transcript/transcript_view.h"

#include <QKeySequence>

#include <functional>
#include <gtest/gtest.h>
#include <memory>

class QAction;
class QLineEdit;
class QMenu;

namespace fireside::test {

inline constexpr int kPatience = 120'000; // ms; bounds a hang, a busy machine is no failure

/// What main() builds, in its order.
struct Program
{
    AppSettings settings;
    ConversationStore store;
    Network network;
    RemoteModels remote{network.connections()};
    EngineService engine;
    ModelLibrary library;
    ToolBox tools{&network.gate()};
    ChatController chat{store, engine};
    bool hasTools = (chat.setToolBox(&tools), true);
    MainWindow window{settings, engine, chat, library, network};
    Program()
    {
        engine.setElsewhere(&remote);
        window.setServers(remote);
    }

    std::unique_ptr<MainWindow> another(ChatController &shown)
    {
        auto made = std::make_unique<MainWindow>(settings, engine, shown, library, network);
        made->setServers(remote);
        return made;
    }
};

/// The whole program in a home of its own with the real engine, driven as a user does it: keys and
/// clicks go to the window that has the focus, through Qt's shortcuts.
class ProgramTest : public testing::Test
{
protected:
    /// Replies are greedy and at most `maxTokens` long. Called again: the program is ended and
    /// started anew.
    void start(int maxTokens = 24);
    void end();

    MainWindow &window() { return m_program->window; }
    ChatController &chat() { return m_program->chat; }
    EngineService &engine() { return m_program->engine; }
    ConversationStore &store() { return m_program->store; }
    AppSettings &settings() { return m_program->settings; }
    Composer *composer() { return window().chatPanel()->composer(); }
    ComposerEdit *field() { return window().findChild<ComposerEdit *>(); }
    TranscriptView *transcript() { return window().chatPanel()->transcript(); }
    QListView *list() { return window().conversationList()->view(); }
    QLineEdit *search() { return window().conversationList()->findChild<QLineEdit *>(); }

    /// Each waits for what it asks for.
    void startEngine();
    void load(const QString &path, const LoadSettings &settings = {});
    void loadStarter();
    void loadEndless(); // a model whose reply has to be stopped
    bool replied();     // waits until no reply is being written

    static bool waitFor(const std::function<bool()> &condition);
    /// "Ctrl+Shift+C": to the active popup, dialog or window, as from the keyboard.
    void press(const QString &keys);
    void press(const char *keys) { press(QLatin1String(keys)); }
    void type(const QString &text);
    void write(const char *text); // into the composer, and sends it

    QAction *menuAction(const QString &text); // as in the menu bar, without & and …
    /// Opens its menu in the menu bar and clicks it.
    void clickMenu(const QString &text);
    static void clickIn(QMenu *menu, QAction *action);
    /// What a window manager does when a dialog was closed; there may be none.
    void activate();
    /// Popups and dialogs, all of them.
    void closeAll();
    static QString plainText(const QAction &action);

    /// Two stored conversations with brief greedy replies, the newer one with an edited question
    /// and three replies to it; no program may be running. Returns the newer one's id.
    static qint64 storeChats();

    PrivateHome home;
    std::unique_ptr<Program> m_program;
};

} // namespace fireside::test
