#include "engine/generate/mirostat.h"

#include "engine/generate/sorted_candidates.h"

#include <cmath>
#include <numbers>

namespace fireside {

Mirostat::Mirostat(const SamplerSettings &settings)
    : m_version(settings.mirostat)
    , m_temperature(settings.temperature)
    , m_target(static_cast<double>(settings.mirostatTarget))
    , m_rate(static_cast<double>(settings.mirostatRate))
    , m_most(2 * m_target)
{}

/// How many tokens keep the surprise below the bound if probabilities fall as Zipf's law says, the
/// exponent of which is estimated from the best ones (Algorithm 1 of the paper, m = 100).
std::size_t Mirostat::keptByZipf(const LogitScan &scan, std::vector<Candidate> &candidates) const
{
    constexpr std::size_t kBest = 100;
    scan.best(std::min(kBest, scan.size()), candidates);
    sortBest(candidates);
    double products = 0, squares = 0;
    for (std::size_t i = 0; i + 1 < candidates.size(); ++i) {
        const double ratio = (static_cast<double>(candidates[i].logit) -
                              static_cast<double>(candidates[i + 1].logit)) /
                             static_cast<double>(m_temperature);
        if (!std::isfinite(ratio))
            break;
        const double rank = std::log(static_cast<double>(i + 2) / static_cast<double>(i + 1));
        products += ratio * rank;
        squares += rank * rank;
    }
    const double exponent = squares > 0 ? products / squares : 0;
    const double excess = exponent - 1;
    const double all = static_cast<double>(scan.size());
    // The limit where the exponent is 1.
    const double harmonic =
        std::abs(excess) < 1e-9 ? std::log(all) : (1 - std::pow(all, -excess)) / excess;
    const double kept = std::round(std::pow(std::exp2(m_most) / harmonic, 1 / exponent)) + 1;
    return kept < all ? static_cast<std::size_t>(std::max(kept, 1.0)) : scan.size();
}

TokenId Mirostat::draw(const LogitScan &scan, double number, std::vector<Candidate> &candidates)
{
    const auto temperature = static_cast<double>(m_temperature);
    const auto top = static_cast<double>(scan.top().logit);
    const double logOfSum = std::log(scan.sumOfWeights(m_temperature));
    const auto exponentOf = [&](const Candidate &c) {
        return (static_cast<double>(c.logit) - top) / temperature;
    };
    if (m_version == 1) {
        const std::size_t kept = keptByZipf(scan, candidates);
        scan.best(kept, candidates);
    } else {
        // −log2 p ≤ µ; the best one always stays.
        const double least = std::min(logOfSum - m_most * std::numbers::ln2, 0.0);
        scan.atLeast(static_cast<float>(top + temperature * least), candidates);
    }
    sortBest(candidates);
    double total = 0;
    for (const Candidate &c : candidates)
        total += std::exp(exponentOf(c));
    double left = number * total;
    std::size_t drawn = 0;
    while (drawn + 1 < candidates.size() && (left -= std::exp(exponentOf(candidates[drawn]))) >= 0)
        ++drawn;
    const double surprise = (logOfSum - exponentOf(candidates[drawn])) / std::numbers::ln2;
    m_most -= m_rate * (surprise - m_target);
    return candidates[drawn].id;
}

} // namespace fireside
