#include "engine/generate/token_penalties.h"

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

/// Changes of the same token become one; the result is in rising order.
template <typename Changes, typename Join>
void joinSame(Changes &changes, Join join)
{
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto &a, const auto &b) { return a.id < b.id; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < changes.size(); ++i) {
        if (changes[i].id == changes[last].id)
            join(changes[last], changes[i]);
        else
            changes[++last] = changes[i];
    }
    changes.resize(std::min(changes.size(), last + 1));
}

} // namespace

TokenPenalties::TokenPenalties(const SamplerSettings &settings)
    : m_settings(settings)
    , m_counts((settings.repeatPenalty != 1.0f || settings.frequencyPenalty != 0 ||
                settings.presencePenalty != 0) &&
               settings.repeatWindow > 0)
    , m_dry(settings.dryMultiplier > 0)
{
    for (const auto &[id, bias] : settings.logitBias)
        m_bias.push_back({.id = id, .bias = bias});
    joinSame(m_bias, [](Change &a, const Change &b) { a.bias += b.bias; });
}

std::optional<int> TokenPenalties::lowered() const
{
    const SamplerSettings &s = m_settings;
    if (m_dry ||
        (m_counts && (s.repeatPenalty < 1 || s.frequencyPenalty < 0 || s.presencePenalty < 0)))
        return std::nullopt;
    if (std::any_of(m_bias.begin(), m_bias.end(), [](const Change &c) { return c.bias > 0; }))
        return std::nullopt;
    constexpr int kMany = 1 << 20;
    return std::min(m_counts ? s.repeatWindow : 0, kMany) +
           static_cast<int>(std::min<std::size_t>(m_bias.size(), kMany));
}

void TokenPenalties::learn(std::span<const TokenId> ids, const Tokenizer &tokenizer)
{
    if (!m_dry)
        return;
    for (const TokenId id : ids) {
        if (id < 0)
            continue;
        const auto at = static_cast<std::size_t>(id);
        if (at >= m_known.size()) {
            m_known.resize(at + 1);
            m_breaks.resize(at + 1);
        }
        if (m_known[at])
            continue;
        m_known[at] = true;
        const std::string text = tokenizer.bytes(id);
        m_breaks[at] =
            tokenizer.isControl(id) ||
            std::any_of(m_settings.dryBreakers.begin(), m_settings.dryBreakers.end(),
                        [&](const std::string &breaker) {
                            return !breaker.empty() && text.find(breaker) != std::string::npos;
                        });
    }
}

void TokenPenalties::find(std::span<const TokenId> recent)
{
    m_changes = m_bias;
    if (m_counts) {
        const auto window =
            std::min(recent.size(), static_cast<std::size_t>(m_settings.repeatWindow));
        for (const TokenId id : recent.last(window))
            m_changes.push_back({.id = id, .count = 1});
    }
    if (m_dry) {
        const auto window = m_settings.dryWindow > 0
                                ? static_cast<std::size_t>(m_settings.dryWindow)
                                : recent.size();
        const auto breaks = [this](TokenId id) {
            const auto at = static_cast<std::size_t>(id);
            return id >= 0 && at < m_breaks.size() && m_breaks[at];
        };
        constexpr double kMost = 1e6; // enough for any logit, and finite
        const auto allowed = static_cast<std::size_t>(m_settings.dryAllowedLength);
        for (const auto &[id, length] :
             m_repeated.find(recent.last(std::min(recent.size(), window)), breaks)) {
            if (length < allowed)
                continue;
            const double less = static_cast<double>(m_settings.dryMultiplier) *
                                std::pow(static_cast<double>(m_settings.dryBase),
                                         static_cast<double>(length - allowed));
            m_changes.push_back({.id = id, .less = static_cast<float>(std::min(less, kMost))});
        }
    }
    joinSame(m_changes, [](Change &a, const Change &b) {
        a.bias += b.bias;
        a.count += b.count;
        a.less += b.less;
    });
}

float TokenPenalties::applied(const Change &change, float logit) const
{
    logit += change.bias;
    if (change.count > 0) {
        logit = logit > 0 ? logit / m_settings.repeatPenalty : logit * m_settings.repeatPenalty;
        logit -= static_cast<float>(change.count) * m_settings.frequencyPenalty +
                 m_settings.presencePenalty;
    }
    return logit - change.less;
}

float TokenPenalties::applied(TokenId id, float logit) const
{
    const auto at = std::lower_bound(m_changes.begin(), m_changes.end(), id,
                                     [](const Change &c, TokenId other) { return c.id < other; });
    return at != m_changes.end() && at->id == id ? applied(*at, logit) : logit;
}

void TokenPenalties::apply(std::span<float> logits) const
{
    for (const Change &change : m_changes)
        if (change.id >= 0 && static_cast<std::size_t>(change.id) < logits.size()) {
            float &logit = logits[static_cast<std::size_t>(change.id)];
            logit = applied(change, logit);
        }
}

} // namespace fireside
