#pragma once
#include "app/runtime/engine_types.h"
#include "ui/settings/settings_dialog.h"

#include <QMainWindow>
#include <QPointer>

#include <functional>
#include <memory>
#include <utility>

class QAction;
class QSplitter;

namespace fireside {

class AppSettings;
class ChatController;
class ChatFiles;
class ChatPanel;
class ChatSettingsDialog;
class Comparison;
class ComparisonView;
class ConversationList;
class EngineService;
class ModelLibrary;
class ModelPicker;
class Network;
class RemoteModels;
class PromptInserter;
class StatusPanel;
class UnsavedDialog;

/// A window. Owns the panels and the menus and connects them; everything else lives in the
/// panels.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    MainWindow(AppSettings &settings, EngineService &engine, ChatController &chat,
               ModelLibrary &library, Network &network, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Servers elsewhere are offered from now on; must outlive the window.
    void setServers(RemoteModels &servers) { m_servers = &servers; }

    using MakeEngine = std::function<std::unique_ptr<EngineService>()>;
    /// What computes the second of two models that are compared.
    void setSecondEngine(MakeEngine make) { m_makeEngine = std::move(make); }
    /// Whether it takes the engine with it.
    void setOnly(bool only) { m_only = only; }
    /// Whether the program may end now. Where something is only in memory the user is asked, and
    /// `end` is called when that is saved elsewhere or to be lost.
    bool mayEnd(const std::function<void()> &end);
    void endAnyway() { m_endsAnyway = true; }

    ChatController &chat() const { return m_chat; }
    ChatPanel *chatPanel() const { return m_panel; }
    ComparisonView *comparisonView() const { return m_middle; }
    Comparison *comparison() const { return m_comparison.get(); } // nullptr: there is none
    ConversationList *conversationList() const { return m_list; }

public slots:
    void showModels();
    void getModels(); // the picker, where models are found and downloaded
    void showDownloads();
    void showSettings();
    void showSettingsPage(fireside::SettingsDialog::Page page);
    void showFirstHour();
    void showServersHelp();
    void showToolServers();
    void showChatSettings();
    void showDeviceDetails();
    void focusSearch(); // shows the list where it is hidden
    void renameCurrent();
    void quit();
    /// Two models answer the same messages side by side.
    void compare(bool on);
    /// At once, or, where that stops replies, once the user agrees or they have ended.
    void load(const QString &path, const fireside::LoadSettings &settings);
    void chooseSecondModel();

signals:
    void newWindowRequested();
    void quitRequested(); // and there are other windows
    void closed();

protected:
    void closeEvent(QCloseEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void buildMenus();
    bool summarised() const;
    void connectNotices();
    void connectNetwork();
    void connectComparison();
    void keepSecond();
    void addModel();
    void restoreLayout();
    void whenRepliesMayEnd(EngineService &engine, const QString &path,
                           const std::function<void()> &load);
    static LoadSettings withRoomFor(int tokens, const ModelStatus &model);
    void reloadForMessage(int tokens);
    void stop();
    void updateActions();
    void updateTitle();
    void showAbout();

    AppSettings &m_settings;
    EngineService &m_engine;
    QString m_failedModel; // the path of the one that could not be loaded last
    ChatController &m_chat;
    ModelLibrary &m_library;
    Network &m_network;
    RemoteModels *m_servers = nullptr;

    QSplitter *m_splitter;
    ConversationList *m_list;
    ChatPanel *m_panel;
    ComparisonView *m_middle;
    MakeEngine m_makeEngine;
    std::unique_ptr<Comparison> m_comparison;
    StatusPanel *m_status;
    ChatFiles *m_files;
    PromptInserter *m_prompts;
    QPointer<ModelPicker> m_picker, m_secondPicker;
    QPointer<SettingsDialog> m_settingsDialog;
    QPointer<ChatSettingsDialog> m_chatSettings;
    QPointer<UnsavedDialog> m_unsaved;

    QAction *m_unloadAction = nullptr;
    QAction *m_stopAction = nullptr, *m_skipAction = nullptr, *m_regenerateAction = nullptr,
            *m_copyAction = nullptr;
    QAction *m_continueAction = nullptr;
    QAction *m_editAction = nullptr, *m_undoAction = nullptr, *m_renameAction = nullptr,
            *m_deleteAction = nullptr;
    QAction *m_nameAction = nullptr, *m_duplicateAction = nullptr, *m_exportAction = nullptr,
            *m_printAction = nullptr, *m_findAction = nullptr;
    QAction *m_listAction = nullptr, *m_compareAction = nullptr;
    bool m_laidOut = false, m_only = true, m_endsAnyway = false;
};

} // namespace fireside
