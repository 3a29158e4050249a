#include "engine/core/error.h"
#include "engine/generate/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

namespace fireside {
namespace {

SamplerSettings plain()
{
    return {.temperature = 1,
            .topK = 0,
            .topP = 1,
            .minP = 0,
            .repeatPenalty = 1,
            .repeatWindow = 64,
            .seed = 1};
}

std::map<TokenId, double> frequencies(const SamplerSettings &settings,
                                      const std::vector<float> &logits, int draws,
                                      const std::vector<TokenId> &recent = {})
{
    Sampler sampler(settings);
    std::map<TokenId, double> counts;
    for (int i = 0; i < draws; ++i) {
        std::vector<float> copy = logits;
        counts[sampler.sample(copy, recent)] += 1.0 / draws;
    }
    return counts;
}

std::vector<double> softmax(const std::vector<float> &logits, double temperature)
{
    std::vector<double> p;
    for (const float l : logits)
        p.push_back(std::exp(static_cast<double>(l) / temperature));
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double &x : p)
        x /= sum;
    return p;
}

const std::vector<float> kLogits{0.5f, 2.0f, -1.0f, 1.0f, 0.0f};

TEST(Sampler, FollowsTheSoftmaxAtEachTemperature)
{
    for (const float temperature : {0.5f, 1.0f, 2.0f}) {
        SamplerSettings s = plain();
        s.temperature = temperature;
        const auto counts = frequencies(s, kLogits, 40000);
        const auto p = softmax(kLogits, static_cast<double>(temperature));
        for (std::size_t i = 0; i < p.size(); ++i) // 5 standard deviations of 40,000 draws
            EXPECT_NEAR(counts.count(static_cast<TokenId>(i)) ? counts.at(static_cast<TokenId>(i))
                                                              : 0.0,
                        p[i], 5 * std::sqrt(p[i] * (1 - p[i]) / 40000) + 1e-4);
    }
}

TEST(Sampler, TopKKeepsTheBestAndRenormalises)
{
    SamplerSettings s = plain();
    s.topK = 2;
    const auto counts = frequencies(s, kLogits, 20000);
    ASSERT_EQ(counts.size(), 2u);
    const double e = std::exp(2.0), f = std::exp(1.0);
    EXPECT_NEAR(counts.at(1), e / (e + f), 0.02);
    EXPECT_NEAR(counts.at(3), f / (e + f), 0.02);
}

TEST(Sampler, TopPKeepsTheShortestSufficientRun)
{
    // p ≈ 0.546 0.201 0.122 0.074 …: 0.5 keeps one, 0.6 two.
    SamplerSettings s = plain();
    s.topP = 0.5f;
    EXPECT_EQ(frequencies(s, kLogits, 500).size(), 1u);
    s.topP = 0.6f;
    const auto two = frequencies(s, kLogits, 20000);
    ASSERT_EQ(two.size(), 2u);
    const double e = std::exp(2.0), f = std::exp(1.0); // of these two alone
    EXPECT_NEAR(two.at(1), e / (e + f), 0.02);
    EXPECT_NEAR(two.at(3), f / (e + f), 0.02);
    s.topP = 0;
    EXPECT_EQ(frequencies(s, kLogits, 500).size(), 1u);
}

TEST(Sampler, MinPIsRelativeToTheBest)
{
    SamplerSettings s = plain();
    s.minP = 0.3f; // exp(1 − 2) = 0.37 stays, exp(0.5 − 2) = 0.22 goes
    const auto counts = frequencies(s, kLogits, 5000);
    EXPECT_EQ(counts.size(), 2u);
    EXPECT_TRUE(counts.count(1) && counts.count(3));
    // Of the probabilities at the temperature: exp((0 − 2) / 2) = 0.37 stays, exp(−3 / 2) goes.
    s.temperature = 2;
    const auto warm = frequencies(s, kLogits, 5000);
    EXPECT_EQ(warm.size(), 4u);
    EXPECT_EQ(warm.count(2), 0u);
}

TEST(Sampler, ThePenaltyLowersRecentTokensOnly)
{
    SamplerSettings s = plain();
    s.temperature = 0;
    s.repeatPenalty = 3;
    Sampler sampler(s);
    std::vector<float> logits = kLogits;
    const std::vector<TokenId> recent{1, 1, 2, 900,
                                      -4}; // repeats count once, foreign ids are ignored
    EXPECT_EQ(sampler.sample(logits, recent), 3);
    EXPECT_FLOAT_EQ(logits[1], 2.0f / 3);
    EXPECT_FLOAT_EQ(logits[2], -3.0f);
    EXPECT_FLOAT_EQ(logits[0], 0.5f);

    s.repeatWindow = 1;
    Sampler narrow(s);
    logits = kLogits;
    EXPECT_EQ(narrow.sample(logits, std::vector<TokenId>{1, 0}), 1); // 1 is outside the window
}

TEST(Sampler, GreedyTakesTheFirstMaximum)
{
    SamplerSettings s = plain();
    s.temperature = 0;
    Sampler sampler(s);
    std::vector<float> logits{1, 5, 5, 2};
    EXPECT_EQ(sampler.sample(logits, {}), 1);
}

TEST(Sampler, TheSameSeedGivesTheSameTokens)
{
    const auto draw = [](std::uint64_t seed) {
        SamplerSettings s = plain();
        s.seed = seed;
        Sampler sampler(s);
        std::vector<TokenId> ids;
        for (int i = 0; i < 50; ++i) {
            std::vector<float> logits = kLogits;
            ids.push_back(sampler.sample(logits, {}));
        }
        return ids;
    };
    EXPECT_EQ(draw(7), draw(7));
    EXPECT_NE(draw(7), draw(8));
}

TEST(Sampler, BrokenLogitsAreErrors)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    for (const float temperature : {0.0f, 1.0f}) {
        SamplerSettings s = plain();
        s.temperature = temperature;
        Sampler sampler(s);
        for (std::vector<float> logits :
             {std::vector<float>{1, nan, 2}, {nan, nan}, {1, inf}, {-inf, -inf}})
            EXPECT_THROW(sampler.sample(logits, {}), Error);
        for (std::size_t i = 0; i < 100; ++i) {
            std::vector<float> logits(100, 1);
            logits[i] = nan;
            EXPECT_THROW(sampler.sample(logits, {}), Error) << i;
        }
        std::vector<float> masked{-inf, 1, -inf}; // a masked token is no fault
        EXPECT_EQ(sampler.sample(masked, {}), 1);
    }
}

