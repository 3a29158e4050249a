#include "engine/generate/scheduler.h"

#include "engine/core/exception_guard.h"
#include "engine/generate/reply_constraint.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace fireside {
namespace {

ScheduledRequest withoutDrafts(ScheduledRequest asked)
{
    asked.request.drafts = 0;
    return asked;
}

/// Of a request that was stopped before it began.
const GenerateResult kStoppedBefore{
    .finish = FinishReason::Stopped, .tokens = {}, .stats = {}, .stopString = {}};

} // namespace

QueueFull::QueueFull(int waiting)
    : Error(ErrorKind::BadInput,
            std::to_string(waiting) + " requests are waiting already; try again later")
{}

Scheduler::Sequence::Sequence(ScheduledRequest request, const Tokenizer &tokenizer)
    : asked(withoutDrafts(std::move(request)))
    , sampler(asked.request.sampler)
    , needs(asked.probabilities >= 0 ? Sampler::Needs::Logits : sampler.needs())
    , state(asked.request, asked.events, tokenizer, asked.stop)
{}

std::span<const TokenId> Scheduler::Sequence::left() const
{
    return state.tokens().subspan(session->tokens().size());
}

Scheduler::Scheduler(const Model &model, const Tokenizer &tokenizer, SchedulerSettings settings,
                     SchedulerOwner owner)
    : m_model(&model)
    , m_tokenizer(&tokenizer)
    , m_vocabulary(model.config().vocabulary)
    , m_words(tokenizer.size())
    , m_settings(settings)
    , m_owner(std::move(owner))
{
    m_next.goesOn = [this] { return !hasNew(); };
    prepare();
}

/// A device that fails now does so again in a pass, which is taken elsewhere; what is not ready
/// then is made on the way.
void Scheduler::prepare()
{
    try {
        m_model->prepareChats(m_settings.sequences);
    } catch (...) {
    }
}

Scheduler::~Scheduler()
{
    endAll();
}

std::uint64_t Scheduler::bytesFor(const GenerateRequest &request) const
{
    const auto context = static_cast<std::uint64_t>(m_settings.context);
    std::uint64_t tokens = context;
    if (request.maxTokens > 0)
        tokens = std::min<std::uint64_t>(
            context, request.prompt.size() + static_cast<std::uint64_t>(request.maxTokens));
    return (m_settings.contextBytes * tokens + context - 1) / context;
}

void Scheduler::check(std::span<const TokenId> prompt) const
{
    if (prompt.empty())
        throwBadInput("the prompt is empty");
    if (prompt.size() >= static_cast<std::size_t>(m_settings.context))
        throwBadInput("the prompt has " + std::to_string(prompt.size()) + " tokens, the context " +
                      std::to_string(m_settings.context));
    for (const TokenId id : prompt)
        if (id < 0 || id >= m_vocabulary)
            throwBadInput("token " + std::to_string(id) + " is outside the vocabulary of " +
                          std::to_string(m_vocabulary));
}

void Scheduler::submit(ScheduledRequest asked)
{
    check(asked.request.prompt);
    const Sampler checked(asked.request.sampler);
    ReplyConstraint::check(asked.request, m_words);
    ReplyConstraint::checkStart(asked.request);
    const std::uint64_t bytes = bytesFor(asked.request);
    if (!asked.first && m_settings.cacheBytes > 0 && bytes > m_settings.cacheBytes)
        throw Error(ErrorKind::Memory,
                    "the context memory of this request may take " + formatBytes(bytes) + ", of " +
                        formatBytes(m_settings.cacheBytes) + " in all: ask for fewer tokens");
    {
        const std::lock_guard lock(m_mutex);
        if (!asked.first && m_waiting.size() >= static_cast<std::size_t>(m_settings.waiting)) {
            ++m_counts.refused;
            throw QueueFull(m_settings.waiting);
        }
        m_waiting.push_back({std::move(asked), m_arrived++});
        m_counts.waiting = static_cast<int>(m_waiting.size());
    }
    m_changed.notify_all();
    if (m_owner.asked)
        m_owner.asked();
}

SchedulerCounts Scheduler::counts() const
{
    const std::lock_guard lock(m_mutex);
    return m_counts;
}

void Scheduler::count(const std::function<void(SchedulerCounts &)> &change)
{
    const std::lock_guard lock(m_mutex);
    change(m_counts);
    m_counts.running = static_cast<int>(m_running.size());
    m_counts.waiting = static_cast<int>(m_waiting.size());
    m_counts.kept = static_cast<int>(m_kept.size());
    m_counts.cacheBytes = 0;
    for (const auto &sequence : m_running)
        m_counts.cacheBytes += sequence->session ? sequence->session->kvBytes() : 0;
    for (const Kept &kept : m_kept)
        m_counts.cacheBytes += kept.session->kvBytes();
}

void Scheduler::tally(double SchedulerCounts::*seconds, Clock::time_point begun)
{
    const std::chrono::duration<double> taken = Clock::now() - begun;
    const std::lock_guard lock(m_mutex);
    m_counts.*seconds += taken.count();
}

