#pragma once
#include "engine/core/sleep_gate.h"
#include "engine/engine.h"
#include "engine/generate/prefix_cache.h"
#include "engine/generate/scheduler.h"

#include <list>

namespace fireside {

/// Called after a MovableModel was loaded again, or could not be.
struct MovesTold
{
    std::function<void(const LoadedModel &, double seconds)> moved{};
    std::function<void(const Error &)> lost{}; // not loaded again: there is no model now
    std::function<void()> fileChanged{};       // the model rests, see restIfChanged()
    /// Where it sleeps, replies let their cards go, say so, and go on when it wakes. It must
    /// outlive the model.
    SleepGate *sleep = nullptr;
    std::function<void()> paused{};
};

/// How a model is shared: replies are computed by a scheduler, together with what others submit to
/// it. All is called by the thread that owns the model, but `asked`.
struct Sharing
{
    int sequences = 4, waiting = 64; // as in SchedulerSettings
    /// Of caches of others; 0: no limit.
    std::function<std::uint64_t(const LoadedModel &)> cacheBytes{};
    std::function<void()> asked{}; // by any thread: the scheduler has something to do
    /// Both can be used; without a scheduler where the model only gives embeddings.
    std::function<void(const LoadedModel &, Scheduler *)> opened{};
    /// Returns when nobody uses them any more; moving: the scheduler and its replies stay.
    std::function<void(bool moving)> closing{};
    std::function<void(const Error &)> moving{}; // a device failed
    std::stop_token stop{};                      // ends loading again
};

/// Who hears of a reply that is computed with others: of finished and failed one, at the end, by
/// the thread that steps. They must not throw.
struct SharedReply
{
    GenerateEvents events{};
    std::stop_token stop{};
    std::function<void(const Error &)> moving{}; // a device failed, and the reply goes on
    std::function<void(const GenerateResult &)> finished{};
    std::function<void(const Error &)> failed{};
    bool aside = false;
};

/// A model with its one session that goes on elsewhere when a device fails in the middle of a
/// reply: on the device opened anew, with less on it, or without it (fallback.h).
class MovableModel
{
public:
    /// cache: what takes over and keeps its tokens; it must outlive this. nullptr: nothing does.
    explicit MovableModel(Engine &engine, MovesTold told = {}, PrefixCache *cache = nullptr);
    ~MovableModel();

    /// As Engine::open(). What was loaded before goes first: two may not fit.
    void load(std::filesystem::path path, const LoadOptions &options,
              const LoadProgress &progress = {}, const std::stop_token &stop = {});
    void unload();
    const LoadedModel *model() const { return m_opened.model.get(); } // nullptr: none
    Session *session() const { return m_opened.session.get(); } // nullptr also while it is shared

    /// From now on, also when another model is loaded. Someone has to call step(), on this thread;
    /// reply() does until that reply has ended.
    void share(Sharing sharing);
    void unshare(); // replies of others end as FinishReason::Stopped
    /// Of the model that is loaded and shared; else nullptr.
    Scheduler *scheduler() const { return m_opened.model ? m_scheduler.get() : nullptr; }
    /// The scheduler's, also while its replies wait until the computer wakes; false: there is
    /// nothing to do.
    bool step();

    /// generate() with the model. `moving`: a device failed, and the model is loaded again from
    /// here on. Where that would not help, or fails, the error is thrown. Where the model is shared
    /// the reply comes before those of others, unless it is an `aside`; then there are no drafts.
    GenerateResult reply(const GenerateRequest &request, GenerateEvents events,
                         const std::stop_token &stop = {},
                         const std::function<void(const Error &)> &moving = {}, bool aside = false);
    /// The same where the model is shared: returns at once, and the scheduler's step() computes it.
    void begin(const GenerateRequest &request, SharedReply reply);
    /// Afterwards, so that nobody waits for it: what is new of the session's tokens goes to the
    /// cache. Nothing that goes wrong is told.
    void keep(const std::stop_token &stop = {});
    /// Gives back what the model takes of devices and memory; bringBack() loads it as before.
    /// devicesStay: open, with what they have compiled, so that it comes back sooner.
    void rest(bool devicesStay = true);
    /// Where a file of the model changed or cannot be read any more: replies that run or wait end
    /// with the reason and the model rests, so that bringBack() loads the file as it is by then.
    /// step() does so when a reply fails. False: the files are as they were.
    bool restIfChanged();
    bool rests() const { return m_away; }
    bool usesCard() const; // not the CPU alone
    /// Loads the model that rests, or that a reply was moving when it was stopped; else does
    /// nothing.
    void bringBack(const std::stop_token &stop = {});

private:
    GenerateResult replyBesides(const GenerateRequest &request, SharedReply reply);
    void noteShared(const GenerateResult &result, bool alone);
    bool moveAll(const Error &error);
    bool awake();
    void offer();
    void drop();
    void open(const LoadProgress &progress, const std::stop_token &stop);
    void move(const Error &error, const std::stop_token &stop);
    void reopen(const std::stop_token &stop, const std::string &before);
    bool sleeps() const;
    void sleepThrough(const std::stop_token &stop);
    void restore(Session &session, const GenerateRequest &request, const std::stop_token &stop);
    void learn(const GenerateStats &stats);

    Engine &m_engine;
    const MovesTold m_told;
    PrefixCache *const m_cache;
    std::filesystem::path m_path;
    LoadOptions m_options;
    Engine::Opened m_opened;
    double m_promptRate = 0; // tokens a second, as measured last; 0: not known
    std::optional<Sharing> m_sharing;
    std::unique_ptr<Scheduler> m_scheduler; // refers to the model
    bool m_offered = false;                 // to others
    bool m_moving = false;                  // the scheduler's replies go on with the next model
    struct RunningReply                     // of those that are computed with others
    {
        std::function<void(const Error &)> moving;
        std::stop_token stop;
    };
    std::list<RunningReply> m_runningReplies;
    int m_moves = 0;
    std::uint64_t m_failedReplies = 0; // of the scheduler, when the files were last looked at
    std::vector<TokenId> m_lastPrompt; // of a shared reply
    bool m_away = false; // it rests, or a device failed and it is not loaded again yet
};

} // namespace fireside
