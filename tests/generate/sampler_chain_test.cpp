#include "engine/core/error.h"
#include "engine/generate/sampler.h"
#include "engine/generate/sorted_candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

// The samplers against their definitions: each step as its paper or pull request states it
// (sampler_settings.h), over all tokens, in double.
namespace fireside {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

SamplerSettings off()
{
    SamplerSettings s;
    s.temperature = 1;
    s.topK = 0;
    s.topP = 1;
    s.minP = 0;
    s.seed = 1;
    return s;
}

class Definition
{
public:
    explicit Definition(const SamplerSettings &settings)
        : m_s(settings)
        , m_random(settings.seed)
        , m_most(2.0 * static_cast<double>(settings.mirostatTarget))
    {}

    TokenId draw(const std::vector<float> &logits, const std::vector<TokenId> &recent)
    {
        std::vector<double> x(logits.begin(), logits.end());
        change(x, recent);
        m_left.clear();
        for (std::size_t i = 0; i < x.size(); ++i)
            m_left.push_back({static_cast<TokenId>(i), x[i]});
        byLogit();
        if (m_s.temperature <= 0)
            return m_left[0].id;
        const double number = unit();
        if (m_s.mirostat > 0)
            return mirostat(number);
        sigma();
        if (m_s.topK > 0 && m_left.size() > static_cast<std::size_t>(m_s.topK))
            m_left.resize(static_cast<std::size_t>(m_s.topK));
        m_temperature = temperature();
        if (m_s.typicalP < 1)
            typical();
        const double floor = std::log(static_cast<double>(m_s.minP)) * m_temperature;
        const double top = m_left[0].logit;
        if (m_s.minP > 0)
            std::erase_if(m_left, [&](const One &o) { return o.logit < top + floor; });
        if (m_s.topP < 1)
            nucleus();
        if (m_s.xtcProbability > 0 && unit() < static_cast<double>(m_s.xtcProbability))
            excludeTopChoices();
        return from(probabilities(m_temperature), number);
    }

private:
    struct One
    {
        TokenId id;
        double logit;
    };

    double unit() { return static_cast<double>(m_random() >> 11) * 0x1p-53; }
    void byLogit()
    {
        std::stable_sort(m_left.begin(), m_left.end(), [](const One &a, const One &b) {
            return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
        });
    }

    void change(std::vector<double> &x, const std::vector<TokenId> &recent) const
    {
        for (const auto &[id, bias] : m_s.logitBias)
            x[static_cast<std::size_t>(id)] += static_cast<double>(bias);
        std::map<TokenId, int> counts;
        const std::size_t window =
            std::min(recent.size(), static_cast<std::size_t>(m_s.repeatWindow));
        for (std::size_t i = recent.size() - window; i < recent.size(); ++i)
            ++counts[recent[i]];
        for (const auto &[id, count] : counts) {
            double &l = x[static_cast<std::size_t>(id)];
            const auto r = static_cast<double>(m_s.repeatPenalty);
            l = l > 0 ? l / r : l * r;
            l -= count * static_cast<double>(m_s.frequencyPenalty);
            l -= static_cast<double>(m_s.presencePenalty);
        }
        if (m_s.dryMultiplier > 0 && !recent.empty())
            dry(x, recent);
    }

    /// Without breakers, as the definition says it: for each earlier place of the last token.
    void dry(std::vector<double> &x, const std::vector<TokenId> &recent) const
    {
        const auto last = static_cast<std::ptrdiff_t>(recent.size()) - 1;
        const std::ptrdiff_t begin =
            m_s.dryWindow > 0 ? std::max<std::ptrdiff_t>(0, last + 1 - m_s.dryWindow) : 0;
        const auto at = [&](std::ptrdiff_t i) { return recent[static_cast<std::size_t>(i)]; };
        std::map<TokenId, int> longest;
        for (std::ptrdiff_t i = begin; i < last; ++i) {
            int length = 0;
            while (i - length >= begin && at(i - length) == at(last - length))
                ++length;
            if (length > 0)
                longest[at(i + 1)] = std::max(longest[at(i + 1)], length);
        }
        for (const auto &[id, length] : longest)
            if (length >= m_s.dryAllowedLength)
                x[static_cast<std::size_t>(id)] -=
                    static_cast<double>(m_s.dryMultiplier) *
                    std::pow(static_cast<double>(m_s.dryBase), length - m_s.dryAllowedLength);
    }

