#pragma once
#include "app/runtime/aside_answer.h"
#include "app/runtime/cache_usage.h"
#include "app/runtime/engine_types.h"
#include "engine/core/awake_clock.h"

#include <QFuture>
#include <QObject>
#include <QThread>
#include <QTimer>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>

namespace fireside {

class Elsewhere;
class EngineWorker;
class ModelServer;
class PrefixCache;
struct EngineOptions;

/// The window's handle on the engine. Lives on the GUI thread; owns one QThread with the
/// EngineWorker that owns the engine. Requests are queued, results come as signals, nothing here
/// blocks, except shutdown(), which returns within two seconds whatever is running.
class EngineService : public QObject
{
    Q_OBJECT
public:
    explicit EngineService(QObject *parent = nullptr);
    /// With an engine of one's own making, for tests.
    explicit EngineService(EngineOptions options, QObject *parent = nullptr);
    ~EngineService() override; // calls shutdown()

    /// Models that others run; asked for by their paths like those of this computer. Before
    /// anything is loaded; must outlive this.
    void setElsewhere(Elsewhere *elsewhere);
    /// A model of this computer that answers while nobody answers elsewhere; empty: none does.
    void setFallback(const QString &path, const LoadSettings &settings);

    EngineState state() const { return m_state; }
    const ModelStatus &model() const { return m_model; } // valid in Ready, Replying, Stopping
    bool hasModel() const { return m_hasModel; }
    bool resting() const { return m_resting; }                    // unloaded until the next reply
    const QString &loadingPath() const { return m_loading.path; } // valid in Loading
    /// The last load that failed, until its model is loaded.
    const LoadFailure &loadFailure() const { return m_failure; }
    /// The model that a failed load took the place of comes back.
    bool restoring() const { return m_restoring; }
    /// A model is ready; with several chats also while replies to others are written.
    bool acceptsReply() const;
    const QList<DeviceStatus> &devices() const { return m_devices; }
    /// False when the engine's thread did not end in time: the process must leave without
    /// destructors.
    bool shutDownCleanly() const { return m_clean; }
    /// Where a model would run with these settings, on a thread of its own, whatever else runs.
    QFuture<PlacementStatus> previewPlacement(const QString &path,
                                              const LoadSettings &settings) const;
    /// The same beside another model of this computer, which will take all it was planned to take.
    /// Virtual: a test says it for a computer of another size.
    virtual QFuture<PlacementStatus> previewBeside(const QString &path,
                                                   const LoadSettings &settings,
                                                   const QList<DeviceStatus> &devices,
                                                   const ModelStatus &other) const;
    /// Off until its apply().
    ModelServer &modelServer() { return *m_modelServer; }
    /// What is kept of computed chats; changes at any time, without a signal.
    CacheUsage cacheUsage() const;

public slots:
    /// Probes the devices (once) and reports devicesChanged.
    void start();
    /// Cancels what runs (reply or load), then loads. After a load that failed or was cancelled the
    /// former model is there again; restoring() says so before loadFailed().
    void loadModel(const QString &path, const fireside::LoadSettings &settings);
    /// The model runs for some seconds wherever there is room for it, which the next choice of a
    /// place knows: measureProgress(), then measured(). What is loaded goes meanwhile and comes
    /// back; if nothing is, the model itself is loaded. To the rest of the program it is a load.
    /// Refused with measured() while a reply or another load runs.
    void measureModel(const QString &path, const fireside::LoadSettings &settings);
    /// Ends measuring; what was measured stays known.
    void stopMeasuring();
    /// The processor's own rates, which say how fast models are expected to be there, are measured
    /// if they are not known, once in the program's life, while nothing else runs: then
    /// processorRated().
    void rateProcessor();
    /// Refused with replyFailed unless acceptsReply().
    void reply(const fireside::ReplyJob &job);
    /// The memory of a model that is Ready goes back to the system until the next reply, which
    /// loads it as it was; the state stays, moved() tells it, model().reason says it.
    void unload();
    /// The computer is about to sleep, which cards may not survive: a model on one is unloaded, or
    /// its replies pause, also those of other programs, and readyToSleep() answers. wake(): they go
    /// on, an unloaded model comes back with the next message.
    void sleep();
    void wake();
    /// The same after so long without a request; 0: never.
    void setIdleLimit(std::chrono::milliseconds limit);
    /// How many tokens a text has, answered by tokensCounted() when nothing else runs.
    void countTokens(const QString &text);
    /// What each of some tools takes in a prompt, and others together, answered by toolsCounted()
    /// when nothing else runs.
    void countTools(const QList<fireside::ToolOffer> &each,
                    const QList<fireside::ToolOffer> &together);
    /// What might stand behind job.begun in place of the token there, answered by choicesFound()
    /// when nothing else runs. job.followed: the rest of the answer; job.begunTokens: of all of the
    /// reply, if they are known.
    void findChoices(const fireside::ReplyJob &job);
    /// A brief answer that belongs to no reply, when nothing else runs, answered by
    /// asideAnswered(). Every other request ends it at once, and the state stays Ready. One after
    /// the other.
    void askAside(const fireside::ReplyJob &job);
    /// A running reply's thoughts end; 0: of all.
    void skipThinking(qint64 jobId = 0);
    /// One reply of several, as stop() does.
    void stopReply(qint64 jobId);
    /// How many windows ask for replies, which are computed together.
    void setChats(int count) { m_chats = count; }
    void clearCache();
    void setCacheLimit(qint64 bytes); // on the disk
    /// Sets the atomic stop flag of the running load or of all replies. Answered by
    /// replyFinished("stopped") with the text so far, or loadFailed("cancelled").
    void stop();
    void shutdown();
    /// How long shutdown() waits, for tests on slow machines.
    void setPatience(int milliseconds) { m_patience = milliseconds; }

signals:
    void stateChanged(fireside::EngineState state);
    void devicesChanged(const QList<fireside::DeviceStatus> &devices);
    void loadStarted(const QString &path);
    void loadProgress(const QString &stage, double fraction); // 0…1
    void loaded(const fireside::ModelStatus &model);
    void loadFailed(const QString &path, const QString &message, bool cancelled);
    void measureProgress(const QString &place, int done, int all);
    void measured(const fireside::MeasureStatus &status);
    void processorRated();
    /// A device failed in the middle of a reply, which goes on elsewhere, or the model was unloaded
    /// or came back: model() has changed.
    void moved(const fireside::ModelStatus &model);
    void rested(); // the memory of a model that was unloaded is free
    /// Nothing moved, but model().reason is another, or its server runs another model.
    void reasonChanged(const fireside::ModelStatus &model);
    /// A server writes others first, and this one is not begun before one of them ends.
    void replyWaits(qint64 jobId);
    void promptProgress(qint64 jobId, int done, int total); // tokens
    /// Whole UTF-8 characters, batched to one signal per 40 ms.
    void textAdded(qint64 jobId, const QString &text, const fireside::ReplyStats &stats);
    /// What the text so far and the text that comes next consist of.
    void partsChanged(qint64 jobId, const QList<fireside::MessagePart> &parts);
    /// The first of the job's messages that the model still sees, when older ones were left out.
    void contextTrimmed(qint64 jobId, int firstSeenMessage);
    void replyFinished(qint64 jobId, const fireside::ReplyStats &stats);
    void replyFailed(qint64 jobId, const QString &message); // the text so far stays
    /// The chat is too long, and nothing may be left out; replyFailed follows.
    void contextFull(qint64 jobId, const fireside::ContextShortage &shortage);
    void choicesFound(qint64 jobId, const QList<fireside::TokenChoice> &choices,
                      const QString &problem, const fireside::ChoicePlace &place);
    void asideAnswered(qint64 jobId, const fireside::AsideAnswer &answer);
    void tokensCounted(const QString &text, int tokens); // −1: not known
    void toolsCounted(const QList<int> &each, int all);  // none and −1: not known
    void readyToSleep();
    void deviceProblem(const QString &message); // the devices could not be probed at all

private:
    struct Load // of the worker's queue
    {
        QString path;
        LoadSettings settings;
        bool operator==(const Load &) const = default;
    };
    struct Former // the model that a load takes the place of
    {
        Load load;
        std::optional<ModelStatus> kept{}; // while the worker still has it
        bool resting = false;
    };
    /// Cancels what runs, then loads, after `measure` was measured.
    void load(const Load &wanted, const std::optional<Load> &measure);
    void setState(EngineState state);
    void settle(); // the state that follows from what is loaded
    void connectWorker();
    void cancelLoad();
    void failLoad(const Load &load, const QString &message, bool cancelled);
    void noteFormer();
    void restoreFormer();
    void tellLoaded();
    void rest(const QString &why);
    void showResting(const QString &why);
    // Models elsewhere (engine_service_elsewhere.cpp).
    struct Instead // a reply that this computer writes because nobody answered
    {
        ReplyJob job;
        QString problem;
        ModelStatus away{}; // the model that was asked
    };
    void connectReplies();
    // What is asked for (engine_service_requests.cpp).
    struct Running
    {
        std::stop_source stop{}, skip{};
        ReplyJob job{}; // of a server's reply
    };
    int together() const;
    void endReply(qint64 jobId);
    void stopWaiting();
    void stopAll();
    void answerAside(qint64 jobId, const AsideAnswer &answer);
    void nextAside();
    void postSharing();
    void loadElsewhere(const QString &path);
    void failElsewhere(const ModelStatus &model, const QString &message, bool unreachable);
    void replyInstead(const ReplyJob &job, const QString &problem);
    void nextInstead();
    void writeInstead();
    void failInstead(const QString &message, bool cancelled);
    void endInstead();
    void leaveElsewhere();
    bool stopElsewhere();
    void restAfterIdling();
    void connectServer();

