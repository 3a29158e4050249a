#include "ui/main_window.h"

#include "app/chat/chat_controller.h"
#include "app/chat/chat_namer.h"
#include "app/hub/network.h"
#include "app/models/model_library.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "app/settings/prompt_store.h"
#include "ui/backend/device_details_dialog.h"
#include "ui/backend/status_panel.h"
#include "ui/chat/chat_files.h"
#include "ui/chat/chat_panel.h"
#include "ui/chat/chat_settings_dialog.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/prompt_inserter.h"
#include "ui/help/help_dialog.h"
#include "ui/models/model_picker.h"
#include "ui/settings/settings_dialog.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/transcript/transcript_view.h"

#include <QCloseEvent>
#include <QCoreApplication>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QScreen>
#include <QSplitter>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

/// The one model file that is being dragged, or nothing.
QString draggedModel(const QMimeData *data)
{
    const QList<QUrl> urls = data ? data->urls() : QList<QUrl>();
    if (urls.size() != 1 || !urls.first().isLocalFile())
        return {};
    const QString path = urls.first().toLocalFile();
    return path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) ? path : QString();
}

/// A dialog that was closed may still be there, but only until the event loop deletes it.
bool isOpen(const QWidget *dialog)
{
    return dialog && dialog->isVisible();
}

} // namespace

MainWindow::MainWindow(AppSettings &settings, EngineService &engine, ChatController &chat,
                       ModelLibrary &library, Network &network, QWidget *parent)
    : QMainWindow(parent)
    , m_settings(settings)
    , m_engine(engine)
    , m_chat(chat)
    , m_library(library)
    , m_network(network)
{
    Theme::apply(settings.appearance());
    connect(&m_settings, &AppSettings::appearanceChanged, this,
            [this] { Theme::apply(m_settings.appearance()); });
    setWindowIcon(icon(IconName::Flame, IconTint::Accent));
    setAcceptDrops(true);

    auto *center = new QWidget;
    auto *column = new QVBoxLayout(center);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_splitter = new QSplitter(Qt::Horizontal);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_list = new ConversationList(m_chat);
    m_list->setMinimumWidth(180);
    m_list->setClosedFolders(m_settings.closedFolders());
    connect(m_list, &ConversationList::closedFoldersChanged, &m_settings,
            &AppSettings::setClosedFolders);
    m_panel = new ChatPanel(m_chat, m_engine);
    m_panel->setMinimumWidth(360);
    m_splitter->addWidget(m_list);
    m_splitter->addWidget(m_panel);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_status = new StatusPanel(m_engine, m_chat, center);
    column->addWidget(m_splitter, 1);
    column->addWidget(m_status);
    setCentralWidget(center);

    connect(m_list, &ConversationList::newChatRequested, this, [this] {
        m_chat.newConversation();
        m_panel->composer()->focusText();
    });
    connect(m_list, &ConversationList::opened, m_panel->composer(), &Composer::focusText);
    connect(m_list, &ConversationList::found, m_panel->transcript(), &TranscriptView::showFound);
    connect(m_panel, &ChatPanel::modelsRequested, this, &MainWindow::addModel);
    connect(m_panel, &ChatPanel::largerContextRequested, this, &MainWindow::reloadForMessage);
    connect(m_panel, &ChatPanel::toolServersRequested, this, &MainWindow::showToolServers);
    connect(m_status, &StatusPanel::modelsRequested, this, &MainWindow::showModels);
    connect(m_status, &StatusPanel::detailsRequested, this, &MainWindow::showDeviceDetails);
    m_status->showNetwork(m_network);
    connect(m_status, &StatusPanel::privacyRequested, this, &MainWindow::showPrivacy);
    connect(m_status, &StatusPanel::downloadsRequested, this, &MainWindow::showDownloads);
    connect(m_status, &StatusPanel::serverRequested, this, [this] {
        showSettings();
        m_settingsDialog->showPage(SettingsDialog::Page::Server);
    });

    m_files = new ChatFiles(m_chat, *m_panel->notices(), this);
    m_prompts = new PromptInserter(m_settings.prompts(), m_chat, *m_panel->composer(),
                                   *m_panel->notices(), *this);
    buildMenus();
    connectNotices();
    connectNetwork();
    for (const auto signal : {&ChatController::messageAdded, &ChatController::messageChanged})
        connect(&m_chat, signal, this, &MainWindow::updateActions);
    connect(&m_chat, &ChatController::replyingChanged, this, &MainWindow::updateActions);
    connect(&m_chat, &ChatController::canSendChanged, this, &MainWindow::updateActions);
    connect(&m_chat, &ChatController::thinkingChanged, this, &MainWindow::updateActions);
    connect(&m_chat, &ChatController::conversationOpened, this, &MainWindow::updateActions);
    connect(&m_chat, &ChatController::conversationOpened, this, &MainWindow::updateTitle);
    connect(&m_chat, &ChatController::conversationsChanged, this, &MainWindow::updateTitle);
    connect(&m_engine, &EngineService::stateChanged, this, &MainWindow::updateActions);
    updateActions();
    updateTitle();
    restoreLayout();
    m_panel->composer()->focusText();
}

