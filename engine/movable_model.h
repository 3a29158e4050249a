#pragma once
#include "engine/engine.h"
#include "engine/generate/prefix_cache.h"

namespace fireside {

/// Called after a MovableModel was loaded again, or could not be.
struct MovesTold
{
    std::function<void(const LoadedModel &, double seconds)> moved{};
    std::function<void(const Error &)> lost{}; // not loaded again: there is no model now
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
    Session *session() const { return m_opened.session.get(); }

    /// generate() with the model. `moving`: a device failed, and the model is loaded again from
    /// here on. Where that would not help, or fails, the error is thrown.
    GenerateResult reply(const GenerateRequest &request, GenerateEvents events,
                         const std::stop_token &stop = {},
                         const std::function<void(const Error &)> &moving = {});
    /// Afterwards, so that nobody waits for it: what is new of the session's tokens goes to the
    /// cache. Nothing that goes wrong is told.
    void keep(const std::stop_token &stop = {});
    /// Gives back what the model takes of devices and memory; bringBack() loads it as before.
    void rest();
    /// Loads the model that rests, or that a reply was moving when it was stopped; else does
    /// nothing.
    void bringBack(const std::stop_token &stop = {});

private:
    void drop();
    void open(const LoadProgress &progress, const std::stop_token &stop);
    void move(const Error &error, const std::stop_token &stop);
    void restore(const GenerateRequest &request, const std::stop_token &stop);
    void learn(const GenerateStats &stats);

    Engine &m_engine;
    const MovesTold m_told;
    PrefixCache *const m_cache;
    std::filesystem::path m_path;
    LoadOptions m_options;
    Engine::Opened m_opened;
    double m_promptRate = 0; // tokens a second, as measured last; 0: not known
    bool m_away = false;     // it rests, or a device failed and it is not loaded again yet
};

} // namespace fireside
