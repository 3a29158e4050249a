// Which request begins next, and what its session begins with.
#include "engine/core/exception_guard.h"
#include "engine/generate/scheduler.h"

#include <algorithm>

namespace fireside {
namespace {

// Tokens: fewer are sooner computed than copied. Where copies are asked of a device, they cost as
// much as it computes of many tokens beside others.
constexpr std::size_t kWorthSharing = 16, kWorthSharingElsewhere = 64;
constexpr std::size_t kWorthWaiting = 32;  // tokens that another prompt is just being read to
constexpr std::size_t kMostClients = 1000; // whose turns are remembered

std::size_t sharedBy(std::span<const TokenId> a, std::span<const TokenId> b)
{
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                    a.begin());
}

} // namespace

/// The next request in turn that can begin now, if there is one.
bool Scheduler::admitOne()
{
    std::unique_lock lock(m_mutex);
    const auto served = [this](const Waiting &one) {
        const auto it = m_served.find(one.asked.client);
        return it == m_served.end() ? 0 : it->second;
    };
    std::vector<std::size_t> order(m_waiting.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        const Waiting &a = m_waiting[x], &b = m_waiting[y];
        if (a.asked.first != b.asked.first)
            return a.asked.first;
        if (served(a) != served(b))
            return served(a) < served(b);
        return a.number < b.number;
    });
    for (const std::size_t i : order) {
        if (!mayBegin(m_waiting[i].asked))
            return false;
        const GenerateRequest &request = m_waiting[i].asked.request;
        const Source source = sourceFor(request.prompt, m_waiting[i].asked.realm);
        if (comesSoon(m_waiting[i].asked, source))
            continue;
        const std::uint64_t bytes = bytesFor(request);
        if (!makeRoom(bytes, source.session) && !m_waiting[i].asked.first)
            return false; // whoever is next waits for it, so that large requests come to their turn
        ScheduledRequest asked = std::move(m_waiting[i].asked);
        m_waiting.erase(m_waiting.begin() + static_cast<std::ptrdiff_t>(i));
        ++m_counts.running;
        lock.unlock();
        begin(std::move(asked), source, bytes);
        return true;
    }
    return false;
}

bool Scheduler::mayBegin(const ScheduledRequest &asked) const
{
    const auto isOther = [](const auto &one) { return !one->asked.first; };
    return asked.first || std::count_if(m_running.begin(), m_running.end(), isOther) <
                              static_cast<std::ptrdiff_t>(m_settings.sequences);
}

Scheduler::Source Scheduler::sourceFor(std::span<const TokenId> prompt,
                                       const std::string &realm) const
{
    Source best;
    const auto look = [&](Session &session) {
        const std::size_t shared =
            session.reusable(std::min(sharedBy(prompt, session.tokens()), prompt.size() - 1));
        if (shared > best.shared)
            best = {shared, &session};
    };
    for (const Kept &kept : m_kept)
        if (kept.realm == realm)
            look(*kept.session);
    for (const auto &sequence : m_running)
        if (sequence->asked.realm == realm)
            look(*sequence->session);
    return best.shared >= worthSharing() ? best : Source{};
}

std::size_t Scheduler::worthSharing() const
{
    return m_model->layerDevice(0).report().kind == BackendKind::Cpu ? kWorthSharing
                                                                     : kWorthSharingElsewhere;
}

/// Whether a prompt that is just being read will save much more of this one.
bool Scheduler::comesSoon(const ScheduledRequest &asked, const Source &best) const
{
    const std::span<const TokenId> prompt = asked.request.prompt;
    return std::any_of(m_running.begin(), m_running.end(), [&](const auto &sequence) {
        const std::size_t coming =
            sequence->prompted || sequence->asked.realm != asked.realm
                ? 0
                : std::min(sharedBy(prompt, sequence->asked.request.prompt), prompt.size() - 1);
        return coming >= best.shared + kWorthWaiting;
    });
}

/// What running sequences may take and kept sessions do.
std::uint64_t Scheduler::cacheInUse(const Session *but) const
{
    std::uint64_t sum = 0;
    for (const auto &sequence : m_running)
        if (!sequence->asked.first)
            sum += std::max<std::uint64_t>(sequence->bytes, sequence->session->kvBytes());
    for (const Kept &kept : m_kept)
        sum += kept.session.get() == but ? 0 : kept.session->kvBytes();
    return sum;
}

