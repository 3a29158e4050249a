#include "engine/measure_speed.h"

#include <algorithm>
#include <vector>

namespace fireside {
namespace {

constexpr std::size_t kShort = 16, kMiddle = 128; // tokens of prompts that are always read
constexpr std::size_t kWantedPasses = 3;
constexpr std::size_t kWarmTokens = 4; // recordings are made, threads are awake

class SpeedMeasurement
{
public:
    SpeedMeasurement(const SpeedProbe &probe, double seconds)
        : m_probe(probe)
        , m_limit(seconds / 2)
    {}

    /// Tokens a second of a prompt.
    double promptRate(std::size_t longest)
    {
        const double start = m_probe.now();
        const auto left = [&] { return m_limit - (m_probe.now() - start); };
        std::size_t rows = std::min(kShort, longest), shorter = 0;
        double taken = median(rows, left), takenShorter = 0;
        for (const std::size_t next : {kMiddle, longest}) {
            if (next <= rows || next > longest)
                continue;
            // One more pass of that length, which may be the first, and one that is counted.
            const double expected = secondsOf(next, rows, taken, shorter, takenShorter);
            if (next > kMiddle && 2 * expected > left())
                break;
            shorter = rows;
            takenShorter = taken;
            rows = next;
            taken = median(rows, left);
        }
        return static_cast<double>(longest) /
               secondsOf(longest, rows, taken, shorter, takenShorter);
    }

    double tokenRate(std::size_t most)
    {
        std::size_t written = 0;
        for (; written < std::min(kWarmTokens, most / 2); ++written)
            m_probe.writeToken();
        const double start = m_probe.now();
        std::size_t counted = 0;
        double taken = 0;
        do {
            m_probe.writeToken();
            ++counted;
            taken = m_probe.now() - start;
        } while (written + counted < most && (counted < 2 || taken < m_limit));
        return static_cast<double>(counted) / std::max(taken, 1e-9);
    }

private:
    double secondsOfPass(std::size_t rows)
    {
        const double start = m_probe.now();
        m_probe.readPrompt(rows);
        return std::max(m_probe.now() - start, 1e-9);
    }
    /// Of several passes behind one that is not counted, while there is time.
    template <typename Left>
    double median(std::size_t rows, const Left &left)
    {
        secondsOfPass(rows);
        std::vector<double> all{secondsOfPass(rows)};
        while (all.size() < kWantedPasses && all.back() < left())
            all.push_back(secondsOfPass(rows));
        // Of two the shorter one: the other was disturbed.
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
        std::nth_element(all.begin(), middle, all.end());
        return *middle;
    }
    /// On a line through what was measured; without a second point each token takes as long.
    static double secondsOf(std::size_t wanted, std::size_t rows, double taken, std::size_t shorter,
                            double takenShorter)
    {
        const auto more = static_cast<double>(wanted - rows);
        const double all = taken / static_cast<double>(rows);
        const double each =
            shorter == 0 ? all
                         : std::clamp((taken - takenShorter) / static_cast<double>(rows - shorter),
                                      0.0, all);
        return taken + more * each;
    }

    const SpeedProbe &m_probe;
    const double m_limit;
};

} // namespace

Speed measureSpeed(const SpeedProbe &probe, std::size_t longest, std::size_t most, double seconds)
{
    SpeedMeasurement measurement(probe, seconds);
    Speed speed;
    speed.prompt = measurement.promptRate(std::max<std::size_t>(longest, 1));
    speed.generate = measurement.tokenRate(std::max<std::size_t>(most, 1));
    return speed;
}

} // namespace fireside
