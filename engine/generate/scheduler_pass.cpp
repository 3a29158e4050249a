// What a pass computes, and what is drawn from it.
#include "engine/core/cpu_info.h"
#include "engine/core/exception_guard.h"
#include "engine/generate/scheduler.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace fireside {
namespace {

// Fewer take hardly less time anywhere; where any take too long, so many end it the sooner.
constexpr std::int64_t kFewestPromptRows = 32, kDearPromptRows = 64;
/// Seconds between two tokens of a reply that nobody minds, while prompts are read.
constexpr double kSmooth = 0.02;
/// With others one pass ahead keeps the device busy; who joins waits for all that run.
constexpr std::int64_t kMostAhead = 1;
constexpr std::size_t kDrawsAhead = 32; // passes

} // namespace

/// One pass: the next token of each reply whose prompt is read, and parts of prompts.
bool Scheduler::compute()
{
    const std::size_t before = m_running.size();
    std::vector<Part> parts = generating();
    if (parts.size() != m_ahead || m_model->passesAhead() == 0)
        m_ahead = 0;
    if (m_ahead == 0) // else what is computed already comes first
        addPrompts(parts);
    if (parts.empty())
        return m_running.size() != before;
    countPass(parts);
    if (parts.size() == 1)
        computeAlone(parts.front());
    else
        computeTogether(parts);
    return true;
}

void Scheduler::countPass(std::span<const Part> parts)
{
    const std::lock_guard lock(m_mutex);
    ++m_counts.passes;
    m_counts.sharedPasses += parts.size() > 1;
    for (const Part &part : parts) {
        m_counts.passRows += part.tokens;
        m_counts.passTokens += part.isLast();
    }
}

/// Whether a token can be drawn; else the reply has failed.
bool Scheduler::prepared(Sequence &sequence)
{
    try {
        faultPoint("scheduler.prepare");
        sequence.state.choose().prepare();
        return true;
    } catch (...) {
        fail(sequence, currentError());
        return false;
    }
}

std::vector<Scheduler::Part> Scheduler::generating()
{
    std::vector<Sequence *> ready;
    for (const auto &sequence : m_running)
        if (sequence->left().size() == 1)
            ready.push_back(sequence.get());
    std::vector<Part> parts;
    for (Sequence *sequence : ready)
        if (prepared(*sequence))
            parts.push_back({sequence, 1});
    return parts;
}

/// So many tokens of prompts may come beside replies: those that take the least time each, of
/// passes that take twice as long at most, or no longer than anybody minds.
std::size_t Scheduler::promptRows(std::size_t generating, std::size_t reading) const
{
    const std::int64_t most = m_model->maxRows();
    const auto others = static_cast<std::int64_t>(generating);
    if (generating == 0)
        return static_cast<std::size_t>(most);
    if (m_settings.promptChunk > 0)
        return static_cast<std::size_t>(std::min<std::int64_t>(m_settings.promptChunk, most));
    const double limit = std::max(2 * m_times.expected(others), kSmooth);
    const std::int64_t rows =
        m_times.rowsWithin(limit, others, others + static_cast<std::int64_t>(reading), most) -
        others;
    return static_cast<std::size_t>(
        std::min(rows > 0 ? std::max(rows, kFewestPromptRows) : kDearPromptRows, most));
}

/// Those of running replies first. Prompts that need no more than their share are read whole, and
/// what is left goes to the others in turn.
void Scheduler::addPrompts(std::vector<Part> &parts)
{
    std::vector<Sequence *> reading;
    for (const auto &sequence : m_running)
        if (sequence->left().size() > 1)
            reading.push_back(sequence.get());
    const auto rank = [](const Sequence *s) { return std::pair(!s->asked.first, s->turn); };
    std::stable_sort(reading.begin(), reading.end(),
                     [&](const auto *a, const auto *b) { return rank(a) < rank(b); });
    // All rows of a pass must fit, with those that generate.
    const auto most = static_cast<std::size_t>(m_model->maxRows());
    std::size_t room =
        std::min(promptRows(parts.size(), reading.size()), most - std::min(most, parts.size()));
    const std::size_t share = room / std::max<std::size_t>(reading.size(), 1);
    const auto add = [&](Sequence *sequence) {
        if (room == 0)
            return;
        const std::size_t tokens = sequence->session->promptPass(sequence->left().size(), room);
        if (tokens == sequence->left().size() && !prepared(*sequence))
            return;
        sequence->turn = ++m_turn;
        parts.push_back({sequence, tokens});
        room -= tokens;
    };
    const auto isShort = [share](const Sequence *one) { return one->left().size() <= share; };
    const auto longer = std::stable_partition(reading.begin(), reading.end(), isShort);
    std::for_each(reading.begin(), longer, add);
    std::for_each(longer, reading.end(), add);
}

