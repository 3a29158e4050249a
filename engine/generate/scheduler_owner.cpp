// What the owner of a scheduler's model does with it: another device, other sessions.
#include "engine/core/exception_guard.h"
#include "engine/generate/scheduler.h"

#include <algorithm>

namespace fireside {

bool Scheduler::busy() const
{
    const std::lock_guard lock(m_mutex);
    return !m_waiting.empty() || m_counts.running > 0;
}

/// Whether what is asked for can be computed now.
bool Scheduler::ready()
{
    if (!busy())
        return m_model != nullptr;
    try {
        return (!m_owner.ready || m_owner.ready()) && m_model != nullptr;
    } catch (...) {
        failAll(currentError());
        return false;
    }
}

void Scheduler::release()
{
    m_kept.clear();
    m_times.forget();
    m_ahead = 0;
    for (const auto &sequence : m_running)
        sequence->session.reset();
    m_model = nullptr;
    m_tokenizer = nullptr;
}

void Scheduler::resume(const Model &model, const Tokenizer &tokenizer, int context, DType kvType)
{
    m_model = &model;
    m_tokenizer = &tokenizer;
    m_settings.context = context;
    m_settings.kvType = kvType;
    prepare();
    std::vector<std::pair<Sequence *, Error>> lost;
    for (const auto &sequence : m_running) {
        try {
            if (sequence->state.tokens().size() > static_cast<std::size_t>(context))
                throwBadInput("the model has a context of " + std::to_string(context) +
                              " tokens now, too few for this reply");
            sequence->session =
                std::make_unique<Session>(model, m_settings.context, m_settings.kvType);
            sequence->state.choose().moved(*sequence->session);
        } catch (...) {
            lost.emplace_back(sequence.get(), currentError());
        }
    }
    for (const auto &[sequence, error] : lost)
        fail(*sequence, error);
}

void Scheduler::trim()
{
    m_trim = true;
    if (m_owner.asked)
        m_owner.asked();
}

void Scheduler::adopt(std::unique_ptr<Session> session)
{
    m_kept.push_back({std::move(session), ++m_turn, {}});
}

std::unique_ptr<Session> Scheduler::giveBack()
{
    auto latest = m_kept.end();
    for (auto it = m_kept.begin(); it != m_kept.end(); ++it)
        if (it->realm.empty() && (latest == m_kept.end() || it->used > latest->used))
            latest = it;
    if (latest == m_kept.end())
        return nullptr;
    std::unique_ptr<Session> session = std::move(latest->session);
    m_kept.erase(latest);
    return session;
}

Session *Scheduler::endedWith(std::span<const TokenId> tokens)
{
    for (const Kept &kept : m_kept) {
        const auto there = kept.session->tokens();
        if (kept.realm.empty() && there.size() >= tokens.size() &&
            std::equal(tokens.begin(), tokens.end(), there.begin()))
            return kept.session.get();
    }
    return nullptr;
}

std::vector<float> Scheduler::logitsAfter(std::span<const TokenId> prompt,
                                          const std::stop_token &stop)
{
    check(prompt);
    const std::size_t before = m_kept.size();
    std::unique_ptr<Session> session = sessionFrom(sourceFor(prompt, {}), 0);
    const std::size_t known = reusePrefix(*session, prompt, false);
    std::vector<float> logits(static_cast<std::size_t>(m_vocabulary));
    session->append(prompt.subspan(known), logits, {}, stop);
    if (m_kept.size() < before) // it is the chat's own
        adopt(std::move(session));
    return logits;
}

bool Scheduler::runs(const Sequence *sequence) const
{
    return std::any_of(m_running.begin(), m_running.end(),
                       [&](const auto &one) { return one.get() == sequence; });
}

/// Whether that is settled: replies go on elsewhere, or all have failed.
bool Scheduler::movedAfter(const Error &error)
{
    try {
        return m_owner.elsewhere && m_owner.elsewhere(error);
    } catch (...) {
        failAll(currentError());
        return true;
    }
}

/// Whether what a reply lacked to begin may be there now: memory of ended ones, another device.
bool Scheduler::helped(const Error &error)
{
    if (error.kind() == ErrorKind::Memory && !m_kept.empty()) {
        m_kept.clear();
        return true;
    }
    const bool devices = error.kind() == ErrorKind::Memory || error.kind() == ErrorKind::Device;
    return devices && movedAfter(error) && m_model != nullptr;
}

/// A reply that cannot be computed where it is: memory of ended ones may help, or another device.
void Scheduler::stuck(Sequence &sequence, const Error &error)
{
    if (error.kind() == ErrorKind::Cancelled)
        return finish(sequence, FinishReason::Stopped);
    if (error.kind() == ErrorKind::Memory && !m_kept.empty()) {
        m_kept.clear();
        return; // the next step tries once more
    }
    const bool devices = error.kind() == ErrorKind::Memory || error.kind() == ErrorKind::Device;
    if (!devices || !movedAfter(error))
        fail(sequence, error);
}

void Scheduler::failAll(const Error &error)
{
    m_ahead = 0;
    std::vector<Waiting> waiting;
    {
        const std::lock_guard lock(m_mutex);
        waiting.swap(m_waiting);
    }
    while (!m_running.empty())
        fail(*m_running.back(), error);
    for (const Waiting &one : waiting)
        failed(one.asked, error);
    count([](SchedulerCounts &) {});
}

/// The program's own memory ran out: what is kept goes, and what runs cannot be trusted.
void Scheduler::outOfMemory()
{
    m_kept.clear();
    const Error error(ErrorKind::Memory, "there is not enough memory for this reply");
    while (!m_running.empty())
        fail(*m_running.back(), error);
}

} // namespace fireside