    void sigma()
    {
        if (m_s.topNSigma <= 0)
            return;
        double mean = 0, variance = 0, count = 0;
        for (const One &o : m_left)
            if (o.logit > kNone) {
                mean += o.logit;
                ++count;
            }
        mean /= count;
        for (const One &o : m_left)
            if (o.logit > kNone)
                variance += (o.logit - mean) * (o.logit - mean) / count;
        const double least =
            m_left[0].logit - static_cast<double>(m_s.topNSigma) * std::sqrt(variance);
        std::erase_if(m_left, [&](const One &o) { return o.logit < least; });
    }

    std::vector<double> probabilities(double temperature) const
    {
        std::vector<double> p;
        double sum = 0;
        for (const One &o : m_left)
            sum += p.emplace_back(std::exp((o.logit - m_left[0].logit) / temperature));
        for (double &one : p)
            one /= sum;
        return p;
    }

    static double entropy(const std::vector<double> &p)
    {
        double sum = 0;
        for (const double one : p)
            sum -= one > 0 ? one * std::log(one) : 0;
        return sum;
    }

    double temperature() const
    {
        const auto t = static_cast<double>(m_s.temperature);
        const auto range = static_cast<double>(m_s.temperatureRange);
        const auto count = std::count_if(m_left.begin(), m_left.end(),
                                         [](const One &o) { return o.logit > kNone; });
        if (range <= 0 || count < 2)
            return t;
        const double part = entropy(probabilities(1)) / std::log(static_cast<double>(count));
        const double low = std::max(t - range, 0.0);
        return std::max(low + (t + range - low) *
                                  std::pow(part, static_cast<double>(m_s.temperatureExponent)),
                        0.01);
    }

    void typical()
    {
        const std::vector<double> p = probabilities(m_temperature);
        const double h = entropy(p);
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t i = 0; i < p.size(); ++i)
            order.emplace_back(std::abs(-std::log(p[i]) - h), i);
        std::stable_sort(order.begin(), order.end());
        std::vector<One> kept;
        double mass = 0;
        for (const auto &[distance, i] : order) {
            if (!kept.empty() && mass >= static_cast<double>(m_s.typicalP))
                break;
            mass += p[i];
            kept.push_back(m_left[i]);
        }
        m_left = kept;
        byLogit();
    }

    void nucleus()
    {
        const std::vector<double> p = probabilities(m_temperature);
        double mass = 0;
        std::size_t count = 0;
        while (count < p.size() && (count == 0 || mass < static_cast<double>(m_s.topP)))
            mass += p[count++];
        m_left.resize(count);
    }

    void excludeTopChoices()
    {
        const std::vector<double> p = probabilities(m_temperature);
        const auto likely = std::count_if(p.begin(), p.end(), [&](double one) {
            return one >= static_cast<double>(m_s.xtcThreshold);
        });
        if (likely > 1)
            m_left.erase(m_left.begin(), m_left.begin() + likely - 1);
    }

    TokenId from(const std::vector<double> &p, double number)
    {
        for (std::size_t i = 0; i < p.size(); ++i)
            if ((number -= p[i]) < 0)
                return m_left[m_drawn = i].id;
        return m_left[m_drawn = p.size() - 1].id;
    }

    TokenId mirostat(double number)
    {
        const auto t = static_cast<double>(m_s.temperature);
        const std::vector<double> all = probabilities(t);
        std::size_t kept = 0;
        if (m_s.mirostat == 2) {
            while (kept < all.size() && (kept == 0 || -std::log2(all[kept]) <= m_most))
                ++kept;
        } else {
            double products = 0, squares = 0;
            for (std::size_t i = 1; i < std::min<std::size_t>(100, all.size()); ++i) {
                const double rank =
                    std::log(static_cast<double>(i + 1)) - std::log(static_cast<double>(i));
                products += rank * std::log(all[i - 1] / all[i]);
                squares += rank * rank;
            }
            const double s = products / squares, n = static_cast<double>(all.size());
            const double k =
                std::pow((s - 1) * std::pow(2, m_most) / (1 - std::pow(n, 1 - s)), 1 / s);
            kept = static_cast<std::size_t>(std::min(std::round(k) + 1, n));
        }
        m_left.resize(kept);
        const TokenId id = from(probabilities(t), number);
        m_most -= static_cast<double>(m_s.mirostatRate) *
                  (-std::log2(all[m_drawn]) - static_cast<double>(m_s.mirostatTarget));
        return id;
    }

