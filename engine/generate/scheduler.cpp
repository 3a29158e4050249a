#include "engine/generate/scheduler.h"

#include "engine/generate/reply_constraint.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

ScheduledRequest withoutDrafts(ScheduledRequest asked)
{
    asked.request.drafts = 0;
    return asked;
}

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
{}

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

bool Scheduler::step()
{
    bool did = false;
    try {
        if (m_trim.exchange(false))
            m_kept.clear();
        dropStopped();
        admit();
        did = drawTokens();
        did |= readPrompt();
    } catch (const std::bad_alloc &) {
        outOfMemory();
        did = true;
    }
    return did;
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
        if (one.asked.finished)
            one.asked.finished(
                {.finish = FinishReason::Stopped, .tokens = {}, .stats = {}, .stopString = {}});
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
        if (one.asked.finished)
            one.asked.finished(
                {.finish = FinishReason::Stopped, .tokens = {}, .stats = {}, .stopString = {}});
    for (std::size_t i = m_running.size(); i-- > 0;)
        if (m_running[i]->state.stopRequested())
            finish(*m_running[i], FinishReason::Stopped);
}

void Scheduler::admit()
{
    while (admitOne()) {
    }
}

/// One token for each reply whose prompt is read.
bool Scheduler::drawTokens()
{
    std::vector<Sequence *> ready;
    std::vector<std::pair<Sequence *, Error>> stuck;
    for (const auto &sequence : m_running) {
        if (sequence->left().size() != 1)
            continue;
        try {
            sequence->state.choose().prepare();
            ready.push_back(sequence.get());
        } catch (const Error &error) {
            stuck.emplace_back(sequence.get(), error);
        }
    }
    for (const auto &[sequence, error] : stuck)
        fail(*sequence, error);
    if (ready.empty())
        return !stuck.empty();
    count([&](SchedulerCounts &counts) {
        ++counts.passes;
        counts.passTokens += ready.size();
    });
    if (ready.size() == 1) {
        drawAlone(*ready.front());
        return true;
    }
    drawTogether(ready);
    return true;
}

void Scheduler::drawTogether(std::span<Sequence *const> ready)
{
    std::vector<TokenId> drawn;
    try {
        drawn = drawnTogether(ready);
    } catch (const Error &error) {
        if (error.kind() == ErrorKind::Device && movedAfter(error))
            return;
        for (Sequence *sequence : ready) {
            if (!runs(sequence) || sequence->left().size() > 1)
                continue; // since one before it, all are elsewhere
            Session &session = *sequence->session;
            if (error.kind() == ErrorKind::Cancelled)
                finish(*sequence, FinishReason::Stopped);
            else if (sequence->left().empty()) // its part of the pass went well: once more
                session.truncate(session.tokens().size() - 1);
            else // alone it shows whose fault it is; the others go on
                drawAlone(*sequence);
        }
        return;
    }
    for (std::size_t i = 0; i < ready.size(); ++i)
        take(*ready[i], drawn[i]);
}

std::vector<TokenId> Scheduler::drawnTogether(std::span<Sequence *const> ready)
{
    std::vector<Session *> sessions;
    std::vector<TokenId> ids, drawn;
    auto needs = Sampler::Needs::Best;
    std::size_t most = 1;
    const auto capacity = static_cast<std::size_t>(m_settings.context);
    const auto vocabulary = static_cast<std::size_t>(m_vocabulary);
    Session::Next next{ready.front()->sampler.ahead(), m_settings.context};
    for (Sequence *sequence : ready) {
        sessions.push_back(sequence->session.get());
        ids.push_back(sequence->left().front());
        const NextToken &choose = sequence->state.choose();
        needs = std::max(needs, sequence->needs);
        if (choose.isConstrained())
            needs = std::max(needs, Sampler::Needs::Candidates);
        most = std::max(most, choose.candidates(vocabulary));
        next.most = std::min(next.most, sequence->state.more(capacity));
    }
    const std::stop_token stop = m_end.get_token();
    if (needs == Sampler::Needs::Best) // passes ahead are of use where nothing comes between
        return appendBatchGreedy(sessions, ids, stop,
                                 ready.size() == m_running.size() ? &next : nullptr);
    if (needs == Sampler::Needs::Candidates) {
        const auto best = appendBatchTop(sessions, ids, most, stop);
        for (std::size_t i = 0; i < ready.size(); ++i)
            drawn.push_back(ready[i]->state.choose().from(std::span<const Candidate>(best[i]),
                                                          *sessions[i], stop));
        return drawn;
    }
    std::vector<std::vector<float>> rows;
    appendBatch(sessions, ids, rows, stop);
    for (std::size_t i = 0; i < ready.size(); ++i)
        drawn.push_back(drawFrom(*ready[i], rows[i]));
    return drawn;
}