MainWindow::~MainWindow() = default;

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

    QMenu *file = menuBar()->addMenu(tr("&File"));
    add(file, tr("&New chat"), keys("Ctrl+N"), m_list, &ConversationList::newChatRequested);
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
    add(file, tr("&Quit"), keys("Ctrl+Q"), this, &QWidget::close);

    QMenu *chat = menuBar()->addMenu(tr("&Chat"));
    m_stopAction = add(chat, tr("&Stop"), keys("Esc"), this, &MainWindow::stop);
    m_skipAction = add(chat, tr("S&kip thinking"), {}, &m_chat, &ChatController::skipThinking);
    m_regenerateAction = add(chat, tr("&Regenerate the last reply"), keys("Ctrl+R"), &m_chat,
                             &ChatController::regenerate);
    m_continueAction =
        add(chat, tr("C&ontinue the last reply"), {}, &m_chat, &ChatController::continueReply);
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
    add(chat, tr("Pro&mpts…"), keys("Ctrl+Shift+P"), m_prompts, &PromptInserter::showLibrary);
    add(chat, tr("Se&ttings of this chat…"), keys("Ctrl+Shift+,"), this,
        &MainWindow::showChatSettings);
    add(chat, tr("&Write a message"), keys("Ctrl+E"), m_panel->composer(), &Composer::focusText);
    add(chat, tr("&Jump to the latest message"), keys("Ctrl+End"), m_panel->transcript(),
        &TranscriptView::scrollToEnd);

    QMenu *history = menuBar()->addMenu(tr("C&onversations"));
    add(history, tr("&Search all chats"), keys("Ctrl+K"), this, &MainWindow::focusSearch);
    m_renameAction = add(history, tr("&Rename"), keys("F2"), this, &MainWindow::renameCurrent);
    m_nameAction = add(history, tr("Let the &model name it"), {}, this,
                       [this] { m_chat.namer().nameAgain(m_chat.currentConversation()); });
    m_duplicateAction = add(history, tr("D&uplicate"), {}, this,
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

    QMenu *help = menuBar()->addMenu(tr("&Help"));
    add(help, tr("&First hour with Fireside"), keys("F1"), this, &MainWindow::showFirstHour);
    add(help, tr("&Keyboard shortcuts"), keys("Ctrl+/"), this, &MainWindow::showShortcuts);
    add(help, tr("&Devices and backends…"), {}, this, &MainWindow::showDeviceDetails);
    help->addSeparator();
    add(help, tr("&About Fireside"), {}, this, &MainWindow::showAbout);
}