TEST(Sampler, CandidatesGiveTheSameDrawsAsAllLogits)
{
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0, 3);
    SamplerSettings s = plain();
    s.topK = 12;
    s.topP = 0.9f;
    s.minP = 0.02f;
    s.temperature = 0.8f;
    Sampler fromLogits(s), fromCandidates(s);
    ASSERT_EQ(fromCandidates.needs(), Sampler::Needs::Candidates);
    ASSERT_EQ(fromCandidates.candidates(), 12);
    for (int draw = 0; draw < 200; ++draw) {
        std::vector<float> logits(300);
        for (float &logit : logits)
            logit = std::round(normal(random) * 4) / 4; // with ties
        std::vector<Candidate> best;
        for (std::size_t i = 0; i < logits.size(); ++i)
            best.push_back({static_cast<TokenId>(i), logits[i]});
        std::stable_sort(best.begin(), best.end(),
                         [](const Candidate &a, const Candidate &b) { return a.logit > b.logit; });
        best.resize(12);
        const TokenId expected = fromLogits.sample(logits, {});
        ASSERT_EQ(fromCandidates.sample(std::span<const Candidate>(best)), expected);
    }
}

TEST(Sampler, CandidatesAreEnoughForAPenalty)
{
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0, 3);
    for (const float temperature : {0.0f, 0.9f}) {
        SamplerSettings s = plain();
        s.topK = 5;
        s.temperature = temperature;
        s.repeatPenalty = 1.7f;
        s.repeatWindow = 20;
        Sampler fromLogits(s), fromCandidates(s);
        ASSERT_EQ(fromCandidates.needs(), Sampler::Needs::Candidates);
        const auto count = static_cast<std::size_t>(fromCandidates.candidates());
        ASSERT_EQ(count, temperature > 0 ? 25u : 21u);
        EXPECT_FALSE(fromCandidates.foreseeable());
        std::vector<TokenId> recent;
        for (int draw = 0; draw < 300; ++draw) {
            std::vector<float> logits(60);
            for (float &logit : logits)
                logit = std::round(normal(random) * 4) / 4; // with ties
            std::vector<Candidate> best;
            for (std::size_t i = 0; i < logits.size(); ++i)
                best.push_back({static_cast<TokenId>(i), logits[i]});
            std::stable_sort(best.begin(), best.end(), [](const Candidate &a, const Candidate &b) {
                return a.logit > b.logit;
            });
            best.resize(count);
            const TokenId expected = fromLogits.sample(logits, recent);
            ASSERT_EQ(fromCandidates.sample(std::span<const Candidate>(best), recent), expected);
            recent.push_back(draw % 3 == 0 ? best[static_cast<std::size_t>(draw) % count].id
                                           : expected);
        }
    }
}