    SamplerSettings m_s;
    std::mt19937_64 m_random;
    std::vector<One> m_left;
    double m_temperature = 1, m_most;
    std::size_t m_drawn = 0;
};

std::vector<float> someLogits(std::mt19937 &random, std::size_t size, float deviation)
{
    std::normal_distribution<float> normal(0, deviation);
    std::vector<float> logits(size);
    for (float &logit : logits)
        logit = normal(random);
    for (std::size_t i = 0; i < 1 + size / 40; ++i)
        logits[random() % size] += 4;
    return logits;
}

void expectDefinition(const SamplerSettings &settings, std::size_t size, int draws,
                      const std::string &what)
{
    std::mt19937 random(static_cast<unsigned>(size));
    Sampler sampler(settings);
    Definition definition(settings);
    std::vector<TokenId> recent;
    for (int i = 0; i < draws; ++i) {
        const std::vector<float> logits = someLogits(random, size, i % 2 ? 1.0f : 2.5f);
        std::vector<float> copy = logits;
        const TokenId expected = definition.draw(logits, recent);
        ASSERT_EQ(sampler.sample(copy, recent), expected)
            << what << ", " << size << " logits, draw " << i;
        // Repetitions of what was there, so that penalties and DRY have something to find.
        recent.push_back(random() % 3 == 0 || recent.size() < 4 ? expected
                                                                : recent[recent.size() - 3]);
    }
}

struct Named
{
    const char *name;
    std::function<void(SamplerSettings &)> change;
};

const std::vector<Named> &samplers()
{
    static const std::vector<Named> all{
        {"frequency", [](SamplerSettings &s) { s.frequencyPenalty = 0.7f; }},
        {"presence", [](SamplerSettings &s) { s.presencePenalty = 1.5f; }},
        {"a negative frequency", [](SamplerSettings &s) { s.frequencyPenalty = -0.5f; }},
        {"all penalties",
         [](SamplerSettings &s) {
             s.repeatPenalty = 1.3f;
             s.frequencyPenalty = 0.3f;
             s.presencePenalty = -0.2f;
             s.repeatWindow = 9;
         }},
        {"bias",
         [](SamplerSettings &s) {
             s.logitBias = {{3, 5.f}, {0, -9.f}, {3, 1.5f}};
         }},
        {"DRY", [](SamplerSettings &s) { s.dryMultiplier = 0.8f; }},
        {"DRY in a window",
         [](SamplerSettings &s) {
             s.dryMultiplier = 3;
             s.dryBase = 1.2f;
             s.dryAllowedLength = 1;
             s.dryWindow = 12;
         }},
        {"top-n-sigma", [](SamplerSettings &s) { s.topNSigma = 1.3f; }},
        {"typical", [](SamplerSettings &s) { s.typicalP = 0.6f; }},
        {"typical, nearly all", [](SamplerSettings &s) { s.typicalP = 0.99f; }},
        {"XTC",
         [](SamplerSettings &s) {
             s.xtcProbability = 0.5f;
             s.xtcThreshold = 0.02f;
         }},
        {"XTC always, of very many",
         [](SamplerSettings &s) {
             s.xtcProbability = 1;
             s.xtcThreshold = 1e-5f;
         }},
        {"dynamic temperature",
         [](SamplerSettings &s) {
             s.temperatureRange = 0.6f;
             s.temperatureExponent = 1.4f;
         }},
        {"mirostat 1",
         [](SamplerSettings &s) {
             s.mirostat = 1;
             s.mirostatTarget = 3;
         }},
        {"mirostat 2",
         [](SamplerSettings &s) {
             s.mirostat = 2;
             s.mirostatTarget = 3;
         }},
    };
    return all;
}

TEST(SamplerChain, EachDoesWhatItsDefinitionSays)
{
    for (const Named &one : samplers())
        for (const float temperature : {0.7f, 1.6f})
            for (const std::size_t size : {120u, 1000u, 20001u}) {
                SamplerSettings s = off();
                s.temperature = temperature;
                s.seed = size;
                one.change(s);
                expectDefinition(s, size, size > 10000 ? 3 : 25, one.name);
            }
}

