#pragma once
#include "app/server/hosted_model.h"
#include "app/server/served_models.h"

#include <chrono>
#include <list>

namespace fireside::server {

/// Several models that are loaded when they are asked for. Where they do not fit into memory
/// together, as planned, the one used longest ago goes, once its replies have ended.
class ModelShelf final : public ServedModels
{
public:
    struct Settings
    {
        std::vector<HostedSettings> models; // cacheBytes is the shelf's
        std::chrono::seconds idle{0}; // without a request a model goes after so long; 0: it stays
    };
    /// Looks at each model's file; Error as of Engine::choose(). No two may have the same id.
    explicit ModelShelf(Settings settings);
    ~ModelShelf() override;

    /// Returns when it is loaded; Error(BadInput) with the reason where it cannot be.
    void load(const std::string &id, const std::stop_token &stop);

    std::vector<Listed> list() const override;
    ModelDesk::Use use(const std::string &id, const std::function<bool()> &gone) override;

private:
    using Bytes = std::map<std::string, std::uint64_t>; // of each device
    struct Place
    {
        std::unique_ptr<HostedModel> model;
        Bytes needs;                         // when it runs where it would alone
        int context = 0, contextTrained = 0; // as planned
        bool leaving = false;                // no request begins
    };
    Place *find(const std::string &id);
    bool fits(const Place &next) const;
    Place *leastUsed(const Place &but);
    void bring(Place &next, const std::function<bool()> &gone);
    bool unloadOne(const Place &next, const std::function<bool()> &gone);
    std::uint64_t cacheBytes(const LoadedModel &model) const;
    void dropIdle(const std::stop_token &stop);

    const std::chrono::seconds m_idle;
    Bytes m_free; // before anything was loaded
    std::list<Place> m_places;
    std::timed_mutex m_bringing; // one comes or goes at a time
    mutable std::mutex m_mutex;  // of `leaving`
    std::jthread m_idleThread;
};

} // namespace fireside::server