    std::shared_ptr<PrefixCache> m_cache; // the worker's too
    const std::filesystem::path m_cacheFolder;
    QThread *m_thread = nullptr;      // left behind only when it does not end within two seconds
    EngineWorker *m_worker = nullptr; // lives on m_thread
    std::stop_source m_stop; // of the running or queued load, and of what is written instead
    std::stop_source m_skip; // of measuring, and of thoughts of what is written instead
    std::map<qint64, Running> m_replies; // that are written or wait, by job
    QList<ReplyJob> m_asides;            // the first of them is asked
    int m_chats = 1, m_serverSequences = 0;
    SamplingChoice m_serverSampling;
    EngineState m_state = EngineState::Starting;
    ModelStatus m_model;
    bool m_hasModel = false;
    bool m_started = false;
    bool m_clean = true;
    enum class Rating { Wanted, Asked, Done } m_rating = Rating::Wanted; // of the processor
    int m_patience = 2000;                                               // ms
    quint64 m_ticket = 0; // of the latest load or unload; answers to earlier ones are stale
    QTimer *const m_idle; // runs while a model waits for a request
    std::chrono::milliseconds m_idleLimit{0}; // 0: it may wait for ever
    AwakeClock::time_point m_unusedSince{};
    bool m_resting = false; // the model was unloaded until the next reply
    Load m_loading;         // its path is empty: nothing is being loaded
    LoadFailure m_failure;
    QList<DeviceStatus> m_devices;
    Elsewhere *m_elsewhere = nullptr;
    bool m_away = false; // the model is loaded, or being loaded, there
    Load m_fallback;
    std::optional<Instead> m_instead;
    QList<Instead> m_insteadWaiting; // this computer writes one after the other
    std::optional<Former> m_former;
    bool m_restoring = false;
    std::optional<ModelStatus> m_standby; // of the fallback, when the worker has it loaded
    std::unique_ptr<ModelServer> m_modelServer;
};

} // namespace fireside
