#include "engine/generate/logit_scan.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

namespace fireside {
namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();
constexpr float kSmallest = -87; // exponent of a weight

constexpr std::size_t kLanes = 4;
using Lanes = float __attribute__((vector_size(4 * kLanes)));
using Bits = std::int32_t __attribute__((vector_size(4 * kLanes)));

Lanes lanesAt(const float *at)
{
    Lanes lanes;
    std::memcpy(&lanes, at, sizeof lanes);
    return lanes;
}

/// 2^n · e^r with |r| ≤ ln 2 / 2, by the Taylor polynomial of degree 7 (its remainder is 5e-9 of
/// e^r); the two parts of ln 2 keep r exact (Cody and Waite).
Lanes roughWeights(Lanes exponents)
{
    constexpr float kRound = 0x1.8p23f;
    const Lanes x = exponents > kSmallest ? exponents : Lanes{} + kSmallest;
    const Lanes n = (x * 1.44269504f + kRound) - kRound;
    const Lanes r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    Lanes e = Lanes{} + 1.0f / 5040;
    for (const float factorial : {720.0f, 120.0f, 24.0f, 6.0f, 2.0f, 1.0f, 1.0f})
        e = e * r + 1 / factorial;
    const Bits power = (__builtin_convertvector(n, Bits) + 127) << 23;
    return e * std::bit_cast<Lanes>(power);
}

[[noreturn]] void throwNotFinite(const char *what, std::size_t id)
{
    throw Error(ErrorKind::Internal,
                std::string("the model computed ") + what + " (logit " + std::to_string(id) + ')');
}

} // namespace

void LogitScan::read(std::span<const float> logits)
{
    m_logits = logits;
    m_largest.clear();
    for (std::size_t begin = 0; begin < logits.size(); begin += kBlock) {
        const std::span<const float> values = block(m_largest.size());
        Lanes largest[2] = {Lanes{} + kNone, Lanes{} + kNone}; // two chains of steps
        Bits isNan{};
        std::size_t i = 0;
        for (; i + 2 * kLanes <= values.size(); i += 2 * kLanes)
            for (const std::size_t half : {0, 1}) {
                const Lanes lanes = lanesAt(values.data() + i + half * kLanes);
                largest[half] = lanes > largest[half] ? lanes : largest[half];
                isNan |= lanes != lanes;
            }
        for (; i < values.size(); ++i) {
            largest[0][0] = std::max(largest[0][0], values[i]);
            isNan[0] |= values[i] != values[i];
        }
        float best = kNone;
        std::int32_t anyNan = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            best = std::max({best, largest[0][lane], largest[1][lane]});
            anyNan |= isNan[lane];
        }
        if (anyNan != 0)
            throwNotFinite("a value that is not a number",
                           begin + static_cast<std::size_t>(
                                       std::find_if(values.begin(), values.end(),
                                                    [](float v) { return std::isnan(v); }) -
                                       values.begin()));
        m_largest.push_back(best);
    }
    const auto best = std::max_element(m_largest.begin(), m_largest.end());
    const float top = best == m_largest.end() ? kNone : *best;
    const auto before = static_cast<std::size_t>(best - m_largest.begin()) * kBlock;
    const auto id = static_cast<std::size_t>(
        std::find(logits.begin() + static_cast<std::ptrdiff_t>(before), logits.end(), top) -
        logits.begin());
    if (!std::isfinite(top))
        throwNotFinite("an infinite value", id);
    m_top = {static_cast<TokenId>(id), top};
}

/// Of the k best blocks each holds a logit that is at least the largest of the last of them.
float LogitScan::floorOfBest(std::size_t k) const
{
    if (k > m_largest.size())
        return kNone;
    m_order = m_largest;
    const auto last = m_order.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(m_order.begin(), last, m_order.end(), std::greater<>());
    return *last;
}

void LogitScan::best(std::size_t k, std::vector<Candidate> &out) const
{
    out.clear();
    float floor = floorOfBest(k);
    const auto keepBest = [&] {
        std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(k - 1), out.end(),
                         isBetter);
        out.resize(k);
        floor = out.back().logit;
    };
    for (std::size_t index = 0; index < m_largest.size(); ++index) {
        if (m_largest[index] < floor)
            continue;
        appendFrom(index, floor, out);
        if (out.size() >= 2 * k + 16 * kBlock)
            keepBest();
    }
    if (out.size() > k)
        keepBest();
}

void LogitScan::atLeast(float floor, std::vector<Candidate> &out) const
{
    out.clear();
    for (std::size_t index = 0; index < m_largest.size(); ++index)
        if (m_largest[index] >= floor)
            appendFrom(index, floor, out);
}

void LogitScan::appendFrom(std::size_t index, float floor, std::vector<Candidate> &out) const
{
    const std::span<const float> values = block(index);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] >= floor)
            out.push_back({static_cast<TokenId>(index * kBlock + i), values[i]});
}

float LogitScan::roughWeight(float exponent)
{
    return roughWeights(Lanes{} + exponent)[0];
}

