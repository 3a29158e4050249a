#include "app/server/hosted_model.h"

#include "engine/core/error.h"
#include "engine/core/memory_reserve.h"

#include <new>

namespace fireside::server {

HostedModel::HostedModel(HostedSettings settings)
    : m_settings(std::move(settings))
    , m_thread([this](const std::stop_token &stop) { run(stop); })
{}

HostedModel::~HostedModel()
{
    m_thread.request_stop();
}

void HostedModel::wantLoaded(bool loaded)
{
    {
        const std::lock_guard lock(m_mutex);
        m_wanted = loaded;
        m_asked = true;
    }
    m_changed.notify_all();
}

void HostedModel::trim()
{
    {
        const std::lock_guard lock(m_mutex);
        m_trim = m_asked = true;
    }
    m_changed.notify_all();
}

std::map<std::string, std::uint64_t> HostedModel::planned() const
{
    const std::lock_guard lock(m_mutex);
    return m_planned;
}

Sharing HostedModel::sharing(const std::stop_token &stop)
{
    Sharing sharing{.sequences = m_settings.sequences, .waiting = m_settings.waiting};
    sharing.cacheBytes = m_settings.cacheBytes;
    sharing.asked = [this] {
        {
            const std::lock_guard lock(m_mutex);
            m_asked = true;
        }
        m_changed.notify_all();
    };
    sharing.opened = [this](const LoadedModel &model, Scheduler *scheduler) {
        opened(model, scheduler);
    };
    sharing.closing = [this](bool moving) { m_desk.close(moving); };
    sharing.moving = [this](const Error &error) {
        if (m_settings.tell)
            m_settings.tell(m_settings.id +
                            " goes on elsewhere, because a device failed: " + error.what());
    };
    sharing.stop = stop;
    return sharing;
}

void HostedModel::opened(const LoadedModel &model, Scheduler *scheduler)
{
    std::map<std::string, std::uint64_t> planned;
    for (const LoadedModel::DeviceUse &use : model.memory())
        planned[use.report.id] = use.planned.total();
    {
        const std::lock_guard lock(m_mutex);
        m_planned = std::move(planned);
    }
    const SamplingSettings recommended =
        with(m_settings.sampling, recommendedValues(model.summary().recommended));
    m_desk.open(model, scheduler, m_settings.id, with(recommended, m_settings.given));
    if (m_settings.tell)
        m_settings.tell(m_settings.id + ", " + model.placementText() + ": " +
                        model.selection().reason);
}

void HostedModel::load(MovableModel &model)
{
    std::string problem;
    m_desk.setState(ModelDesk::State::Loading);
    try {
        model.load(m_settings.path, m_settings.load, {}, m_thread.get_stop_token());
        return;
    } catch (const std::bad_alloc &) {
        problem = outOfMemoryText();
    } catch (const std::exception &error) {
        problem = error.what();
    }
    model.unload();
    {
        const std::lock_guard lock(m_mutex);
        m_wanted = false;
        m_planned.clear();
    }
    m_desk.setState(ModelDesk::State::Failed, problem);
}

void HostedModel::run(const std::stop_token &stop)
{
    // Probed anew for each load: what is free depends on the other models.
    std::unique_ptr<Engine> engine;
    std::unique_ptr<MovableModel> model;
    for (bool working = false; !stop.stop_requested();) {
        bool wanted = false, trimmed = false;
        {
            std::unique_lock lock(m_mutex);
            if (!working)
                m_changed.wait(lock, stop, [this] { return m_asked; });
            m_asked = false;
            wanted = m_wanted;
            trimmed = std::exchange(m_trim, false);
        }
        if (stop.stop_requested())
            break;
        const bool there = model && model->model() != nullptr;
        if (wanted && !there) {
            model.reset();
            engine = std::make_unique<Engine>(m_settings.engine);
            model = std::make_unique<MovableModel>(*engine);
            model->share(sharing(stop));
            load(*model);
        } else if (!wanted && there) {
            model.reset();
            engine.reset();
            const std::lock_guard lock(m_mutex);
            m_planned.clear();
        }
        Scheduler *const scheduler = model ? model->scheduler() : nullptr;
        if (scheduler != nullptr && trimmed)
            scheduler->trim();
        working = scheduler != nullptr && scheduler->step();
        if (model && model->model() == nullptr && wanted && there) {
            // A device failed, and the model could not be loaded again.
            const std::lock_guard lock(m_mutex);
            m_wanted = false;
            m_planned.clear();
            m_desk.setState(ModelDesk::State::Failed, "a device failed while it answered");
        }
    }
}

} // namespace fireside::server