/// A pass of so many rows that began then; when it ended.
Scheduler::Clock::time_point Scheduler::computed(std::size_t rows, Clock::time_point begun)
{
    const Clock::time_point now = Clock::now();
    m_times.add(static_cast<std::int64_t>(rows),
                std::chrono::duration<double>(now - begun).count());
    tally(&SchedulerCounts::passSeconds, begun);
    return now;
}

void Scheduler::computeAlone(const Part &part)
{
    Sequence &sequence = *part.sequence;
    const std::size_t read = sequence.session->tokens().size() + part.tokens;
    if (part.isLast()) {
        if (sequence.prompted || reportPrompt(sequence, read))
            drawAlone(sequence);
        return;
    }
    const Clock::time_point begun = Clock::now();
    try {
        faultPoint("scheduler.compute");
        sequence.session->append(sequence.left().first(part.tokens), {}, {}, sequence.asked.stop);
        computed(part.tokens, begun);
    } catch (...) {
        return stuck(sequence, currentError());
    }
    reportPrompt(sequence, read);
}

/// False: the reply has failed.
bool Scheduler::reportPrompt(Sequence &sequence, std::size_t read)
{
    try {
        faultPoint("scheduler.report");
        sequence.state.tellPrompt(read);
        return true;
    } catch (...) {
        fail(sequence, currentError());
        return false;
    }
}

void Scheduler::computeTogether(std::span<const Part> parts)
{
    std::vector<bool> last; // as they are before the pass
    for (const Part &part : parts)
        last.push_back(part.isLast());
    std::vector<Drawn> drawn;
    try {
        faultPoint("scheduler.together");
        drawn = drawnTogether(parts);
    } catch (...) {
        m_ahead = 0;
        eachAlone(parts, currentError());
        return;
    }
    const Clock::time_point begun = Clock::now();
    const std::size_t running = m_running.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Sequence &sequence = *parts[i].sequence;
        const bool goesOn =
            sequence.prompted || reportPrompt(sequence, sequence.session->tokens().size());
        if (goesOn && last[i])
            tell(sequence, drawn[i]);
    }
    if (m_running.size() != running)
        m_ahead = 0;
    tally(&SchedulerCounts::tellSeconds, begun);
}

/// After an error of a pass together: alone it shows whose fault it is, and the others go on.
void Scheduler::eachAlone(std::span<const Part> parts, const Error &error)
{
    if (error.kind() == ErrorKind::Device && movedAfter(error))
        return;
    std::vector<std::size_t> sizes; // tokens that are left
    for (const Part &part : parts)
        sizes.push_back(runs(part.sequence) ? part.sequence->left().size() : 0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Sequence *const sequence = parts[i].sequence;
        if (!runs(sequence) || sequence->left().size() > sizes[i])
            continue; // since one before it, all are elsewhere
        if (error.kind() == ErrorKind::Cancelled) {
            finish(*sequence, FinishReason::Stopped);
            continue;
        }
        try {
            // Its part of the pass went well, and the error came later: the end once more.
            if (Session &session = *sequence->session; sequence->left().empty())
                session.truncate(session.tokens().size() - 1);
        } catch (...) {
            fail(*sequence, currentError());
            continue;
        }
        computeAlone({sequence, std::min(parts[i].tokens, sequence->left().size())});
    }
}

/// What may run behind a pass in which every reply has one token, and the settings are the same.
const Session::Next *Scheduler::aheadOf(std::span<const Part> parts)
{
    const bool takes = std::exchange(m_ahead, 0) > 0; // others may have come
    if (parts.size() != m_running.size() && !takes)
        return nullptr;
    const auto capacity = static_cast<std::size_t>(m_settings.context);
    const NextToken &front = parts.front().sequence->state.choose();
    const std::optional<NextIds> settings = front.foreseen();
    m_next.choice = settings.value_or(NextIds{});
    m_next.most = parts.size() == m_running.size() ? kMostAhead : 0;
    for (const Part &part : parts) {
        const NextToken &choose = part.sequence->state.choose();
        const std::optional<NextIds> own = choose.foreseen();
        if (part.tokens > 1 || !settings || !own || own->temperature != settings->temperature ||
            own->minP != settings->minP || own->topP != settings->topP ||
            choose.candidates(1) != front.candidates(1))
            return nullptr;
        m_next.most = std::min(m_next.most, part.sequence->state.more(capacity));
    }
    if (m_next.most > 0)
        m_ahead = parts.size();
    if (settings->temperature <= 0)
        return &m_next;
    std::vector<float> numbers(kDrawsAhead);
    m_draws.resize(kDrawsAhead * parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].sequence->state.choose().upcoming(numbers);
        for (std::size_t pass = 0; pass < kDrawsAhead; ++pass)
            m_draws[pass * parts.size() + i] = numbers[pass];
    }
    m_next.choice.draws = m_draws;
    return &m_next;
}

