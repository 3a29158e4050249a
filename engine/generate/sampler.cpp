#include "engine/generate/sampler.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace fireside {
namespace {

void requireRange(const char *what, double value, double low, double high)
{
    if (!(value >= low && value <= high))
        throwBadInput(std::string(what) + " is " + std::to_string(value) + ", expected " +
                      std::to_string(low) + " to " + std::to_string(high));
}

/// 53 random bits as [0, 1): std::uniform_real_distribution differs between standard libraries.
double unit(std::mt19937_64 &random)
{
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

} // namespace

Sampler::Sampler(const SamplerSettings &settings)
    : m_settings(settings)
    , m_random(settings.seed)
{
    requireRange("temperature", settings.temperature, 0, 100);
    requireRange("top-k", settings.topK, 0, 1 << 30);
    requireRange("top-p", settings.topP, 0, 1);
    requireRange("min-p", settings.minP, 0, 1);
    requireRange("repetition penalty", settings.repeatPenalty, 0.01, 100);
    requireRange("repetition window", settings.repeatWindow, 0, 1 << 30);
}

TokenId Sampler::sample(std::span<float> logits, std::span<const TokenId> recent)
{
    penalise(logits, recent);
    m_scan.read(logits);
    const Candidate top = m_scan.top();
    if (m_settings.temperature <= 0)
        return top.id;
    const double number = unit(m_random);
    const auto k = static_cast<std::size_t>(m_settings.topK);
    if (k > 0 && k < logits.size()) {
        m_scan.best(k, m_candidates);
        dropUnlikely(top.logit);
    } else if (m_settings.minP > 0) {
        m_scan.atLeast(floorOf(top.logit), m_candidates);
    } else {
        const auto id = drawFromBest(number);
        return id ? *id : drawFromAll(logits, number);
    }
    std::sort(m_candidates.begin(), m_candidates.end(), isBetter);
    return draw(top.logit, number);
}

bool Sampler::penalises() const
{
    return m_settings.repeatPenalty != 1.0f && m_settings.repeatWindow > 0;
}

int Sampler::candidates() const
{
    const int k = m_settings.temperature <= 0 ? 1 : m_settings.topK;
    // A penalty can only lower recent tokens. Of so many candidates, at least k are not recent, so
    // that whatever is not among them is not among the k best afterwards either.
    return penalises() ? k + m_settings.repeatWindow : k;
}

Sampler::Needs Sampler::needs() const
{
    constexpr int kMaxCandidates = 256; // what devices pick quickly
    const bool greedy = m_settings.temperature <= 0;
    if (greedy && !penalises())
        return Needs::Best;
    if ((!greedy && (m_settings.topK == 0 || m_settings.topK > kMaxCandidates)) ||
        (penalises() && (m_settings.repeatPenalty < 1 || m_settings.repeatWindow > kMaxCandidates)))
        return Needs::Logits;
    return candidates() <= kMaxCandidates ? Needs::Candidates : Needs::Logits;
}

bool Sampler::isEnough(std::span<const Candidate> best, float below) const
{
    if (best.empty())
        return false;
    if (best.size() >= static_cast<std::size_t>(candidates()) || !std::isfinite(below))
        return true;
    // What min-p drops needs not be known.
    return m_settings.temperature > 0 && m_settings.minP > 0 && !penalises() &&
           below < floorOf(best.front().logit);
}

NextIds Sampler::ahead() const
{
    return {
        .temperature = m_settings.temperature, .minP = m_settings.minP, .topP = m_settings.topP};
}

void Sampler::upcoming(std::span<float> numbers) const
{
    std::mt19937_64 random = m_random;
    for (float &number : numbers)
        number = static_cast<float>(unit(random));
}

TokenId Sampler::sample(std::span<const Candidate> best, std::span<const TokenId> recent)
{
    m_candidates.clear();
    for (const Candidate &c : best)
        if (c.id >= 0)
            m_candidates.push_back(c);
    if (m_candidates.empty() || !std::isfinite(m_candidates.front().logit))
        throw Error(ErrorKind::Internal, "the model computed only values that are not numbers");
    if (penalises()) {
        findSeen(recent);
        for (Candidate &c : m_candidates)
            if (std::binary_search(m_seen.begin(), m_seen.end(), c.id))
                c.logit = penalised(c.logit);
        std::sort(m_candidates.begin(), m_candidates.end(), isBetter);
        const std::size_t k = static_cast<std::size_t>(candidates() - m_settings.repeatWindow);
        m_candidates.resize(std::min(m_candidates.size(), k));
    }
    if (m_settings.temperature <= 0)
        return m_candidates.front().id;
    const float top = m_candidates.front().logit;
    dropUnlikely(top);
    return draw(top, unit(m_random));
}

/// p ≥ minP · p_max means logit ≥ top + T·ln(minP).
float Sampler::floorOf(float top) const
{
    return top + m_settings.temperature * std::log(m_settings.minP);
}

void Sampler::dropUnlikely(float top)
{
    if (m_settings.minP <= 0)
        return;
    const float floor = floorOf(top);
    std::erase_if(m_candidates, [&](const Candidate &c) { return c.logit < floor; });
}

void Sampler::weigh(float top)
{
    for (Candidate &c : m_candidates)
        c.logit = std::exp((c.logit - top) / m_settings.temperature);
}

/// From sorted candidates, the best of which has the logit `top`. number: from [0, 1).
TokenId Sampler::draw(float top, double number)
{
    weigh(top);
    double total = 0;
    for (const Candidate &c : m_candidates)
        total += static_cast<double>(c.logit);
    // Top-p: the shortest run of best candidates that holds this much of the probability.
    if (m_settings.topP < 1) {
        double kept = 0;
        std::size_t count = 0;
        while (count < m_candidates.size() &&
               (count == 0 || kept < static_cast<double>(m_settings.topP) * total))
            kept += static_cast<double>(m_candidates[count++].logit);
        m_candidates.resize(count);
        total = kept;
    }
    return drawKept(total, number);
}

/// From weighed candidates that have this weight together.
TokenId Sampler::drawKept(double total, double number) const
{
    double left = number * total;
    for (const Candidate &c : m_candidates) {
        left -= static_cast<double>(c.logit);
        if (left < 0)
            return c.id;
    }
    return m_candidates.back().id;
}

TokenId Sampler::drawFromAll(std::span<const float> logits, double number)
{
    m_candidates.clear();
    for (std::size_t i = 0; i < logits.size(); ++i)
        m_candidates.push_back({static_cast<TokenId>(i), logits[i]});
    std::sort(m_candidates.begin(), m_candidates.end(), isBetter);
    return draw(m_scan.top().logit, number);
}

/// The tokens of the window, each once, in rising order.
void Sampler::findSeen(std::span<const TokenId> recent)
{
    const std::size_t window =
        std::min(recent.size(), static_cast<std::size_t>(m_settings.repeatWindow));
    m_seen.assign(recent.end() - static_cast<std::ptrdiff_t>(window), recent.end());
    std::sort(m_seen.begin(), m_seen.end());
    m_seen.erase(std::unique(m_seen.begin(), m_seen.end()), m_seen.end());
}

float Sampler::penalised(float logit) const
{
    return logit > 0 ? logit / m_settings.repeatPenalty : logit * m_settings.repeatPenalty;
}

void Sampler::penalise(std::span<float> logits, std::span<const TokenId> recent)
{
    if (!penalises())
        return;
    findSeen(recent);
    for (const TokenId id : m_seen)
        if (id >= 0 && static_cast<std::size_t>(id) < logits.size())
            logits[static_cast<std::size_t>(id)] = penalised(logits[static_cast<std::size_t>(id)]);
}

} // namespace fireside
