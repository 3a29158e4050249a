#include "app/startup.h"

#include "app/chat/open_chats.h"
#include "app/hub/network.h"
#include "app/models/model_library.h"
#include "app/remote/remote_models.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/model_server.h"
#include "app/settings/app_settings.h"
#include "app/tools/tool_box.h"

#include <QEvent>
#include <QFileInfo>
#include <QTimer>
#include <QWidget>

#include <utility>

namespace fireside {
namespace {

constexpr int kNoPaintMs = 1000; // a window that starts minimised is never painted

} // namespace

Startup::Startup(AppSettings &settings, EngineService &engine, OpenChats &chats,
                 ModelLibrary &library, Network &network, RemoteModels &remote)
    : m_settings(settings)
    , m_engine(engine)
    , m_chats(chats)
    , m_library(library)
    , m_network(network)
    , m_remote(remote)
{
    wireSettings();
    wireServers();
}

void Startup::wireSettings()
{
    const auto limitIdling = [this] {
        m_engine.setIdleLimit(std::chrono::minutes(m_settings.chat().idleMinutes));
    };
    limitIdling();
    connect(&m_settings, &AppSettings::chatChanged, this, limitIdling);
    const auto limitCache = [this] {
        constexpr qint64 kGigabyte = 1'000'000'000;
        m_engine.setCacheLimit(m_settings.cache().gigabytes * kGigabyte);
    };
    limitCache();
    connect(&m_settings, &AppSettings::cacheChanged, this, limitCache);
    wireServer();
    m_library.setPlanFor(m_settings.load());
    connect(&m_settings, &AppSettings::loadChanged, this,
            [this] { m_library.setPlanFor(m_settings.load()); });
    connect(&m_engine, &EngineService::devicesChanged, &m_library, &ModelLibrary::setDevices);
    connect(&m_engine, &EngineService::loaded, this, [this](const ModelStatus &model) {
        m_firstLoad.clear();
        // The starter's place may differ after an update; empty always finds it.
        m_settings.setLastModel(model.builtIn ? QString() : model.path);
    });
    connect(&m_engine, &EngineService::reasonChanged, this, [this](const ModelStatus &model) {
        if (model.isElsewhere() && m_settings.lastModel() != model.path)
            m_settings.setLastModel(model.path); // its server runs another one now
    });
    connect(&m_engine, &EngineService::loadFailed, this,
            [this](const QString &path, const QString &, bool cancelled) {
                const bool first = !m_firstLoad.isEmpty() && path == m_firstLoad;
                m_firstLoad.clear();
                const QString starter = ModelLibrary::starterModelPath();
                // The window has said why; the program is still to be of use.
                if (first && !cancelled && path != starter && !starter.isEmpty())
                    m_engine.loadModel(starter, m_settings.loadOf(starter));
            });
}

/// Who answers while a server cannot be reached: the model of this computer that was used last.
void Startup::wireServers()
{
    RemoteServers &servers = m_remote.servers();
    const auto wire = [this, &servers] {
        const QString path = servers.localModel().isEmpty() ? ModelLibrary::starterModelPath()
                                                            : servers.localModel();
        m_engine.setFallback(servers.fallsBack() ? path : QString(), m_settings.loadOf(path));
    };
    wire();
    connect(&servers, &RemoteServers::changed, this, wire);
    connect(&m_engine, &EngineService::loaded, this, [&servers, wire](const ModelStatus &model) {
        if (!model.isElsewhere())
            servers.setLocalModel(model.builtIn ? QString() : model.path);
        wire();
    });
}

/// That something listens stands in the list of connections; offline it listens to this computer
/// alone.
void Startup::wireServer()
{
    ModelServer &server = m_engine.modelServer();
    const auto serve = [this, &server] {
        server.apply(m_settings.server(), m_settings.samplingChoice());
    };
    connect(&m_settings, &AppSettings::serverChanged, this, serve);
    connect(&m_settings, &AppSettings::samplingChanged, this, serve);
    connect(&m_network, &Network::offlineChanged, &server, &ModelServer::setOffline);
    connect(&server, &ModelServer::changed, this, [this, &server] {
        const ServerStatus status = server.status();
        if (status.running == (m_listening != 0))
            return;
        if (status.running)
            m_listening = m_network.connections().begin(QUrl(status.address),
                                                        tr("listens for other programs"));
        else
            m_network.connections().end(std::exchange(m_listening, 0), 0, tr("closed"));
    });
    server.setOffline(m_network.offline());
    serve();
}

void Startup::runAfterFirstPaint(QWidget &window, const QString &modelPath)
{
    m_modelPath = modelPath;
    window.installEventFilter(this);
    QTimer::singleShot(kNoPaintMs, this, &Startup::run);
}

bool Startup::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Paint) {
        watched->removeEventFilter(this);
        QTimer::singleShot(0, this, &Startup::run); // after this paint has reached the screen
    }
    return QObject::eventFilter(watched, event);
}

void Startup::run()
{
    if (std::exchange(m_done, true))
        return;
    m_engine.start();
    if (m_chats.toolBox())
        m_chats.toolBox()->start();
    loadFirstModel();
    m_network.downloads().resumeStored();
    // The search reads many files: it waits until the model, which reads one, is there.
    const auto search = [this] {
        if (!m_library.scanning() && m_library.entries().isEmpty())
            m_library.rescan();
    };
    if (m_firstLoad.isEmpty())
        return search();
    connect(&m_engine, &EngineService::loaded, &m_library, search, Qt::SingleShotConnection);
    connect(&m_engine, &EngineService::loadFailed, &m_library, search, Qt::SingleShotConnection);
}

void Startup::loadFirstModel()
{
    if (m_engine.state() != EngineState::Starting && m_engine.state() != EngineState::NoModel)
        return; // the user was faster
    m_firstLoad =
        m_modelPath.isEmpty() ? m_settings.lastModel() : QFileInfo(m_modelPath).absoluteFilePath();
    if (m_firstLoad.isEmpty())
        m_firstLoad = ModelLibrary::starterModelPath();
    if (!m_firstLoad.isEmpty())
        m_engine.loadModel(m_firstLoad, m_settings.loadOf(m_firstLoad));
}

void Startup::raise(QWidget &window)
{
    if (window.isMinimized())
        window.showNormal();
    window.raise();
    window.activateWindow();
}

} // namespace fireside