bool Scheduler::step()
{
    try {
        faultPoint("scheduler.step");
        if (m_trim.exchange(false))
            m_kept.clear();
        dropStopped();
        if (!ready())
            return busy();
        admit();
        return compute();
    } catch (const std::bad_alloc &) {
        outOfMemory();
        return true;
    } catch (...) {
        failAll(currentError());
        return busy();
    }
}

void Scheduler::run(const std::stop_token &stop)
{
    const std::stop_callback end(stop, [this] { m_end.request_stop(); });
    while (!stop.stop_requested()) {
        if (step())
            continue;
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, stop, [this] { return !m_waiting.empty(); });
    }
    endAll();
}

void Scheduler::endAll()
{
    while (!m_running.empty())
        finish(*m_running.back(), FinishReason::Stopped);
    std::vector<Waiting> waiting;
    {
        const std::lock_guard lock(m_mutex);
        waiting.swap(m_waiting);
        m_counts.waiting = 0;
    }
    for (const Waiting &one : waiting)
        finished(one.asked, kStoppedBefore);
}

/// Requests that are stopped before they began, and running ones between their tokens.
void Scheduler::dropStopped()
{
    std::vector<Waiting> stopped;
    {
        const std::lock_guard lock(m_mutex);
        for (auto it = m_waiting.begin(); it != m_waiting.end();) {
            if (it->asked.stop.stop_requested()) {
                stopped.push_back(std::move(*it));
                it = m_waiting.erase(it);
                ++m_counts.stopped;
            } else {
                ++it;
            }
        }
        m_counts.waiting = static_cast<int>(m_waiting.size());
    }
    for (const Waiting &one : stopped)
        finished(one.asked, kStoppedBefore);
    for (std::size_t i = m_running.size(); i-- > 0;)
        if (m_running[i]->state.stopRequested())
            finish(*m_running[i], FinishReason::Stopped);
}

void Scheduler::admit()
{
    const Clock::time_point begun = Clock::now();
    {
        const std::lock_guard lock(m_mutex);
        m_looked = m_arrived;
    }
    bool any = false;
    while (admitOne())
        any = true;
    if (any)
        tally(&SchedulerCounts::beginSeconds, begun);
}

/// Whether requests came since admit().
bool Scheduler::hasNew() const
{
    const std::lock_guard lock(m_mutex);
    return m_arrived != m_looked;
}

void Scheduler::take(Sequence &sequence, TokenId token)
{
    if (!std::exchange(sequence.prompted, true)) {
        sequence.state.promptDone();
        count([&](SchedulerCounts &counts) {
            counts.promptTokens += sequence.asked.request.prompt.size();
        });
    }
    std::vector<TokenId> ids;
    const auto reason =
        sequence.state.take(token, *m_tokenizer, static_cast<std::size_t>(m_settings.context), ids);
    if (reason)
        finish(sequence, *reason);
}

std::unique_ptr<Scheduler::Sequence> Scheduler::remove(Sequence &sequence)
{
    const auto it = std::find_if(m_running.begin(), m_running.end(),
                                 [&](const auto &one) { return one.get() == &sequence; });
    std::unique_ptr<Sequence> gone = std::move(*it);
    m_running.erase(it);
    return gone;
}

void Scheduler::finish(Sequence &sequence, FinishReason reason)
{
    const std::unique_ptr<Sequence> gone = remove(sequence);
    GenerateResult result;
    try {
        faultPoint("scheduler.finish");
        Session *const session = gone->session.get(); // none between release() and resume()
        result = gone->state.finish(reason, session != nullptr ? session->tokens().size() : 0);
        if (reason != FinishReason::Stopped && m_owner.wentThrough)
            m_owner.wentThrough();
        if (session != nullptr)
            m_kept.push_back({std::move(gone->session), ++m_turn, gone->asked.realm});
        if (m_kept.size() > static_cast<std::size_t>(m_settings.sequences))
            m_kept.erase(std::min_element(m_kept.begin(), m_kept.end(),
                                          [](auto &a, auto &b) { return a.used < b.used; }));
        if (m_model != nullptr)
            makeRoom(0, nullptr);
    } catch (...) {
        return failed(gone->asked, currentError());
    }
    count([&](SchedulerCounts &counts) {
        ++(reason == FinishReason::Stopped ? counts.stopped : counts.finished);
        counts.generatedTokens += static_cast<std::uint64_t>(result.stats.generatedTokens);
    });
    finished(gone->asked, result);
}

void Scheduler::fail(Sequence &sequence, const Error &error)
{
    const std::unique_ptr<Sequence> gone = remove(sequence);
    failed(gone->asked, error);
}

void Scheduler::failed(const ScheduledRequest &asked, const Error &error)
{
    count([](SchedulerCounts &counts) { ++counts.failed; });
    if (asked.failed)
        containExceptions("scheduler.failed", [&] { asked.failed(error); });
}

void Scheduler::finished(const ScheduledRequest &asked, const GenerateResult &result)
{
    if (asked.finished)
        containExceptions("scheduler.finished", [&] { asked.finished(result); });
}

} // namespace fireside
