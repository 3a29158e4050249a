#include "ui/main_window.h"

#include "app/chat/chat_controller.h"
#include "app/chat/chat_namer.h"
#include "app/chat/chat_texts.h"
#include "app/chat/comparison.h"
#include "app/hub/network.h"
#include "app/models/model_library.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/engine_text.h"
#include "app/runtime/model_server.h"
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
#include "ui/compare/comparison_view.h"
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
#include <QMimeDatabase>
#include <QPushButton>
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

/// Files that may hold text, by their names; when all do.
QStringList draggedTexts(const QMimeData *data)
{
    const QStringList files = Composer::attachable(data);
    const bool texts = std::all_of(files.cbegin(), files.cend(), [](const QString &file) {
        const QMimeType type = QMimeDatabase().mimeTypeForFile(file, QMimeDatabase::MatchExtension);
        return type.isDefault() || type.inherits(QStringLiteral("text/plain"));
    });
    return texts ? files : QStringList();
}

bool isDraggedText(const QMimeData *data)
{
    return data && !data->hasUrls() && data->hasText() && !data->text().isEmpty();
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
    m_middle = new ComparisonView(*m_panel, m_chat, m_engine);
    m_splitter->addWidget(m_middle);
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
    connect(m_status, &StatusPanel::privacyRequested, this,
            [this] { showSettingsPage(SettingsDialog::Page::Privacy); });
    connect(m_status, &StatusPanel::downloadsRequested, this, &MainWindow::showDownloads);
    connect(m_status, &StatusPanel::serverRequested, this,
            [this] { showSettingsPage(SettingsDialog::Page::Server); });

    m_files = new ChatFiles(m_chat, *m_panel->notices(), this);
    m_prompts = new PromptInserter(m_settings.prompts(), m_chat, *m_panel->composer(),
                                   *m_panel->notices(), *this);
    buildMenus();
    connectNotices();
    connectNetwork();
    connectComparison();
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

MainWindow::~MainWindow()
{
    compare(false);
}

bool MainWindow::summarised() const
{
    const QList<Message> &messages = m_chat.messages();
    return std::any_of(messages.begin(), messages.end(), isSummary);
}

void MainWindow::connectNotices()
{
    NoticeBar *notices = m_panel->notices();
    const QString load = QStringLiteral("load"), storage = QStringLiteral("storage"),
                  context = QStringLiteral("context");
    connect(&m_engine, &EngineService::loadFailed, this,
            [this, notices, load](const QString &path, const QString &message, bool cancelled) {
                if (cancelled)
                    return; // the user asked for it
                m_failedModel = path;
                QString text = tr("“%1” could not be loaded: %2")
                                   .arg(ModelLibrary::displayName(path), engineText(message));
                if (m_engine.restoring())
                    text = tr("%1. The previous model was loaded again.").arg(text);
                notices->show(load, NoticeBar::Kind::Error, text, tr("Choose another model"),
                              [this] { showModels(); });
            });
    connect(&m_engine, &EngineService::loadStarted, this,
            [this, notices, load](const QString &path) {
                // What comes in its place must not hide why another one failed.
                if (m_engine.restoring())
                    return;
                if (path != ModelLibrary::starterModelPath() || path == m_failedModel)
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
    connect(&m_chat, &ChatController::storageNotice, this, [notices](const QString &message) {
        notices->show(QStringLiteral("recovery"), NoticeBar::Kind::Warning, message);
    });
    connect(&m_chat.namer(), &ChatNamer::failed, notices, [notices](const QString &problem) {
        notices->show(QStringLiteral("name"), NoticeBar::Kind::Info, problem);
    });
    connect(&m_chat, &ChatController::firstSeenChanged, this, [this, notices, context](int index) {
        if (index <= 0)
            notices->dismiss(context);
        else
            notices->show(context, NoticeBar::Kind::Info,
                          summarised() ? tr("A summary stands for the oldest messages, which no "
                                            "longer fit into the model's context. "
                                            "The line in the transcript shows where.")
                                       : tr("This chat no longer fits into the model's context: "
                                            "the oldest messages are left out. "
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
    if (const QString problem = m_settings.problem(); !problem.isEmpty())
        notices->show(QStringLiteral("settings file"), NoticeBar::Kind::Warning, problem);
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
    if (m_only && !mayEnd([this] { close(); })) {
        event->ignore();
        return;
    }
    const QByteArray geometry = saveGeometry(), splitter = m_splitter->saveState();
    hide(); // at once; storing and ending the engine may take a moment
    QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents); // the display hears of it
    m_settings.setWindowGeometry(geometry);
    m_settings.setSplitterState(splitter);
    compare(false);
    if (m_only) {
        m_library.cancel();
        m_engine.shutdown();
    }
    event->accept();
    emit closed();
}

void MainWindow::load(const QString &path, const LoadSettings &settings)
{
    whenRepliesMayEnd(m_engine, path, [this, path, settings] {
        m_engine.loadModel(path, settings);
        m_panel->composer()->focusText();
    });
}

void MainWindow::whenRepliesMayEnd(EngineService &engine, const QString &path,
                                   const std::function<void()> &load)
{
    const auto writes = [&engine] {
        return engine.state() == EngineState::Replying || engine.state() == EngineState::Stopping;
    };
    const bool reply = writes();
    if (!reply && !engine.modelServer().inUse())
        return load();
    const QString name = ModelLibrary::displayName(path);
    auto *box = new QMessageBox(
        QMessageBox::Question, tr("Load another model"),
        reply
            ? tr("A reply is being generated. Loading “%1” now stops it; the text so far is kept.")
                  .arg(name)
            : tr("Another program is using the loaded model. Loading “%1” now ends its requests.")
                  .arg(name),
        QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("loadQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    if (reply)
        box->setInformativeText(tr("If you wait, the model loads when the reply ends."));
    QPushButton *const now = box->addButton(tr("Stop and load"), QMessageBox::AcceptRole);
    now->setObjectName(QStringLiteral("loadNow"));
    box->setDefaultButton(QMessageBox::Cancel);
    const auto answered = std::make_shared<bool>(false);
    const auto loadOnce = [answered, load] {
        if (!std::exchange(*answered, true))
            load();
    };
    connect(now, &QPushButton::clicked, this, loadOnce);
    connect(box, &QDialog::rejected, this, [answered] { *answered = true; });
    if (reply)
        connect(
            &engine, &EngineService::stateChanged, box,
            [box, writes, loadOnce] {
                if (writes())
                    return;
                loadOnce();
                box->close();
            },
            Qt::QueuedConnection);
    box->open();
}

/// As the model was loaded, with room for so many tokens, an answer of the same length, and some
/// more.
LoadSettings MainWindow::withRoomFor(int tokens, const ModelStatus &model)
{
    constexpr int kStep = 1024;
    const int wanted = (tokens * 2 / kStep + 1) * kStep;
    LoadSettings settings = model.asked;
    settings.context = std::min(wanted, model.contextTrained);
    return settings;
}

void MainWindow::reloadForMessage(int tokens)
{
    const ModelStatus model = m_engine.model();
    load(model.path, withRoomFor(tokens, model));
}

void MainWindow::stop()
{
    if (m_comparison && (m_chat.replying() || m_comparison->busy()))
        m_comparison->stop();
    else if (m_chat.replying())
        m_chat.stop();
    else if (m_engine.state() == EngineState::Loading || m_engine.state() == EngineState::Replying)
        m_engine.stop(); // the latter: a reply that is computed once more
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    const QMimeData *dragged = event->mimeData();
    if (!draggedModel(dragged).isEmpty() || !ChatFiles::dragged(dragged).isEmpty() ||
        !draggedTexts(dragged).isEmpty() || isDraggedText(dragged))
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
    } else if (const QStringList files = draggedTexts(event->mimeData()); !files.isEmpty()) {
        event->acceptProposedAction();
        m_panel->composer()->attachFiles(files);
    } else if (isDraggedText(event->mimeData())) { // beside the message field
        event->acceptProposedAction();
        m_panel->composer()->typeText(event->mimeData()->text());
    }
}

} // namespace fireside