void MainWindow::connectNotices()
{
    NoticeBar *notices = m_panel->notices();
    const QString load = QStringLiteral("load"), storage = QStringLiteral("storage"),
                  context = QStringLiteral("context");
    connect(
        &m_engine, &EngineService::loadFailed, this,
        [this, notices, load](const QString &path, const QString &message, bool cancelled) {
            if (cancelled)
                return; // the user asked for it
            notices->show(
                load, NoticeBar::Kind::Error,
                tr("“%1” could not be loaded: %2").arg(ModelLibrary::displayName(path), message),
                tr("Choose another model"), [this] { showModels(); });
        });
    connect(&m_engine, &EngineService::loadStarted, notices, [notices, load](const QString &path) {
        // A fallback to the starter model must not hide why the first one failed.
        if (path != ModelLibrary::starterModelPath())
            notices->dismiss(load);
    });
    connect(&m_engine, &EngineService::deviceProblem, this, [notices](const QString &problem) {
        notices->show(QStringLiteral("devices"), NoticeBar::Kind::Warning, problem);
    });
    connect(&m_chat, &ChatController::storageProblem, this,
            [notices, storage](const QString &message) {
                if (message.isEmpty())
                    notices->dismiss(storage);
                else
                    notices->show(storage, NoticeBar::Kind::Warning, message);
            });
    connect(&m_chat.namer(), &ChatNamer::failed, notices, [notices](const QString &problem) {
        notices->show(QStringLiteral("name"), NoticeBar::Kind::Info, problem);
    });
    connect(&m_chat, &ChatController::firstSeenChanged, this, [this, notices, context](int index) {
        if (index <= 0)
            notices->dismiss(context);
        else
            notices->show(context, NoticeBar::Kind::Info,
                          tr("This chat no longer fits into the model's context: the oldest "
                             "messages are left out. "
                             "The line in the transcript shows where."),
                          tr("Settings"), [this] { showSettings(); });
    });
    connect(
        &m_library, &ModelLibrary::deleteFailed, this,
        [notices](const QString &path, const QString &message) {
            notices->show(
                QStringLiteral("delete"), NoticeBar::Kind::Error,
                tr("“%1” could not be deleted: %2").arg(ModelLibrary::displayName(path), message));
        });
    const auto settingsProblem = [notices](const QString &problem) {
        if (problem.isEmpty())
            notices->dismiss(QStringLiteral("settings"));
        else
            notices->show(QStringLiteral("settings"), NoticeBar::Kind::Warning, problem);
    };
    settingsProblem(m_settings.problem());
    connect(&m_settings, &AppSettings::problemChanged, this, settingsProblem);
}

void MainWindow::restoreLayout()
{
    resize(1180, 780);
    if (const QByteArray geometry = m_settings.windowGeometry(); !geometry.isEmpty())
        restoreGeometry(geometry);
    // The screen may be smaller, or magnified more, than the one the size was stored on.
    if (!isMaximized() && !isFullScreen()) {
        const QRect available = screen()->availableGeometry();
        if (!available.contains(this->geometry())) {
            resize(size().boundedTo(available.size() * 0.95));
            move(available.center() - rect().center());
        }
    }
    m_splitter->setSizes({260, std::max(400, width() - 260)});
    if (const QByteArray state = m_settings.splitterState(); !state.isEmpty())
        m_splitter->restoreState(state);
    m_splitter->setHandleWidth(1);
}

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    if (!std::exchange(m_laidOut, true))
        m_panel->composer()->focusText();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    const QByteArray geometry = saveGeometry(), splitter = m_splitter->saveState();
    hide(); // at once; storing and ending the engine may take a moment
    QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents); // the display hears of it
    m_settings.setWindowGeometry(geometry);
    m_settings.setSplitterState(splitter);
    m_library.cancel();
    m_engine.shutdown();
    event->accept();
}

void MainWindow::load(const QString &path, const LoadSettings &settings)
{
    m_engine.loadModel(path, settings);
    m_panel->composer()->focusText();
}

/// With room for a message of so many tokens, an answer of the same length, and some more.
void MainWindow::reloadForMessage(int tokens)
{
    constexpr int kStep = 1024;
    const ModelStatus model = m_engine.model();
    const int wanted = (tokens * 2 / kStep + 1) * kStep;
    LoadSettings settings = model.asked;
    settings.context = std::min(wanted, model.contextTrained);
    load(model.path, settings);
}

