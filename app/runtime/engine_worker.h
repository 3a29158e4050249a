#pragma once
#include "app/runtime/aside_answer.h"
#include "app/runtime/engine_types.h"
#include "app/server/model_desk.h"
#include "engine/chat_prompt.h"
#include "engine/movable_model.h"

#include <QObject>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace fireside {

/// Owns the engine on its own thread. Each request carries the stop token that the window's thread
/// made for it: a request that was stopped or superseded while it waited in the queue is answered
/// at once. Nothing escapes: every exception becomes a signal.
class EngineWorker : public QObject
{
    Q_OBJECT
public:
    explicit EngineWorker(EngineOptions options, std::shared_ptr<PrefixCache> cache = nullptr);
    ~EngineWorker() override;

    /// From any thread: the worker's thread runs the requests one after the other. They wait in a
    /// queue of the worker's own instead of Qt's, whose hand-over the thread sanitizer cannot see.
    void post(std::function<void(EngineWorker &)> request);
    /// From any thread: runs when no request waits, in place of an earlier one that was not begun.
    void postAside(std::function<void(EngineWorker &)> request);
    /// Words are sent together, at most once in so many milliseconds; 40 unless a test says
    /// otherwise, before the first request.
    void collectWordsFor(int milliseconds) { m_collectMs = milliseconds; }
    /// Those that were not begun; the last that another thread may ask of the worker.
    void dropRequests();

    // Called on the worker's thread only.
    void probe();
    void load(quint64 ticket, const QString &path, const LoadSettings &settings,
              const std::stop_token &stop);
    /// Every place for the model that there is room for; the loaded one goes. `stop` or `skip`
    /// ends it.
    void measure(quint64 ticket, const QString &path, const LoadSettings &settings,
                 const std::stop_token &stop, const std::stop_token &skip);
    /// Until the next request is posted; not while replies are computed.
    void rateProcessor();
    void unload();
    /// So many replies are computed together: those of several windows, and those that others ask
    /// for at the desk, if there is one, in the window's settings. 0: one after the other.
    void share(server::ModelDesk *desk, int sequences, const SamplingChoice &sampling);
    /// The loaded model stays; from now on it is that of this ticket.
    void keepAs(quint64 ticket) { m_ticket = ticket; }
    void bringBack(); // the model that rests
    void rest();      // the model's memory goes back until the next reply
    /// A model on a card rests, and the cards are closed; answered by asleep().
    void sleep();
    SleepGate &sleepGate() { return m_sleep; } // by any thread
    /// skip: thoughts end when it is set.
    void reply(const ReplyJob &job, const std::stop_token &stop, const std::stop_token &skip = {});
    void countTokens(const QString &text);
    void countTools(const QList<ToolOffer> &each, const QList<ToolOffer> &together);
    /// What might follow on job.begun, likeliest first.
    void findChoices(const ReplyJob &job);
    /// Until the next request is posted.
    void answerAside(const ReplyJob &job);

signals:
    void probed(const QList<fireside::DeviceStatus> &devices, const QString &problem);
    void asleep(bool rests); // cards are closed; rests: a model that was on one does now
    void loadProgress(quint64 ticket, const QString &stage, double fraction);
    void loaded(quint64 ticket, const fireside::ModelStatus &model);
    void loadFailed(quint64 ticket, const QString &message, bool cancelled);
    void measureProgress(const QString &place, int done, int all);
    void measured(const fireside::MeasureStatus &status);
    void processorRated(bool done); // else something else came first
    void rested();                  // the memory of the model that rests is free
    void fileLost();                // the model rests because its file cannot be read any more
    /// In the middle of a reply: the model runs elsewhere now, because a device failed.
    void moved(quint64 ticket, const fireside::ModelStatus &model);
    void promptProgress(qint64 jobId, int done, int total);
    void textAdded(qint64 jobId, const QString &text, const fireside::ReplyStats &stats);
    /// What the text so far and the text that comes next consist of.
    void partsChanged(qint64 jobId, const QList<fireside::MessagePart> &parts);
    void contextTrimmed(qint64 jobId, int firstSeenMessage);
    /// The chat is too long, and nothing may be left out; replyFailed follows.
    void contextFull(qint64 jobId, const fireside::ContextShortage &shortage);
    void choicesFound(qint64 jobId, const QList<fireside::TokenChoice> &choices,
                      const QString &problem, const fireside::ChoicePlace &place);
    void asideAnswered(qint64 jobId, const fireside::AsideAnswer &answer);
    void replyFinished(qint64 jobId, const fireside::ReplyStats &stats);
    void replyFailed(qint64 jobId, const QString &message);
    void tokensCounted(const QString &text, int tokens);
    /// each: in the order of the request; −1 for `all`: not known.
    void toolsCounted(const QList<int> &each, int all);

private slots:
    void serve();   // the request that waits longest
    void compute(); // what others asked for, for a moment

private:
    class Batch; // text that waits for its signal
    /// Nothing: it has begun, and tells its end itself.
    std::optional<ReplyStats> runReply(const ReplyJob &job, qint64 seed,
                                       const std::shared_ptr<Batch> &batch,
                                       const std::stop_token &stop, const std::stop_token &skip);
    QList<TokenChoice> choicesAfter(const std::vector<TokenId> &prompt);
    ToolPrompt promptOf(const ReplyJob &job, const std::stop_token &stop);
    void tellDevices();
    void keepTokens();
    std::stop_token untilNextRequest();
    GenerateRequest requestOf(const ReplyJob &job, qint64 seed, const std::stop_token &stop);
    AsideAnswer asideOf(const ReplyJob &job, const std::stop_token &stop);
    MovesTold whereItIs();
    Sharing sharingAt(server::ModelDesk *desk, int sequences);
    void tellDesk(const QString &problem);
    void wakeModel(const std::stop_token &stop);
    bool requestWaits();
    GenerateEvents eventsOf(const ReplyJob &job, qint64 seed, const std::shared_ptr<Batch> &batch,
                            const std::stop_token &skip);
    void beginReply(const ReplyJob &job, qint64 seed, const GenerateRequest &request,
                    const std::shared_ptr<Batch> &batch, const std::stop_token &stop,
                    const std::stop_token &skip);
    void failReply(qint64 jobId, qint64 seed, const Error &error);
    void afterSteps();

    int m_collectMs = 40;
    std::mutex m_mutex; // of the requests
    std::deque<std::function<void(EngineWorker &)>> m_requests;
    std::function<void(EngineWorker &)> m_aside; // with the mutex
    std::stop_source m_quiet;                    // ends what nobody asked for, with the mutex
    std::stop_source m_ending;                   // with the mutex
    std::atomic<bool> m_computes = false;        // compute() is queued
    int m_running = 0;                           // replies that were begun and have not ended
    bool m_justEnded = false;                    // the last of them, in this step
    std::function<void()> m_shareLater;          // when none runs: it would end them
    server::ModelDesk *m_desk = nullptr;
    SamplingChoice m_shared; // what others leave open
    const std::shared_ptr<PrefixCache> m_cache;
    Engine m_engine;
    SleepGate m_sleep;
    MovableModel m_loaded;
    // Of the last load.
    quint64 m_ticket = 0;
    LoadSettings m_settings;
    std::string m_id; // as other programs call it
    // Where the last shortened chat began, so that its next turn begins there too.
    int m_firstSeen = 0;
    QString m_firstSeenText;
};

} // namespace fireside
