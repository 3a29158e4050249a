#include "engine/generate/sampler.h"

#include "engine/core/error.h"
#include "engine/generate/sorted_candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fireside {
namespace {

const SamplerSettings &checked(const SamplerSettings &settings)
{
    check(settings);
    return settings;
}

/// 53 random bits as [0, 1): std::uniform_real_distribution differs between standard libraries.
double unit(std::mt19937_64 &random)
{
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

} // namespace

Sampler::Sampler(const SamplerSettings &settings)
    : m_settings(checked(settings))
    , m_temperature(settings.temperature)
    , m_random(settings.seed)
    , m_penalties(settings)
    , m_mirostat(settings)
{}

TokenId Sampler::sample(std::span<float> logits, std::span<const TokenId> recent)
{
    if (m_penalties.any()) {
        m_penalties.find(recent);
        m_penalties.apply(logits);
    }
    m_scan.read(logits);
    const Candidate top = m_scan.top();
    if (m_settings.temperature <= 0)
        return top.id;
    const double number = unit(m_random);
    if (m_settings.mirostat != 0)
        return m_mirostat.draw(m_scan, number, m_candidates);
    m_temperature = m_settings.temperature;
    if (shorten(logits.size())) {
        sortBest(m_candidates);
        return drawFromList(number);
    }
    if (m_settings.temperatureRange > 0)
        m_temperature = temperatureFor(m_scan.spread(1));
    if (m_settings.typicalP < 1) {
        keepTypical(
            m_scan.typical(m_temperature, static_cast<double>(m_settings.typicalP), m_candidates),
            top.logit);
    } else if (m_settings.minP > 0) {
        m_scan.atLeast(floorOf(top.logit), m_candidates);
    } else {
        const bool leaveOut = tossXtc();
        const auto id = drawFromBest(number, leaveOut);
        return id ? *id : drawFromAll(logits, number, leaveOut);
    }
    sortBest(m_candidates);
    dropUnlikely(m_candidates.front().logit);
    return draw(m_candidates.front().logit, number, tossXtc());
}

/// Makes a list of what top-n-sigma, top-k, and min-p if nothing comes before it, leave; false
/// where none of them is on.
bool Sampler::shorten(std::size_t vocabulary)
{
    const float top = m_scan.top().logit;
    const auto k = static_cast<std::size_t>(m_settings.topK);
    float floor = -std::numeric_limits<float>::infinity();
    if (m_settings.topNSigma > 0)
        floor = static_cast<float>(static_cast<double>(top) -
                                   static_cast<double>(m_settings.topNSigma) * m_scan.deviation());
    const bool sigma = m_settings.topNSigma > 0;
    if (k > 0 && k < vocabulary)
        m_scan.best(k, m_candidates);
    else if (sigma)
        m_scan.atLeast(floor, m_candidates);
    else
        return false;
    if (m_settings.minP > 0 && !reshapes())
        floor = std::max(floor, floorOf(top));
    std::erase_if(m_candidates, [&](const Candidate &c) { return c.logit < floor; });
    return true;
}

/// From sorted candidates that are left after top-k.
TokenId Sampler::drawFromList(double number)
{
    m_temperature = m_settings.temperature;
    if (m_settings.temperatureRange > 0)
        m_temperature = temperatureFor(spreadOfList(1));
    if (m_settings.typicalP < 1)
        keepTypicalOfList();
    const float top = m_candidates.front().logit;
    dropUnlikely(top);
    return draw(top, number, tossXtc());
}

std::size_t Sampler::lowered() const
{
    return static_cast<std::size_t>(m_penalties.lowered().value_or(0));
}

int Sampler::candidates() const
{
    const int k = m_settings.temperature <= 0 ? 1 : m_settings.topK;
    // A penalty can only lower tokens. Of so many candidates, at least k are not lowered, so that
    // whatever is not among them is not among the k best afterwards either.
    return k + static_cast<int>(lowered());
}

Sampler::Needs Sampler::needs() const
{
    constexpr int kMaxCandidates = 256; // what devices pick quickly
    const bool greedy = m_settings.temperature <= 0;
    if (greedy && !m_penalties.any())
        return Needs::Best;
    if (!greedy && (m_settings.topK == 0 || m_settings.topK > kMaxCandidates ||
                    m_settings.topNSigma > 0 || m_settings.mirostat != 0))
        return Needs::Logits;
    if (!m_penalties.lowered() || *m_penalties.lowered() > kMaxCandidates)
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
    return m_settings.temperature > 0 && m_settings.minP > 0 && !m_penalties.any() && !reshapes() &&
           below < best.front().logit + m_settings.temperature * std::log(m_settings.minP);
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
    if (m_penalties.any()) {
        m_penalties.find(recent);
        for (Candidate &c : m_candidates)
            c.logit = m_penalties.applied(c.id, c.logit);
        std::sort(m_candidates.begin(), m_candidates.end(), isBetter);
        const std::size_t k = static_cast<std::size_t>(candidates()) - lowered();
        m_candidates.resize(std::min(m_candidates.size(), k));
    }
    if (m_settings.temperature <= 0)
        return m_candidates.front().id;
    return drawFromList(unit(m_random));
}

/// p ≥ minP · p_max means logit ≥ top + T·ln(minP).
float Sampler::floorOf(float top) const
{
    return top + m_temperature * std::log(m_settings.minP);
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
        c.logit = std::exp((c.logit - top) / m_temperature);
}

/// From sorted candidates, the best of which has the logit `top`. number: from [0, 1).
TokenId Sampler::draw(float top, double number, bool leaveOut)
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
    return drawKept(total, number, leaveOut);
}

/// From weighed candidates that have this weight together.
TokenId Sampler::drawKept(double total, double number, bool leaveOut)
{
    if (leaveOut) {
        const auto first = static_cast<std::ptrdiff_t>(leftOut(total));
        m_candidates.erase(m_candidates.begin(), m_candidates.begin() + first);
        total = 0;
        for (const Candidate &c : m_candidates)
            total += static_cast<double>(c.logit);
    }
    double left = number * total;
    for (const Candidate &c : m_candidates) {
        left -= static_cast<double>(c.logit);
        if (left < 0)
            return c.id;
    }
    return m_candidates.back().id;
}

TokenId Sampler::drawFromAll(std::span<const float> logits, double number, bool leaveOut)
{
    m_candidates.clear();
    for (std::size_t i = 0; i < logits.size(); ++i)
        m_candidates.push_back({static_cast<TokenId>(i), logits[i]});
    sortBest(m_candidates);
    return draw(m_scan.top().logit, number, leaveOut);
}

} // namespace fireside