TEST(SamplerChain, TogetherTheyWorkInTheOrderThatIsTold)
{
    std::mt19937 random(8);
    for (int round = 0; round < 80; ++round) {
        SamplerSettings s = off();
        s.seed = random();
        s.temperature = 0.4f + static_cast<float>(random() % 20) / 10;
        s.topK = random() % 2 ? static_cast<int>(1 + random() % 300) : 0;
        s.topP = random() % 2 ? 0.9f : 1.0f;
        s.minP = random() % 2 ? 0.04f : 0.0f;
        std::string what;
        for (const Named &one : samplers())
            if (random() % 4 == 0) {
                one.change(s);
                what += std::string(one.name) + "; ";
            }
        expectDefinition(s, 400, 25, what);
    }
}

TEST(SamplerChain, MasksAreNoPartOfADistribution)
{
    for (const Named &one : samplers()) {
        SamplerSettings s = off();
        one.change(s);
        s.logitBias.clear();
        Sampler masked(s), alone(s);
        std::mt19937 random(3);
        for (int i = 0; i < 20; ++i) {
            std::vector<float> few = someLogits(random, 130, 2);
            std::vector<float> many(few);
            many.resize(500, -std::numeric_limits<float>::infinity());
            const std::vector<TokenId> recent{5, 6, 5, 6, 5};
            const TokenId drawn = masked.sample(many, recent);
            ASSERT_LT(drawn, 130) << one.name;
            if (s.mirostat != 1) { // which counts the vocabulary
                ASSERT_EQ(drawn, alone.sample(few, recent)) << one.name;
            }
        }
    }
}

/// The device's best ones must decide the draw wherever the sampler says so.
TEST(SamplerChain, CandidatesGiveTheSameDraws)
{
    int candidates = 0;
    for (const Named &one : samplers())
        for (const float temperature : {0.0f, 0.9f}) {
            SamplerSettings s = off();
            s.temperature = temperature;
            s.topK = 12;
            s.topP = 0.9f;
            s.minP = 0.01f;
            s.repeatWindow = 15;
            one.change(s);
            Sampler fromLogits(s), fromBest(s);
            if (fromBest.needs() != Sampler::Needs::Candidates)
                continue;
            ++candidates;
            std::mt19937 random(4);
            std::vector<TokenId> recent;
            for (int i = 0; i < 60; ++i) {
                std::vector<float> logits = someLogits(random, 90, 2);
                std::vector<Candidate> best;
                for (std::size_t id = 0; id < logits.size(); ++id)
                    best.push_back({static_cast<TokenId>(id), logits[id]});
                std::sort(best.begin(), best.end(), isBetter);
                best.resize(static_cast<std::size_t>(fromBest.candidates()));
                const TokenId expected = fromLogits.sample(logits, recent);
                ASSERT_EQ(fromBest.sample(std::span<const Candidate>(best), recent), expected)
                    << one.name << ", draw " << i;
                recent.push_back(expected);
            }
        }
    EXPECT_EQ(candidates, 9);
}

TEST(SamplerChain, NeedsAllLogitsWhereTokensAreRaised)
{
    const auto needs = [](auto change) {
        SamplerSettings s = off();
        s.topK = 40;
        change(s);
        return Sampler(s).needs();
    };
    using S = SamplerSettings;
    EXPECT_EQ(needs([](S &s) {
                  s.logitBias = {{1, -3.f}, {2, -1.f}};
              }),
              Sampler::Needs::Candidates);
    EXPECT_EQ(needs([](S &s) { s.logitBias = {{1, 3.f}}; }), Sampler::Needs::Logits);
    EXPECT_EQ(needs([](S &s) { s.presencePenalty = 1; }), Sampler::Needs::Candidates);
    EXPECT_EQ(needs([](S &s) { s.presencePenalty = -1; }), Sampler::Needs::Logits);
    EXPECT_EQ(needs([](S &s) { s.dryMultiplier = 1; }), Sampler::Needs::Logits);
    EXPECT_EQ(needs([](S &s) { s.topNSigma = 1; }), Sampler::Needs::Logits);
    EXPECT_EQ(needs([](S &s) { s.mirostat = 2; }), Sampler::Needs::Logits);
    EXPECT_EQ(needs([](S &s) { s.xtcProbability = 1; }), Sampler::Needs::Candidates);
    for (const Named &one : samplers()) {
        SamplerSettings s = off();
        s.topK = 40;
        one.change(s);
        EXPECT_EQ(Sampler(s).foreseeable(), s.mirostat > 0 || s.topNSigma > 0) << one.name;
    }
}