TEST(Sampler, CandidatesMayBeFewButNotNone)
{
    SamplerSettings s = plain();
    s.topK = 3;
    Sampler sampler(s);
    const std::vector<Candidate> one{{7, 1.0f}, {-1, 0}, {-1, 0}}, none(3);
    EXPECT_EQ(sampler.sample(std::span<const Candidate>(one)), 7);
    EXPECT_THROW(sampler.sample(std::span<const Candidate>(none)), Error);
}

TEST(Sampler, NeedsAsLittleAsTheSettingsAllow)
{
    SamplerSettings s = plain();
    EXPECT_EQ(Sampler(s).needs(), Sampler::Needs::Logits);
    s.topK = 40;
    EXPECT_EQ(Sampler(s).needs(), Sampler::Needs::Candidates);
    s.temperature = 0;
    EXPECT_EQ(Sampler(s).needs(), Sampler::Needs::Best);
    s.repeatPenalty = 1.1f; // greedy: the window's 64 and one more
    EXPECT_EQ(Sampler(s).needs(), Sampler::Needs::Candidates);
    EXPECT_EQ(Sampler(s).candidates(), 65);
    s.repeatWindow = 256;
    EXPECT_EQ(Sampler(s).needs(), Sampler::Needs::Logits);
    s.repeatWindow = 64;
    s.repeatPenalty = 0.9f; // raises tokens from anywhere
    EXPECT_EQ(Sampler(s).needs(), Sampler::Needs::Logits);
}

/// The definition, step by step, with all tokens in order.
class PlainSampler
{
public:
    explicit PlainSampler(const SamplerSettings &settings)
        : m_s(settings)
        , m_random(settings.seed)
    {}
    TokenId sample(const std::vector<float> &logits)
    {
        std::vector<std::pair<float, TokenId>> order;
        for (std::size_t i = 0; i < logits.size(); ++i)
            order.emplace_back(-logits[i], static_cast<TokenId>(i));
        std::sort(order.begin(), order.end());
        const float top = -order[0].first;
        if (m_s.topK > 0 && static_cast<std::size_t>(m_s.topK) < order.size())
            order.resize(static_cast<std::size_t>(m_s.topK));
        const float floor = top + m_s.temperature * std::log(m_s.minP);
        if (m_s.minP > 0)
            std::erase_if(order, [&](const auto &one) { return -one.first < floor; });
        std::vector<double> weights;
        double total = 0;
        for (const auto &[negative, id] : order)
            total += weights.emplace_back(
                static_cast<double>(std::exp((-negative - top) / m_s.temperature)));
        if (m_s.topP < 1) {
            double kept = 0;
            std::size_t count = 0;
            while (count == 0 ||
                   (count < order.size() && kept < static_cast<double>(m_s.topP) * total))
                kept += weights[count++];
            order.resize(count);
            total = kept;
        }
        double left = static_cast<double>(m_random() >> 11) * 0x1p-53 * total;
        for (std::size_t i = 0; i < order.size(); ++i)
            if ((left -= weights[i]) < 0)
                return order[i].second;
        return order.back().second;
    }

private:
    SamplerSettings m_s;
    std::mt19937_64 m_random;
};

void expectPlainDraws(const SamplerSettings &settings, const std::vector<float> &logits, int draws)
{
    Sampler sampler(settings);
    PlainSampler reference(settings);
    for (int draw = 0; draw < draws; ++draw) {
        std::vector<float> copy = logits;
        ASSERT_EQ(sampler.sample(copy, {}), reference.sample(logits))
            << logits.size() << " logits, draw " << draw << ", temperature " << settings.temperature
            << ", k " << settings.topK << ", p " << settings.topP << ", min-p " << settings.minP;
    }
}

