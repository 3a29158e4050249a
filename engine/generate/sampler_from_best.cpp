#include "engine/generate/sampler.h"
#include "engine/generate/sorted_candidates.h"

#include <algorithm>

namespace fireside {
namespace {

/// Between these is the weight of all tokens, as its sum in falling order comes out, when the best
/// ones are known exactly and the others nearly.
struct TotalWeight
{
    TotalWeight(double known, double others)
    {
        constexpr double kSums = 0x1p-28; // what 2^24 additions round away, twice
        const double sum = known + others;
        const double slack = 2 * LogitScan::kWeightError * others + kSums * sum;
        low = sum - slack;
        high = sum + slack;
    }
    double low, high;
};

} // namespace

/// What drawFromAll() draws, without sorting all of them: mostly the best few decide it. nullopt
/// where they are many, or where the sum of the others would have to be known exactly.
std::optional<TokenId> Sampler::drawFromBest(double number, bool leaveOut)
{
    constexpr std::size_t kFirst = 256, kGrowth = 4;
    const float top = m_scan.top().logit;
    const double all = m_scan.sumOfWeights(m_temperature);
    for (std::size_t k = kFirst; 2 * k <= m_scan.size(); k *= kGrowth) {
        m_scan.best(k, m_candidates);
        sortBest(m_candidates);
        double roughly = 0, known = 0;
        for (const Candidate &c : m_candidates)
            roughly += static_cast<double>(LogitScan::roughWeight((c.logit - top) / m_temperature));
        weigh(top);
        for (const Candidate &c : m_candidates)
            known += static_cast<double>(c.logit);
        const TotalWeight total(known, std::max(all - roughly, 0.0));
        if (m_settings.topP < 1) {
            const double p = static_cast<double>(m_settings.topP);
            double kept = 0;
            std::size_t count = 0;
            while (count < k && (count == 0 || kept < p * total.low))
                kept += static_cast<double>(m_candidates[count++].logit);
            if (kept < p * total.low)
                continue;
            if (kept < p * total.high)
                return std::nullopt;
            m_candidates.resize(count);
            return drawKept(kept, number, leaveOut);
        }
        std::size_t first = 0; // that XTC leaves
        double without = 0;
        if (leaveOut) {
            first = leftOut(total.low);
            if (first != leftOut(total.high))
                return std::nullopt;
            if (first + 1 == k) // more of them may be as likely
                continue;
            for (std::size_t i = 0; i < first; ++i)
                without += static_cast<double>(m_candidates[i].logit);
        }
        double low = number * (total.low - without), high = number * (total.high - without);
        for (std::size_t i = first; i < k; ++i) {
            low -= static_cast<double>(m_candidates[i].logit);
            high -= static_cast<double>(m_candidates[i].logit);
            if (low < 0)
                return high < 0 ? std::optional(m_candidates[i].id) : std::nullopt;
        }
    }
    return std::nullopt;
}

} // namespace fireside
