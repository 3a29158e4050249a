#pragma once
#include "app/runtime/server_status.h"
#include "app/settings/sampling_layers.h"
#include "app/settings/server_settings.h"

#include <QElapsedTimer>
#include <QFutureWatcher>
#include <QObject>

#include <memory>

namespace fireside {

class WindowModels;
namespace server {
class ModelDesk;
}

/// The window's server: other programs ask the model that is loaded. Lives on the GUI thread, and
/// answers on threads of its own; the engine's thread computes, the window's replies first.
class ModelServer : public QObject
{
    Q_OBJECT
public:
    explicit ModelServer(QObject *parent = nullptr);
    ~ModelServer() override; // calls close()

    /// Starts, stops, or starts anew as the settings say; the key is read from its file.
    void apply(const ServerSettings &settings, const SamplingChoice &sampling);
    /// While the program is offline, other computers are not let in.
    void setOffline(bool offline);
    /// Ends for good; returns within two seconds.
    void close();

    ServerStatus status(); // now; rates are those since it was asked last
    bool inUse() const;    // a program uses the model, or did a moment ago
    server::ModelDesk &desk();

signals:
    /// It runs now, or does not, or cannot.
    void changed();
    /// What the engine's thread is to offer: so many replies at once; 0: nothing.
    void sharingWanted(int sequences, const fireside::SamplingChoice &sampling);
    void wakeWanted(); // a program asks for the model that rests

private:
    struct Run;
    void start();
    void stop();
    void goOn();

    const std::unique_ptr<WindowModels> m_models;
    ServerSettings m_wanted;
    SamplingChoice m_sampling;
    QString m_key, m_problem;
    bool m_offline = false, m_closed = false;
    std::shared_ptr<Run> m_run;      // null: nothing runs
    QFutureWatcher<void> m_stopping; // the one before
    bool m_ending = false;           // and its end has not been told
    QElapsedTimer m_sinceStatus;
    quint64 m_tokens = 0; // when it was asked last
    double m_rate = 0;
};

} // namespace fireside
