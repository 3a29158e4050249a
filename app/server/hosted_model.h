#pragma once
#include "app/server/model_desk.h"
#include "app/settings/sampling_layers.h"
#include "engine/movable_model.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace fireside::server {

struct HostedSettings
{
    std::string id; // as clients ask for it
    std::filesystem::path path;
    LoadOptions load{};
    SamplingSettings sampling{};
    SettingValues given{}; // of them, those that count before what the model recommends
    EngineOptions engine{};
    int sequences = 4, waiting = 64;
    /// Of caches besides that of one context.
    std::function<std::uint64_t(const LoadedModel &)> cacheBytes{};
    std::function<void(const std::string &)> tell{}; // where it runs, and why; a sentence
};

/// A model on a thread of its own, which loads it, computes its replies, goes on elsewhere with
/// them when a device fails, and gives its memory back, as it is asked to. An error that ends none
/// of its replies alone ends all of them and unloads the model; the next request loads it again.
class HostedModel
{
public:
    explicit HostedModel(HostedSettings settings);
    ~HostedModel();
    const std::string &id() const { return m_settings.id; }
    ModelDesk &desk() { return m_desk; }
    const ModelDesk &desk() const { return m_desk; }
    /// Any thread; the desk tells when it has happened.
    void wantLoaded(bool loaded);
    void trim(); // caches of ended replies go
    /// Any thread: unloads the model where its file changed; replies end with the reason.
    void checkFile();
    /// Of a load that failed: other models may be in the way.
    bool lacksMemory() const;
    /// What the loaded model may take of each device, by its id; empty: it is not loaded.
    std::map<std::string, std::uint64_t> planned() const;

private:
    /// What was asked of the thread since it last looked.
    struct Orders
    {
        bool wanted = false, trim = false, checkFile = false;
        std::uint64_t number = 0; // of the last wantLoaded()
    };
    std::optional<Orders> nextOrders(const std::stop_token &stop);
    void run(const std::stop_token &stop);
    void work(const Orders &orders, const std::stop_token &stop);
    void load(MovableModel &model);
    void unload();
    void afterLoss(const Orders &orders, const std::string &problem);
    Sharing sharing(const std::stop_token &stop);
    void opened(const LoadedModel &model, Scheduler *scheduler);

    const HostedSettings m_settings;
    ModelDesk m_desk;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    bool m_asked = false; // with the mutex, as what follows
    Orders m_orders;
    bool m_lacksMemory = false;
    std::map<std::string, std::uint64_t> m_planned;
    // Of the thread. Probed for each load: what is free depends on the other models.
    std::unique_ptr<Engine> m_engine;
    std::unique_ptr<MovableModel> m_model;
    bool m_working = false; // the scheduler has more to do
    std::jthread m_thread;  // last: it uses the others
};

} // namespace fireside::server
