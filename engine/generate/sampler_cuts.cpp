#include "engine/generate/sampler.h"
#include "engine/generate/sorted_candidates.h"

#include <algorithm>
#include <cmath>

namespace fireside {

LogitScan::Spread Sampler::spreadOfList(float temperature) const
{
    const auto top = static_cast<double>(m_candidates.front().logit);
    LogitScan::Spread spread;
    double sum = 0, product = 0;
    for (const Candidate &c : m_candidates) {
        const double x = (static_cast<double>(c.logit) - top) / static_cast<double>(temperature);
        if (!std::isfinite(x))
            continue;
        sum += std::exp(x);
        product += std::exp(x) * x;
        ++spread.count;
    }
    spread.logOfSum = std::log(sum);
    spread.entropy = std::max(spread.logOfSum - product / sum, 0.0);
    return spread;
}

float Sampler::temperatureFor(const LogitScan::Spread &spread) const
{
    constexpr float kCoolest = 0.01f;
    const float middle = m_settings.temperature, range = m_settings.temperatureRange;
    if (spread.count < 2)
        return middle;
    const double most = std::log(static_cast<double>(spread.count));
    const float low = std::max(middle - range, 0.0f), high = middle + range;
    const auto part = static_cast<float>(std::pow(
        std::min(spread.entropy / most, 1.0), static_cast<double>(m_settings.temperatureExponent)));
    return std::max(low + (high - low) * part, kCoolest);
}

void Sampler::keepTypicalOfList()
{
    const float top = m_candidates.front().logit;
    LogitScan::Typical found{.spread = spreadOfList(m_temperature)};
    found.border.swap(m_candidates);
    m_candidates.clear();
    keepTypical(found, top);
    sortBest(m_candidates);
}

/// To the candidates, which are typical, come as many of the border as are needed for typicalP of
/// the probability, those first whose information is nearest to the entropy. `top`: the best of
/// all.
void Sampler::keepTypical(const LogitScan::Typical &found, float top)
{
    struct One
    {
        Candidate candidate;
        double p, distance;
    };
    std::vector<One> order;
    order.reserve(found.border.size());
    for (const Candidate &c : found.border) {
        const double information =
            found.spread.logOfSum - (static_cast<double>(c.logit) - static_cast<double>(top)) /
                                        static_cast<double>(m_temperature);
        order.push_back({c, std::exp(-information), std::abs(information - found.spread.entropy)});
    }
    std::sort(order.begin(), order.end(), [](const One &a, const One &b) {
        return a.distance != b.distance ? a.distance < b.distance
                                        : isBetter(a.candidate, b.candidate);
    });
    double kept = found.sure;
    for (const One &one : order) {
        if (!m_candidates.empty() &&
            (kept >= static_cast<double>(m_settings.typicalP) || one.p == 0)) // or masked
            break;
        kept += one.p;
        m_candidates.push_back(one.candidate);
    }
}

bool Sampler::tossXtc()
{
    if (!leavesOutBest())
        return false;
    const double number = static_cast<double>(m_random() >> 11) * 0x1p-53;
    return number < static_cast<double>(m_settings.xtcProbability);
}

/// How many of the best XTC takes from weighed candidates, of which all have this weight together.
std::size_t Sampler::leftOut(double total) const
{
    const double least = static_cast<double>(m_settings.xtcThreshold) * total;
    std::size_t likely = 0;
    while (likely < m_candidates.size() && static_cast<double>(m_candidates[likely].logit) >= least)
        ++likely;
    return likely > 1 ? likely - 1 : 0;
}

} // namespace fireside