void MainWindow::stop()
{
    if (m_chat.replying())
        m_chat.stop();
    else if (m_engine.state() == EngineState::Loading || m_engine.state() == EngineState::Replying)
        m_engine.stop(); // the latter: a reply that is computed once more
}

void MainWindow::updateActions()
{
    const QList<Message> &messages = m_chat.messages();
    const bool any = !messages.isEmpty();
    m_unloadAction->setEnabled(m_engine.state() == EngineState::Ready);
    m_stopAction->setEnabled(m_chat.replying() || m_engine.state() == EngineState::Loading ||
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

void MainWindow::showModels()
{
    if (!isOpen(m_picker)) {
        m_picker = new ModelPicker(m_library, m_engine, m_settings, m_network, this);
        m_picker->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_picker, &ModelPicker::loadRequested, this, &MainWindow::load);
        connect(m_picker, &ModelPicker::privacyRequested, this, &MainWindow::showPrivacy);
        connect(m_picker, &ModelPicker::serversRequested, this, &MainWindow::showServers);
        if (m_servers)
            m_picker->setServers(*m_servers);
    }
    m_picker->open();
    m_picker->raise();
}

void MainWindow::showSettings()
{
    if (!isOpen(m_settingsDialog)) {
        m_settingsDialog = new SettingsDialog(m_settings, m_engine, m_network, this);
        if (m_chat.toolBox())
            m_settingsDialog->addTools(*m_chat.toolBox());
        m_settingsDialog->setAttribute(Qt::WA_DeleteOnClose);
        if (m_servers)
            m_settingsDialog->addServers(*m_servers, m_engine);
    }
    m_settingsDialog->show();
    m_settingsDialog->raise();
    m_settingsDialog->activateWindow();
}

void MainWindow::showToolServers()
{
    showSettings();
    m_settingsDialog->showTools();
}

void MainWindow::showAppearance()
{
    showSettings();
    m_settingsDialog->showPage(SettingsDialog::Page::Appearance);
}

void MainWindow::showChatSettings()
{
    if (!isOpen(m_chatSettings)) {
        m_chatSettings = new ChatSettingsDialog(m_settings, m_engine, m_chat, this);
        m_chatSettings->setAttribute(Qt::WA_DeleteOnClose);
    }
    m_chatSettings->show();
    m_chatSettings->raise();
    m_chatSettings->activateWindow();
}

void MainWindow::showShortcuts()
{
    showSettings();
    m_settingsDialog->showPage(SettingsDialog::Page::Shortcuts);
}

void MainWindow::showServers()
{
    showSettings();
    m_settingsDialog->showPage(SettingsDialog::Page::Servers);
}

void MainWindow::showFirstHour()
{
    auto *dialog =
        new HelpDialog(tr("Your first hour with Fireside"), QStringLiteral("first-hour"), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::showDeviceDetails()
{
    auto *dialog = new DeviceDetailsDialog(m_engine, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
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

void MainWindow::showAbout()
{
    auto *box = new QMessageBox(this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowTitle(tr("About Fireside"));
    box->setIconPixmap(
        icon(IconName::Flame, IconTint::Accent).pixmap(QSize(64, 64), devicePixelRatioF()));
    box->setTextFormat(Qt::PlainText);
    box->setText(tr("Fireside %1").arg(QCoreApplication::applicationVersion()));
    box->setInformativeText(
        tr("Chat with language models that run on this computer. Nothing you write leaves it, "
           "unless you choose a model of a server.\n\n"
           "Apache License 2.0"));
    box->open();
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (!draggedModel(event->mimeData()).isEmpty() ||
        !ChatFiles::dragged(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    if (const QString path = draggedModel(event->mimeData()); !path.isEmpty()) {
        event->acceptProposedAction();
        load(path, m_settings.loadOf(path));
    } else if (const QStringList chats = ChatFiles::dragged(event->mimeData()); !chats.isEmpty()) {
        event->acceptProposedAction();
        m_files->import(chats);
    }
}

} // namespace fireside
