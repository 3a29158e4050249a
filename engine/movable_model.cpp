#include "engine/movable_model.h"

#include "engine/core/error.h"
#include "engine/core/memory_info.h"
#include "engine/core/memory_reserve.h"
#include "engine/generate/reply_speed.h"
#include "engine/model/model.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fireside {

MovableModel::MovableModel(Engine &engine, MovesTold told, PrefixCache *cache)
    : m_engine(engine)
    , m_told(std::move(told))
    , m_cache(cache)
{}

MovableModel::~MovableModel()
{
    unload();
}

void MovableModel::load(std::filesystem::path path, const LoadOptions &options,
                        const LoadProgress &progress, const std::stop_token &stop)
{
    unload();
    m_path = std::move(path);
    m_options = options;
    open(progress, stop);
}

void MovableModel::unload()
{
    m_away = m_moving = false;
    m_engine.letDevicesGo();
    drop();
}

void MovableModel::rest(bool devicesStay)
{
    if (!devicesStay)
        m_engine.letDevicesGo();
    if (!m_opened.model)
        return;
    if (devicesStay)
        m_engine.keepDevices(*m_opened.model);
    m_away = true;
    drop();
}

bool MovableModel::restIfChanged()
{
    if (!m_opened.model)
        return false;
    try {
        m_opened.model->model().requireUnchangedFile();
        return false;
    } catch (const Error &error) {
        if (m_scheduler)
            m_scheduler->failAll(error);
    }
    rest();
    if (m_told.fileChanged)
        m_told.fileChanged();
    return true;
}

void MovableModel::drop()
{
    m_promptRate = 0;
    if (std::exchange(m_offered, false) && m_sharing->closing)
        m_sharing->closing(m_moving);
    if (m_scheduler && m_moving)
        m_scheduler->release();
    else
        m_scheduler.reset();
    m_opened.session.reset(); // refers to the model
    if (m_opened.model) {
        m_opened.model.reset();
        returnFreeMemory();
    }
}

void MovableModel::open(const LoadProgress &progress, const std::stop_token &stop)
{
    m_opened = m_engine.open(m_path, m_options, progress, stop);
    offer();
}

GenerateResult MovableModel::reply(const GenerateRequest &request, GenerateEvents events,
                                   const std::stop_token &stop,
                                   const std::function<void(const Error &)> &moving, bool aside)
{
    if (m_sharing)
        return replyBesides(request,
                            {.events = events, .stop = stop, .moving = moving, .aside = aside});
    if (!m_opened.session)
        throwBadInput("no model is loaded");
    keepMemoryReserve();
    bool undisturbed = true;
    events.beforePass = [this] {
        if (sleeps() && usesCard())
            throw Error(ErrorKind::Device, "the computer goes to sleep");
    };
    events.elsewhere = [&](const Error &error) -> ReplyPlace {
        if (sleeps()) {
            undisturbed = false;
            sleepThrough(stop);
            return {m_opened.session.get(), &m_opened.model->tokenizer()};
        }
        m_options.recovery = m_engine.recover(*m_opened.model, error);
        if (!m_options.recovery)
            return {};
        undisturbed = false;
        if (moving)
            moving(error);
        move(error, stop);
        return {m_opened.session.get(), &m_opened.model->tokenizer()};
    };
    restore(*m_opened.session, request, stop);
    GenerateResult result =
        generate(*m_opened.session, m_opened.model->tokenizer(), request, events, stop);
    if (undisturbed) {
        m_engine.wentThrough(*m_opened.model);
        if (const std::optional<Speed> speed = speedOf(result))
            m_engine.noteReply(*m_opened.model, *speed);
    }
    learn(result.stats);
    return result;
}

bool MovableModel::usesCard() const
{
    if (!m_opened.model)
        return false;
    const auto &devices = m_opened.model->model().devices();
    return std::any_of(devices.begin(), devices.end(), [](const auto &device) {
        return device && device->report().kind != BackendKind::Cpu;
    });
}

bool MovableModel::sleeps() const
{
    return m_told.sleep != nullptr && m_told.sleep->asleep();
}

/// What cards hold may be lost while the computer sleeps, with or without a word from the driver.
void MovableModel::sleepThrough(const std::stop_token &stop)
{
    rest(false);
    if (m_told.paused)
        m_told.paused();
    m_told.sleep->wait(stop);
    if (stop.stop_requested())
        throwCancelled();
    bringBack(stop);
}

/// What cannot be taken over is computed: a device that fails now does so in the reply again.
void MovableModel::restore(Session &session, const GenerateRequest &request,
                           const std::stop_token &stop)
{
    if (m_cache == nullptr || request.drafts > 0) // heads for drafting have to see all tokens
        return;
    try {
        m_cache->restore(session, m_opened.model->cacheKey(), request.prompt, stop);
    } catch (const std::exception &) {
        session.truncate(0);
    }
}

void MovableModel::learn(const GenerateStats &stats)
{
    constexpr int kEnough = 32; // tokens, for a rate
    const int read = stats.promptTokens - stats.reusedTokens;
    if (read >= kEnough && stats.promptSeconds > 0)
        m_promptRate = read / stats.promptSeconds;
    else if (m_promptRate == 0 && stats.generatedTokens >= kEnough && stats.generateSeconds > 0)
        m_promptRate = stats.generatedTokens / stats.generateSeconds; // prompts are read faster
}

void MovableModel::keep(const std::stop_token &stop)
{
    Session *const session =
        m_scheduler ? m_scheduler->endedWith(m_lastPrompt) : m_opened.session.get();
    if (m_cache == nullptr || !m_opened.model || session == nullptr)
        return;
    try {
        m_cache->keep(*session, m_opened.model->cacheKey(), m_promptRate, stop);
    } catch (const std::exception &) {
    }
}

void MovableModel::move(const Error &error, const std::stop_token &stop)
{
    m_away = true;
    reopen(stop, std::string(error.what()) + "; the model could not be loaded again: ");
}

void MovableModel::bringBack(const std::stop_token &stop)
{
    reopen(stop, {});
}

/// before: what stands before the words of an error.
void MovableModel::reopen(const std::stop_token &stop, const std::string &before)
{
    if (!m_away)
        return;
    const auto started = std::chrono::steady_clock::now();
    drop();
    try {
        open({}, stop);
    } catch (const Error &error) {
        // A reply that was stopped meanwhile leaves it to the next one.
        if (error.kind() == ErrorKind::Cancelled)
            throw;
        const Error whole(error.kind(), before + error.what());
        m_away = m_moving = false;
        if (m_scheduler)
            m_scheduler->failAll(whole);
        if (m_told.lost)
            m_told.lost(error);
        throw whole;
    }
    m_away = false;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
    if (m_told.moved)
        m_told.moved(*m_opened.model, taken.count());
}

} // namespace fireside
