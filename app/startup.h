#pragma once
#include <QObject>
#include <QString>

class QWidget;

namespace fireside {

class AppSettings;
class EngineService;
class ModelLibrary;
class Network;
class OpenChats;
class RemoteModels;

/// What happens after the window's first paint, so that nothing slow delays it: the devices are
/// probed, the last model (or the starter) is loaded, then the disk is searched for models.
/// Downloads of the last run go on.
class Startup : public QObject
{
    Q_OBJECT
public:
    Startup(AppSettings &settings, EngineService &engine, OpenChats &chats, ModelLibrary &library,
            Network &network, RemoteModels &remote);

    /// `modelPath`: from the command line; empty: the last one used.
    void runAfterFirstPaint(QWidget &window, const QString &modelPath);
    /// Another start of the program asked for the window, and perhaps for a model.
    static void raise(QWidget &window);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void wireSettings();
    void wireServers();
    void wireServer();
    void run();
    void loadFirstModel();

    AppSettings &m_settings;
    EngineService &m_engine;
    OpenChats &m_chats;
    ModelLibrary &m_library;
    Network &m_network;
    RemoteModels &m_remote;
    QString m_modelPath;
    QString m_firstLoad; // falls back to the starter when it fails
    bool m_done = false;
    qint64 m_listening = 0; // the server in the list of connections
};

} // namespace fireside