TEST(SamplerChain, MirostatKeepsTheSurpriseNearItsTarget)
{
    for (const int version : {1, 2})
        for (const float target : {4.0f, 6.0f}) {
            SamplerSettings s = off();
            s.mirostat = version;
            s.mirostatTarget = target;
            Sampler sampler(s);
            std::vector<float> logits(5000); // Zipf's law with an exponent of 1.1
            double sum = 0;
            for (std::size_t i = 0; i < logits.size(); ++i) {
                logits[i] = -1.1f * std::log(static_cast<float>(i + 1));
                sum += std::exp(static_cast<double>(logits[i]));
            }
            double surprise = 0;
            constexpr int kDraws = 1000;
            for (int i = 0; i < kDraws; ++i) {
                std::vector<float> copy = logits;
                const auto id = static_cast<std::size_t>(sampler.sample(copy, {}));
                surprise -= std::log2(std::exp(static_cast<double>(logits[id])) / sum) / kDraws;
            }
            EXPECT_NEAR(surprise, static_cast<double>(target), 0.1) << version;
        }
}

TEST(RepeatedSequences, EndAtBreakers)
{
    const std::vector<TokenId> tokens{1, 2, 9, 3, 4, 5, 7, 2, 9, 3, 4};
    RepeatedSequences repeated;
    using Found = std::vector<std::pair<TokenId, std::size_t>>;
    EXPECT_EQ(repeated.find(tokens, [](TokenId) { return false; }), (Found{{5, 4}}));
    EXPECT_EQ(repeated.find(tokens, [](TokenId id) { return id == 9; }), (Found{{5, 2}}));
    EXPECT_EQ(repeated.find(tokens, [](TokenId id) { return id == 4; }), Found{});
    EXPECT_EQ(repeated.find(tokens, [](TokenId id) { return id == 5; }), Found{});
    EXPECT_EQ(repeated.find({}, [](TokenId) { return false; }), Found{});
    // One token over and over: linear in time, and the longest counts.
    const std::vector<TokenId> same(100000, 6);
    EXPECT_EQ(repeated.find(same, [](TokenId) { return false; }), (Found{{6, 99999}}));
}

TEST(SortBest, GivesTheOrderOfComparing)
{
    std::mt19937 random(6);
    for (const std::size_t size : {0u, 1u, 100u, 4096u, 20000u}) {
        std::vector<Candidate> candidates;
        for (std::size_t i = 0; i < size; ++i) {
            const float values[] = {0.0f, -0.0f, -std::numeric_limits<float>::infinity(),
                                    static_cast<float>(random() % 1000) / 100 - 5};
            candidates.push_back({static_cast<TokenId>(i), values[random() % 4]});
        }
        if (size == 20000)
            std::shuffle(candidates.begin(), candidates.end(), random);
        std::vector<Candidate> sorted = candidates;
        std::sort(sorted.begin(), sorted.end(), isBetter);
        sortBest(candidates);
        for (std::size_t i = 0; i < size; ++i)
            ASSERT_EQ(candidates[i].id, sorted[i].id) << size << ", " << i;
    }
}

TEST(SamplerChain, SettingsOutOfRangeAreRejected)
{
    const auto rejects = [](auto change) {
        SamplerSettings s = off();
        change(s);
        EXPECT_THROW(Sampler{s}, Error);
    };
    using S = SamplerSettings;
    rejects([](S &s) { s.typicalP = 1.1f; });
    rejects([](S &s) { s.topNSigma = -1; });
    rejects([](S &s) { s.xtcProbability = 2; });
    rejects([](S &s) { s.dryBase = 0.5f; });
    rejects([](S &s) { s.dryAllowedLength = 0; });
    rejects([](S &s) { s.mirostat = 3; });
    rejects([](S &s) { s.frequencyPenalty = std::numeric_limits<float>::quiet_NaN(); });
    rejects([](S &s) { s.logitBias = {{-1, 1.f}}; });
    rejects([](S &s) { s.logitBias = {{1, 1e9f}}; });
    rejects([](S &s) { s.temperatureExponent = 0; });
}

} // namespace
} // namespace fireside