/// Kept sessions go, the one used longest ago first, until so many bytes more are within the limit.
bool Scheduler::makeRoom(std::uint64_t bytes, const Session *spared)
{
    while (m_settings.cacheBytes > 0 && cacheInUse(spared) + bytes > m_settings.cacheBytes) {
        auto oldest = m_kept.end();
        for (auto it = m_kept.begin(); it != m_kept.end(); ++it)
            if (it->session.get() != spared && (oldest == m_kept.end() || it->used < oldest->used))
                oldest = it;
        if (oldest == m_kept.end())
            return false;
        m_kept.erase(oldest);
    }
    return true;
}

/// A kept session goes on itself where little else is in it, or there is no room for a copy.
std::unique_ptr<Session> Scheduler::sessionFrom(const Source &source, std::uint64_t bytes)
{
    if (source.session == nullptr)
        return emptySession(bytes, nullptr);
    const auto kept = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept &one) {
        return one.session.get() == source.session;
    });
    const std::size_t rest = source.session->tokens().size() - source.shared;
    const bool room =
        m_settings.cacheBytes == 0 || cacheInUse(nullptr) + bytes <= m_settings.cacheBytes;
    if (kept != m_kept.end() && (rest <= source.shared || !room)) {
        std::unique_ptr<Session> session = std::move(kept->session);
        m_kept.erase(kept);
        return session;
    }
    if (kept != m_kept.end())
        kept->used = ++m_turn;
    m_model->settle();
    std::unique_ptr<Session> session = emptySession(bytes, source.session);
    session->become(*source.session, source.shared);
    return session;
}

/// Where nearly as many are kept as can be, the oldest one would go soon: its memory is there
/// already, and to take new memory for each layer takes a device longer than a pass.
std::unique_ptr<Session> Scheduler::emptySession(std::uint64_t bytes, const Session *spared)
{
    const auto context = static_cast<std::uint64_t>(m_settings.context);
    const std::uint64_t least =
        m_settings.contextBytes * std::min<std::uint64_t>(context, KvCache::kFirstTokens) / context;
    const auto suits = [&](const Kept &one) {
        return one.session.get() != spared && one.session->kvBytes() <= 2 * std::max(bytes, least);
    };
    auto oldest = m_kept.end();
    if (4 * m_kept.size() >= 3 * static_cast<std::size_t>(m_settings.sequences))
        for (auto it = m_kept.begin(); it != m_kept.end(); ++it)
            if (suits(*it) && (oldest == m_kept.end() || it->used < oldest->used))
                oldest = it;
    if (oldest == m_kept.end())
        return std::make_unique<Session>(*m_model, m_settings.context, m_settings.kvType);
    std::unique_ptr<Session> session = std::move(oldest->session);
    m_kept.erase(oldest);
    session->truncate(0);
    return session;
}

void Scheduler::begin(ScheduledRequest asked, Source source, std::uint64_t bytes)
{
    ScheduledRequest recipient; // once `asked` is moved
    recipient.failed = asked.failed;
    std::unique_ptr<Sequence> sequence;
    for (;;) {
        try {
            faultPoint("scheduler.begin");
            if (!sequence) {
                countTurn(asked.client);
                sequence = std::make_unique<Sequence>(std::move(asked), *m_tokenizer);
            }
            sequence->session = sessionFrom(source, bytes);
            if (sequence->asked.opened)
                sequence->asked.opened(*sequence->session);
            const GenerateRequest &request = sequence->asked.request;
            const std::size_t reused =
                reusePrefix(*sequence->session, request.prompt, false, request.reuse);
            sequence->state.started(reused);
            sequence->bytes = bytes;
            m_running.push_back(std::move(sequence));
            return count([&](SchedulerCounts &counts) { counts.reusedTokens += reused; });
        } catch (...) {
            const Error error = currentError();
            source = {};
            if (sequence) {
                sequence->session.reset(); // the model may go
                if (helped(error))
                    continue;
            }
            return failed(recipient, error);
        }
    }
}

/// A client's turn was now.
void Scheduler::countTurn(const std::string &client)
{
    if (m_served.size() >= kMostClients)
        m_served.erase(std::min_element(m_served.begin(), m_served.end(),
                                        [](auto &a, auto &b) { return a.second < b.second; }));
    m_served[client] = ++m_turn;
}

} // namespace fireside
