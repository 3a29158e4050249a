#include "app/server/model_shelf.h"

#include "engine/core/awake_clock.h"
#include "engine/core/error.h"
#include "engine/core/exception_guard.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <condition_variable>

namespace fireside::server {
namespace {

using State = ModelDesk::State;
constexpr std::chrono::milliseconds kLook{100};

[[noreturn]] void throwGone()
{
    throw ApiError(503, "the client has gone");
}

} // namespace

std::string usualId(std::filesystem::path model)
{
    if (model.filename() == "config.json" || !model.has_filename())
        model = model.parent_path();
    return model.extension() == ".gguf" ? model.stem().string() : model.filename().string();
}

void ServedModels::throwUnknown(const std::string &asked, const std::vector<Listed> &all)
{
    std::string known;
    for (const Listed &one : all)
        known += (known.empty() ? "" : ", ") + fireside::quoted(one.id);
    throw ApiError(404,
                   "the model " + fireside::quoted(asked) + " is not served here; " +
                       (known.empty() ? "none is" : "what is: " + known),
                   "model", "model_not_found");
}

ModelShelf::ModelShelf(Settings settings)
    : m_idle(settings.idle)
{
    for (HostedSettings &one : settings.models) {
        if (find(one.id) != nullptr)
            throwBadInput("two models are called " + one.id);
        Engine engine(one.engine);
        LoadOptions options = one.load;
        options.embeddings = true;
        const Engine::Choice choice = engine.choose(one.path, options);
        Place place;
        for (std::size_t i = 0; i < choice.devices.size(); ++i) {
            const DeviceReport &device = choice.devices[i];
            const std::uint64_t bytes = bytesOn(static_cast<int>(i), choice.selection.placement,
                                                *choice.summary.plan, choice.devices);
            const auto &layers = choice.selection.placement.layers;
            if (std::count(layers.begin(), layers.end(), static_cast<int>(i)) > 0)
                place.needs[device.id] = bytes;
            if (device.memoryFree)
                m_free.emplace(device.id, *device.memoryFree);
        }
        place.context = choice.selection.context;
        place.contextTrained = choice.summary.contextTrained;
        one.load = options;
        one.cacheBytes = [this](const LoadedModel &model) { return cacheBytes(model); };
        place.model = std::make_unique<HostedModel>(std::move(one));
        m_places.push_back(std::move(place));
    }
    if (m_idle.count() > 0)
        m_idleThread = std::jthread([this](const std::stop_token &stop) {
            while (!stop.stop_requested())
                containExceptions("the thread that unloads idle models", [&] { dropIdle(stop); });
        });
}

ModelShelf::~ModelShelf()
{
    m_idleThread = {};
}

ModelShelf::Place *ModelShelf::find(const std::string &id)
{
    for (Place &place : m_places)
        if (place.model->id() == id)
            return &place;
    return nullptr;
}

/// For caches: half of what the models leave of the device, one whole context at least.
std::uint64_t ModelShelf::cacheBytes(const LoadedModel &model) const
{
    const std::uint64_t context = model.plan().kv();
    const auto free = m_free.find(model.device().id);
    if (free == m_free.end())
        return 0;
    std::uint64_t taken = model.plan().total();
    for (const Place &place : m_places) {
        const Bytes planned = place.model->planned();
        if (const auto it = planned.find(free->first); it != planned.end())
            taken += it->second;
    }
    return std::max(context, free->second > taken ? (free->second - taken) / 2 : 0);
}

bool ModelShelf::fits(const Place &next) const
{
    return std::all_of(next.needs.begin(), next.needs.end(), [&](const auto &need) {
        const auto free = m_free.find(need.first);
        std::uint64_t sum = need.second;
        for (const Place &place : m_places) {
            const Bytes planned = place.model->planned();
            if (const auto it = planned.find(need.first); &place != &next && it != planned.end())
                sum += it->second;
        }
        return free == m_free.end() || sum <= free->second;
    });
}

ModelShelf::Place *ModelShelf::leastUsed(const Place &but)
{
    Place *least = nullptr;
    for (Place &place : m_places)
        if (&place != &but && place.model->desk().state() == State::Open &&
            (least == nullptr || place.model->desk().lastUsed() < least->model->desk().lastUsed()))
            least = &place;
    return least;
}

/// Makes room for the next one: the one used longest ago goes. False: there is no other.
bool ModelShelf::unloadOne(const Place &next, const std::function<bool()> &gone)
{
    Place *const place = leastUsed(next);
    if (place == nullptr)
        return false;
    const auto leave = [&](bool leaving) {
        const std::lock_guard lock(m_mutex);
        place->leaving = leaving;
    };
    leave(true);
    ModelDesk &desk = place->model->desk();
    while (desk.busy()) {
        if (gone()) {
            leave(false);
            throwGone();
        }
        desk.wait(kLook);
    }
    place->model->wantLoaded(false);
    while (desk.state() == State::Open || !place->model->planned().empty())
        desk.wait(kLook);
    leave(false);
    return true;
}

void ModelShelf::bring(Place &next, const std::function<bool()> &gone)
{
    ModelDesk &desk = next.model->desk();
    while (!m_bringing.try_lock_for(kLook))
        if (gone())
            throwGone();
    const std::lock_guard lock(m_bringing, std::adopt_lock);
    for (;;) {
        if (desk.state() == State::Open)
            return;
        while (!fits(next) && unloadOne(next, gone)) {
        }
        for (Place &place : m_places)
            place.model->trim();
        next.model->wantLoaded(true); // it is Loading from here on
        while (desk.state() == State::Loading) {
            desk.wait(kLook);
            if (gone())
                throwGone();
        }
        if (desk.state() == State::Open)
            return;
        const std::string problem = desk.problem();
        if (!next.model->lacksMemory() || !unloadOne(next, gone)) // perhaps there is room then
            throw ApiError(503, "the model cannot be loaded: " + printable(problem), "model",
                           "model_not_loaded");
    }
}

ModelDesk::Use ModelShelf::use(const std::string &id, const std::function<bool()> &gone)
{
    Place *const place = find(id);
    if (place == nullptr)
        throwUnknown(id, list());
    for (;;) {
        bool leaving = false;
        {
            const std::lock_guard lock(m_mutex);
            leaving = place->leaving;
        }
        ModelDesk &desk = place->model->desk();
        if (auto use = leaving ? std::nullopt : desk.use()) {
            if (!use->fileChanged())
                return std::move(*use);
            place->model->checkFile(); // unloaded; then the new file is loaded
        }
        if (gone())
            throwGone();
        if (desk.state() == State::Loading || (desk.state() == State::Open && !leaving))
            desk.wait(kLook);
        else
            bring(*place, gone);
    }
}

void ModelShelf::load(const std::string &id, const std::stop_token &stop)
{
    try {
        (void)use(id, [&] { return stop.stop_requested(); });
    } catch (const ApiError &error) {
        const Place *const place = find(id);
        throwBadInput(place && !place->model->desk().problem().empty()
                          ? place->model->desk().problem()
                          : error.what());
    }
}

std::vector<ModelShelf::Listed> ModelShelf::list() const
{
    std::vector<Listed> all;
    for (const Place &place : m_places) {
        const ModelDesk &desk = place.model->desk();
        all.push_back({place.model->id(), desk.state(),
                       desk.context() > 0 ? desk.context() : place.context, desk.problem(),
                       desk.counts(), place.contextTrained});
    }
    return all;
}

void ModelShelf::dropIdle(const std::stop_token &stop)
{
    std::mutex mutex;
    std::condition_variable_any changed;
    while (!stop.stop_requested()) {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
        const auto now = AwakeClock::now();
        if (!m_bringing.try_lock())
            continue;
        const std::lock_guard bringing(m_bringing, std::adopt_lock);
        for (Place &place : m_places) {
            const ModelDesk &desk = place.model->desk();
            if (desk.state() == State::Open && !desk.busy() && now - desk.lastUsed() >= m_idle)
                place.model->wantLoaded(false);
        }
    }
}

} // namespace fireside::server