std::vector<Scheduler::Drawn> Scheduler::drawnTogether(std::span<const Part> parts)
{
    std::vector<BatchPart> pass;
    auto needs = Sampler::Needs::Best;
    std::size_t most = 1, count = 0;
    const auto vocabulary = static_cast<std::size_t>(m_vocabulary);
    for (const Part &part : parts) {
        Sequence &sequence = *part.sequence;
        count += part.tokens;
        pass.push_back({sequence.session.get(), sequence.left().first(part.tokens), part.isLast()});
        if (!part.isLast())
            continue;
        const NextToken &choose = sequence.state.choose();
        needs = std::max(needs, sequence.needs);
        if (choose.isConstrained())
            needs = std::max(needs, Sampler::Needs::Candidates);
        most = std::max(most, choose.candidates(vocabulary));
    }
    const std::stop_token stop = m_end.get_token();
    std::vector<Drawn> drawn(parts.size());
    Clock::time_point begun = Clock::now();
    if (needs == Sampler::Needs::Logits) {
        std::vector<std::vector<float>> rows;
        appendBatch(pass, rows, stop);
        begun = computed(count, begun);
        drawn = drawnFrom(parts, rows);
    } else if (const Session::Next *const next = aheadOf(parts);
               needs == Sampler::Needs::Best) { // passes ahead: where nothing comes between
        const std::vector<TokenId> best = appendBatchGreedy(pass, stop, next);
        begun = computed(count, begun);
        for (std::size_t i = 0; i < parts.size(); ++i)
            drawn[i].token = best[i];
    } else {
        const auto best = appendBatchTop(pass, most, stop, next);
        begun = computed(count, begun);
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (pass[i].wanted)
                drawn[i].token = parts[i].sequence->state.choose().from(
                    std::span<const Candidate>(best[i]), *pass[i].session, stop);
    }
    tally(&SchedulerCounts::drawSeconds, begun);
    return drawn;
}

/// From whole rows of logits, which take long to go through, on all cores.
std::vector<Scheduler::Drawn> Scheduler::drawnFrom(std::span<const Part> parts,
                                                   std::vector<std::vector<float>> &logits)
{
    if (!m_drawers)
        m_drawers = std::make_unique<ThreadPool>(std::clamp(cpuInfo().threads, 1, 8));
    std::vector<Drawn> drawn(parts.size());
    std::vector<std::exception_ptr> errors(parts.size());
    m_drawers->parallelFor(static_cast<std::ptrdiff_t>(parts.size()), 1,
                           [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                               for (auto i = static_cast<std::size_t>(begin);
                                    i < static_cast<std::size_t>(end); ++i) {
                                   if (logits[i].empty())
                                       continue;
                                   try {
                                       drawn[i] = drawFrom(*parts[i].sequence, logits[i]);
                                   } catch (...) {
                                       errors[i] = std::current_exception();
                                   }
                               }
                           });
    for (const std::exception_ptr &error : errors)
        if (error)
            std::rethrow_exception(error);
    return drawn;
}

Scheduler::Drawn Scheduler::drawFrom(Sequence &sequence, std::span<float> logits)
{
    const bool asked = sequence.asked.probabilities >= 0 && sequence.asked.onToken;
    std::vector<float> own; // the sampler changes them
    if (asked)
        own.assign(logits.begin(), logits.end());
    Drawn drawn{sequence.state.choose().from(logits, sequence.session->tokens())};
    if (asked && !m_tokenizer->endsGeneration(drawn.token))
        drawn.likely = probabilitiesOf(own, drawn.token, sequence.asked.probabilities);
    return drawn;
}

/// Computes all that is left of a sequence, a token or the end of a prompt, and draws.
void Scheduler::drawAlone(Sequence &sequence)
{
    Session &session = *sequence.session;
    const std::size_t rows = sequence.left().size();
    Clock::time_point begun = Clock::now();
    Drawn drawn;
    try {
        faultPoint("scheduler.draw");
        if (sequence.asked.probabilities >= 0) {
            std::vector<float> logits(static_cast<std::size_t>(m_vocabulary));
            session.append(sequence.left(), logits, {}, sequence.asked.stop);
            drawn = drawFrom(sequence, logits);
        } else {
            // Passes ahead are of use only where nothing comes between.
            const auto more =
                m_running.size() > 1
                    ? 0
                    : sequence.state.more(static_cast<std::size_t>(m_settings.context));
            drawn.token = sequence.state.choose().after(session, sequence.left(), {},
                                                        sequence.asked.stop, more);
        }
        begun = computed(rows, begun);
    } catch (...) {
        return stuck(sequence, currentError());
    }
    tell(sequence, drawn);
    tally(&SchedulerCounts::tellSeconds, begun);
}

/// Hands a token to its client; an error there ends this reply.
void Scheduler::tell(Sequence &sequence, const Drawn &drawn)
{
    try {
        faultPoint("scheduler.tell");
        if (drawn.likely)
            sequence.asked.onToken(*drawn.likely, *m_tokenizer);
        take(sequence, drawn.token); // finish() comes last, and does not throw
    } catch (...) {
        fail(sequence, currentError());
    }
}

} // namespace fireside