/// Computes all that is left of a sequence, a token or the end of a prompt, and draws.
void Scheduler::drawAlone(Sequence &sequence)
{
    Session &session = *sequence.session;
    try {
        TokenId token = -1;
        if (sequence.asked.probabilities >= 0) {
            std::vector<float> logits(static_cast<std::size_t>(m_vocabulary));
            session.append(sequence.left(), logits, {}, sequence.asked.stop);
            token = drawFrom(sequence, logits);
        } else {
            // Passes ahead are of use only where nothing comes between.
            const auto more =
                m_running.size() > 1
                    ? 0
                    : sequence.state.more(static_cast<std::size_t>(m_settings.context));
            token = sequence.state.choose().after(session, sequence.left(), {}, sequence.asked.stop,
                                                  more);
        }
        take(sequence, token);
    } catch (const Error &error) {
        stuck(sequence, error);
    }
}

/// A chunk of the prompt whose turn it is; all of it where nobody waits for a token.
bool Scheduler::readPrompt()
{
    Sequence *next = nullptr;
    bool others = false;
    for (const auto &sequence : m_running) {
        if (sequence->left().size() == 1) {
            others = true;
            continue;
        }
        const auto rank = [](const Sequence &s) { return std::pair(!s.asked.first, s.turn); };
        if (next == nullptr || rank(*sequence) < rank(*next))
            next = sequence.get();
    }
    if (next == nullptr)
        return false;
    next->turn = ++m_turn;
    const auto most = static_cast<std::size_t>(
        others ? std::min<std::int64_t>(m_settings.promptChunk, m_model->maxRows())
               : m_model->maxRows());
    if (next->left().size() <= most) {
        const std::size_t tokens = next->state.tokens().size();
        if (!next->prompted)
            next->state.tellPrompt(tokens);
        drawAlone(*next);
        return true;
    }
    try {
        next->session->append(next->left().first(most), {}, {}, next->asked.stop);
        next->state.tellPrompt(next->session->tokens().size());
    } catch (const Error &error) {
        stuck(*next, error);
    }
    return true;
}

TokenId Scheduler::drawFrom(Sequence &sequence, std::span<float> logits)
{
    std::vector<float> own; // the sampler changes them
    if (sequence.asked.probabilities >= 0)
        own.assign(logits.begin(), logits.end());
    const TokenId token = sequence.state.choose().from(logits, sequence.session->tokens());
    if (!own.empty() && sequence.asked.onToken && !m_tokenizer->endsGeneration(token))
        sequence.asked.onToken(probabilitiesOf(own, token, sequence.asked.probabilities),
                               *m_tokenizer);
    return token;
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
    const GenerateResult result = gone->state.finish(reason, gone->session->tokens().size());
    if (reason != FinishReason::Stopped && m_owner.wentThrough)
        m_owner.wentThrough();
    m_kept.push_back({std::move(gone->session), ++m_turn});
    if (m_kept.size() > static_cast<std::size_t>(m_settings.sequences))
        m_kept.erase(std::min_element(m_kept.begin(), m_kept.end(),
                                      [](auto &a, auto &b) { return a.used < b.used; }));
    makeRoom(0, nullptr);
    count([&](SchedulerCounts &counts) {
        ++(reason == FinishReason::Stopped ? counts.stopped : counts.finished);
        counts.generatedTokens += static_cast<std::uint64_t>(result.stats.generatedTokens);
    });
    if (gone->asked.finished)
        gone->asked.finished(result);
}

void Scheduler::fail(Sequence &sequence, const Error &error)
{
    const std::unique_ptr<Sequence> gone = remove(sequence);
    count([&](SchedulerCounts &counts) { ++counts.failed; });
    if (gone->asked.failed)
        gone->asked.failed(error);
}

} // namespace fireside
