#include "app/server/hosted_model.h"

#include "engine/core/exception_guard.h"

namespace fireside::server {

HostedModel::HostedModel(HostedSettings settings)
    : m_settings(std::move(settings))
    , m_thread([this](const std::stop_token &stop) { run(stop); }) // contains exceptions
{}

HostedModel::~HostedModel()
{
    m_thread.request_stop();
}

void HostedModel::wantLoaded(bool loaded)
{
    {
        const std::lock_guard lock(m_mutex);
        m_orders.wanted = loaded;
        ++m_orders.number;
        m_asked = true;
        if (loaded) // with the mutex: after a failure of the thread, or before it is seen
            m_desk.setState(ModelDesk::State::Loading);
    }
    m_changed.notify_all();
}

void HostedModel::trim()
{
    {
        const std::lock_guard lock(m_mutex);
        m_orders.trim = m_asked = true;
    }
    m_changed.notify_all();
}

void HostedModel::checkFile()
{
    {
        const std::lock_guard lock(m_mutex);
        m_orders.checkFile = m_asked = true;
    }
    m_changed.notify_all();
}

bool HostedModel::lacksMemory() const
{
    const std::lock_guard lock(m_mutex);
    return m_lacksMemory;
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
    m_desk.setState(ModelDesk::State::Loading);
    std::optional<Error> problem;
    try {
        faultPoint("server.load");
        model.load(m_settings.path, m_settings.load, {}, m_thread.get_stop_token());
        return;
    } catch (...) {
        problem = currentError();
    }
    model.unload();
    {
        const std::lock_guard lock(m_mutex);
        m_orders.wanted = false;
        m_lacksMemory =
            problem->kind() == ErrorKind::Memory || problem->kind() == ErrorKind::Device;
        m_planned.clear();
    }
    m_desk.setState(ModelDesk::State::Failed, problem->what());
}

void HostedModel::unload()
{
    m_working = false;
    m_model.reset();
    m_engine.reset();
    const std::lock_guard lock(m_mutex);
    m_planned.clear();
}

/// The model is gone without an order. Orders that came meanwhile stay.
void HostedModel::afterLoss(const Orders &orders, const std::string &problem)
{
    unload();
    const std::lock_guard lock(m_mutex);
    if (m_orders.number != orders.number)
        return;
    m_orders.wanted = false;
    m_lacksMemory = false;
    if (!problem.empty())
        m_desk.setState(ModelDesk::State::Failed, problem);
}

/// Sleeps while there is nothing to do; nothing when the thread is to end.
std::optional<HostedModel::Orders> HostedModel::nextOrders(const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    if (!m_working)
        m_changed.wait(lock, stop, [this] { return m_asked; });
    m_asked = false;
    const Orders orders = m_orders;
    m_orders.trim = m_orders.checkFile = false;
    if (stop.stop_requested())
        return std::nullopt;
    return orders;
}

void HostedModel::work(const Orders &orders, const std::stop_token &stop)
{
    faultPoint("server.model");
    const bool loaded = m_model && m_model->model() != nullptr;
    if (orders.wanted && !loaded) {
        m_model.reset();
        m_engine = std::make_unique<Engine>(m_settings.engine);
        m_model = std::make_unique<MovableModel>(*m_engine);
        m_model->share(sharing(stop));
        load(*m_model);
    } else if (!orders.wanted && loaded) {
        unload();
    }
    if (m_model && orders.checkFile)
        m_model->restIfChanged();
    if (Scheduler *const scheduler = m_model ? m_model->scheduler() : nullptr) {
        if (orders.trim)
            scheduler->trim();
        m_working = m_model->step();
    } else {
        m_working = false;
    }
    if (!loaded || !m_model || m_model->model() != nullptr)
        return;
    // Its file changed, or a device failed and the model could not be loaded again.
    const bool rests = m_model->rests();
    if (rests && m_settings.tell)
        m_settings.tell(m_settings.id + " is unloaded, because its file changed");
    afterLoss(orders, rests ? "" : "a device failed while it answered");
}

void HostedModel::run(const std::stop_token &stop)
{
    while (const std::optional<Orders> orders = nextOrders(stop))
        containExceptions(
            "the thread of a model", [&] { work(*orders, stop); },
            [&](const Error &error) {
                m_desk.close(false); // no request begins that would be stopped
                if (Scheduler *const scheduler = m_model ? m_model->scheduler() : nullptr)
                    scheduler->failAll(error);
                afterLoss(*orders, error.what());
            });
}

} // namespace fireside::server