double LogitScan::sumOfWeights(float temperature) const
{
    double sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= m_logits.size(); i += kLanes) {
        const Lanes weights =
            roughWeights((lanesAt(m_logits.data() + i) - m_top.logit) / temperature);
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            sums[lane] += static_cast<double>(weights[lane]);
    }
    double sum = 0;
    for (const double part : sums)
        sum += part;
    for (; i < m_logits.size(); ++i)
        sum += static_cast<double>(roughWeight((m_logits[i] - m_top.logit) / temperature));
    return sum;
}

LogitScan::Spread LogitScan::spread(float temperature) const
{
    Spread spread;
    double sums[kLanes] = {}, products[kLanes] = {};
    Bits left{};
    const auto add = [&](const Lanes &logits) {
        const Lanes exponents = (logits - m_top.logit) / temperature;
        const Lanes x = exponents > kSmallest ? exponents : Lanes{} + kSmallest;
        const Lanes weights = roughWeights(x), product = weights * x;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            sums[lane] += static_cast<double>(weights[lane]);
            products[lane] += static_cast<double>(product[lane]);
        }
        left -= logits > kNone; // a lane that is true is −1
    };
    std::size_t i = 0;
    for (; i + kLanes <= m_logits.size(); i += kLanes)
        add(lanesAt(m_logits.data() + i));
    if (i < m_logits.size()) {
        Lanes rest = Lanes{} + kNone;
        std::memcpy(&rest, m_logits.data() + i, (m_logits.size() - i) * sizeof(float));
        add(rest);
    }
    double sum = 0, product = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sum += sums[lane];
        product += products[lane];
        spread.count += static_cast<std::size_t>(left[lane]);
    }
    spread.logOfSum = std::log(sum);
    spread.entropy = std::max(spread.logOfSum - product / sum, 0.0);
    return spread;
}

double LogitScan::deviation() const
{
    double sums[kLanes] = {}, squares[kLanes] = {};
    std::size_t count = 0;
    // Sums of a block are exact enough in 32 bits, as none is far from the largest of all.
    for (std::size_t index = 0; index < m_largest.size(); ++index) {
        const std::span<const float> values = block(index);
        Lanes sum{}, square{};
        Bits there{};
        std::size_t i = 0;
        for (; i + kLanes <= values.size(); i += kLanes) {
            const Lanes logits = lanesAt(values.data() + i);
            const Lanes below = logits > kNone ? logits - m_top.logit : Lanes{};
            sum += below;
            square += below * below;
            there -= logits > kNone;
        }
        for (; i < values.size(); ++i)
            if (values[i] > kNone) {
                const float below = values[i] - m_top.logit;
                sum[0] += below;
                square[0] += below * below;
                there[0] += 1;
            }
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            sums[lane] += static_cast<double>(sum[lane]);
            squares[lane] += static_cast<double>(square[lane]);
            count += static_cast<std::size_t>(there[lane]);
        }
    }
    double sum = 0, square = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sum += sums[lane];
        square += squares[lane];
    }
    const double mean = sum / static_cast<double>(count);
    return std::sqrt(std::max(square / static_cast<double>(count) - mean * mean, 0.0));
}

LogitScan::Typical LogitScan::typical(float temperature, double mass,
                                      std::vector<Candidate> &out) const
{
    constexpr std::size_t kSteps = 2048;
    constexpr float kStep = 1.0f / 16; // of the distance from the entropy
    Typical result{.spread = spread(temperature)};
    const auto shift = static_cast<float>(result.spread.logOfSum - result.spread.entropy);
    const auto stepOf = [&](float logit) {
        const float distance = std::abs((logit - m_top.logit) / temperature - shift);
        return static_cast<std::size_t>(std::min(distance / kStep, static_cast<float>(kSteps - 1)));
    };
    std::array<double, kSteps> masses{};
    std::size_t i = 0;
    for (; i + kLanes <= m_logits.size(); i += kLanes) {
        const Lanes logits = lanesAt(m_logits.data() + i);
        const Lanes weights = roughWeights((logits - m_top.logit) / temperature);
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            masses[stepOf(logits[lane])] += static_cast<double>(weights[lane]);
    }
    for (; i < m_logits.size(); ++i)
        masses[stepOf(m_logits[i])] +=
            static_cast<double>(roughWeight((m_logits[i] - m_top.logit) / temperature));
    const double all = std::exp(result.spread.logOfSum);
    std::size_t last = 0;
    double kept = 0;
    while (last + 1 < kSteps && kept + masses[last] < mass * all)
        kept += masses[last++];
    // What is off by roundings lies in the next steps.
    const std::size_t sure = last > 0 ? last - 1 : 0;
    result.sure = (last > 0 ? kept - masses[last - 1] : 0) / all;
    out.clear();
    for (i = 0; i < m_logits.size(); ++i) {
        const std::size_t step = stepOf(m_logits[i]);
        if (step > last + 1)
            continue;
        (step < sure ? out : result.border).push_back({static_cast<TokenId>(i), m_logits[i]});
    }
    return result;
}

} // namespace fireside