/// Shortcuts must draw, bit for bit, what sorting all tokens draws: old replies are made again so.
TEST(Sampler, ShortcutsDrawWhatSortingAllDraws)
{
    std::mt19937 random(11);
    std::normal_distribution<float> normal(0, 3);
    std::vector<SamplerSettings> all;
    for (const float temperature : {0.3f, 1.0f, 3.0f})
        for (const int k : {0, 1, 40, 700})
            for (const float p : {0.0f, 0.3f, 0.95f, 1.0f})
                for (const float minP : {0.0f, 0.05f, 1.0f}) {
                    all.push_back(plain());
                    all.back().temperature = temperature;
                    all.back().topK = k;
                    all.back().topP = p;
                    all.back().minP = minP;
                }
    for (const std::size_t size : {1u, 2u, 63u, 64u, 65u, 511u, 512u, 2000u, 40001u})
        for (const bool ties : {false, true}) {
            std::vector<float> logits(size);
            for (float &logit : logits) {
                logit = normal(random);
                if (ties)
                    logit = std::round(logit);
            }
            for (std::size_t i = 0; i < size / 50; ++i)
                logits[random() % size] += 9;
            for (std::size_t i = 0; i < size / 3; ++i) // masked ones
                logits[1 + random() % size % (size - 1)] = -std::numeric_limits<float>::infinity();
            const bool large = size > 10000;
            for (std::size_t i = 0; i < all.size(); i += large ? 7 : 1) {
                all[i].seed = random();
                expectPlainDraws(all[i], logits, large ? 2 : 6);
            }
        }
}

/// The probabilities end where a token begins: nearly is not enough to say on which side.
TEST(Sampler, DrawsAtTheVeryBorderAreThoseOfTheDefinition)
{
    const std::vector<float> equal(1024, 1.5f);
    for (const float p : {0.25f, 0.125f, 0.2500001f, 0.2499999f}) {
        SamplerSettings s = plain();
        s.topP = p;
        expectPlainDraws(s, equal, 100);
    }
    std::vector<float> rising(70000);
    for (std::size_t i = 0; i < rising.size(); ++i)
        rising[i] = static_cast<float>(i) * 1e-4f;
    expectPlainDraws(plain(), rising, 20);
}

TEST(Sampler, RoughWeightsAreNearlyRight)
{
    double worst = 0;
    for (float x = 0; x > -86; x -= 0.00137f) {
        const double right = std::exp(static_cast<double>(x));
        worst = std::max(worst,
                         std::abs(static_cast<double>(LogitScan::roughWeight(x)) - right) / right);
    }
    // The sampler compares with std::exp of floats, which rounds, too.
    EXPECT_LT(worst + 0x1p-23, LogitScan::kWeightError);
    EXPECT_EQ(LogitScan::roughWeight(0), 1.0f);
    for (const float x : {-90.0f, -1e10f, -std::numeric_limits<float>::infinity()})
        EXPECT_LT(LogitScan::roughWeight(x), 1e-37f);

    std::mt19937 random(2);
    std::normal_distribution<float> normal(0, 3);
    std::vector<float> logits(10007);
    double sum = 0;
    for (float &logit : logits)
        logit = normal(random);
    LogitScan scan;
    scan.read(logits);
    for (const float logit : logits)
        sum += std::exp(static_cast<double>((logit - scan.top().logit) / 0.7f));
    EXPECT_NEAR(scan.sumOfWeights(0.7f) / sum, 1, LogitScan::kWeightError);
}

TEST(Sampler, SettingsOutOfRangeAreRejected)
{
    const auto rejects = [](auto change) {
        SamplerSettings s = plain();
        change(s);
        EXPECT_THROW(Sampler{s}, Error);
    };
    rejects([](SamplerSettings &s) { s.temperature = -1; });
    rejects([](SamplerSettings &s) { s.temperature = std::numeric_limits<float>::quiet_NaN(); });
    rejects([](SamplerSettings &s) { s.topK = -1; });
    rejects([](SamplerSettings &s) { s.topP = 1.5f; });
    rejects([](SamplerSettings &s) { s.minP = -0.1f; });
    rejects([](SamplerSettings &s) { s.repeatPenalty = 0; });
    rejects([](SamplerSettings &s) { s.repeatWindow = -1; });
}

} // namespace
} // namespace fireside
