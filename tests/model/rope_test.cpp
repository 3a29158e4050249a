#include "engine/model/rope_frequencies.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fireside {
namespace {

RopeSettings settings()
{
    RopeSettings s;
    s.headDim = s.rotary = 128;
    s.base = 10000;
    s.contextTrained = 16384;
    s.originalContext = 4096;
    return s;
}

TEST(RopeFrequencies, PlainOnesAreAGeometricRow)
{
    const Rope rope = makeRope(settings(), RopePairing::HalfSplit);
    ASSERT_EQ(rope.inverseFrequencies.size(), 64u);
    for (std::size_t i = 0; i < 64; ++i)
        EXPECT_FLOAT_EQ(
            rope.inverseFrequencies[i],
            static_cast<float>(std::exp(-std::log(10000.0) * static_cast<double>(i) / 64)));
    EXPECT_EQ(rope.attentionFactor, 1.0f);
}

TEST(RopeFrequencies, LinearDividesAll)
{
    RopeSettings s = settings();
    const Rope plain = makeRope(s, RopePairing::HalfSplit);
    s.scaling = RopeSettings::Scaling::Linear;
    s.factor = 4;
    const Rope scaled = makeRope(s, RopePairing::HalfSplit);
    for (std::size_t i = 0; i < 64; ++i)
        EXPECT_FLOAT_EQ(scaled.inverseFrequencies[i], plain.inverseFrequencies[i] / 4);
}

// Wavelength λ = 2π/f: more than 32 turns over the original context keep their frequency, less than
// one turn is divided by the factor; attention is scaled by 0.1·ln(s) + 1 (arXiv 2309.00071, eq.
// 22).
TEST(RopeFrequencies, YarnKeepsFastPairsAndStretchesSlowOnes)
{
    RopeSettings s = settings();
    const Rope plain = makeRope(s, RopePairing::HalfSplit);
    s.scaling = RopeSettings::Scaling::Yarn;
    s.factor = 4;
    s.attentionFactor = yarnAttention(4);
    const Rope yarn = makeRope(s, RopePairing::HalfSplit);
    EXPECT_FLOAT_EQ(yarn.attentionFactor, static_cast<float>(0.1 * std::log(4.0) + 1));
    int kept = 0, stretched = 0;
    for (std::size_t i = 0; i < 64; ++i) {
        const double f = static_cast<double>(plain.inverseFrequencies[i]);
        const double turns = 4096 * f / (2 * M_PI);
        const double ratio = static_cast<double>(yarn.inverseFrequencies[i]) / f;
        EXPECT_GE(ratio, 0.25 - 1e-6);
        EXPECT_LE(ratio, 1 + 1e-6);
        if (turns > 40) {
            EXPECT_NEAR(ratio, 1, 1e-6) << i;
            ++kept;
        } else if (turns < 0.8) {
            EXPECT_NEAR(ratio, 0.25, 1e-6) << i;
            ++stretched;
        }
    }
    EXPECT_GT(kept, 10);
    EXPECT_GT(stretched, 10);
}

TEST(RopeFrequencies, DivisorsFromTheFileApplyPerPair)
{
    RopeSettings s = settings();
    const Rope plain = makeRope(s, RopePairing::Interleaved);
    s.divisors.assign(64, 1.0f);
    s.divisors[63] = 8;
    const Rope scaled = makeRope(s, RopePairing::Interleaved);
    EXPECT_FLOAT_EQ(scaled.inverseFrequencies[0], plain.inverseFrequencies[0]);
    EXPECT_FLOAT_EQ(scaled.inverseFrequencies[63], plain.inverseFrequencies[63] / 8);
}

// The formulas of transformers, written down once more.
TEST(RopeFrequencies, YarnAgreesWithTheFormula)
{
    RopeSettings s = settings();
    s.scaling = RopeSettings::Scaling::Yarn;
    s.factor = 40;
    for (const bool truncate : {true, false}) {
        s.truncate = truncate;
        const Rope rope = makeRope(s, RopePairing::HalfSplit);
        const auto correction = [](double turns) {
            return 128 * std::log(4096 / (turns * 2 * M_PI)) / (2 * std::log(10000.0));
        };
        double low = correction(32), high = correction(1);
        if (truncate) {
            low = std::floor(low);
            high = std::ceil(high);
        }
        for (std::size_t i = 0; i < 64; ++i) {
            const double frequency = 1 / std::pow(10000.0, static_cast<double>(2 * i) / 128);
            const double ramp =
                std::min(1.0, std::max(0.0, (static_cast<double>(i) - low) / (high - low)));
            const double expected = frequency / 40 * ramp + frequency * (1 - ramp);
            EXPECT_NEAR(static_cast<double>(rope.inverseFrequencies[i]) / expected, 1, 1e-6) << i;
        }
    }
}

TEST(RopeFrequencies, Llama3AgreesWithTheFormula)
{
    RopeSettings s = settings();
    s.base = 500000;
    s.scaling = RopeSettings::Scaling::Llama3;
    s.factor = 8;
    s.lowFrequency = 1;
    s.highFrequency = 4;
    s.originalContext = 8192;
    const Rope rope = makeRope(s, RopePairing::HalfSplit);
    for (std::size_t i = 0; i < 64; ++i) {
        const double f = 1 / std::pow(500000.0, static_cast<double>(2 * i) / 128);
        const double wavelength = 2 * M_PI / f;
        double expected = f;
        if (wavelength > 8192.0 / 1) {
            expected = f / 8;
        } else if (wavelength > 8192.0 / 4) {
            const double smooth = (8192 / wavelength - 1) / (4 - 1);
            expected = (1 - smooth) * f / 8 + smooth * f;
        }
        EXPECT_NEAR(static_cast<double>(rope.inverseFrequencies[i]) / expected, 1, 1e-6) << i;
    }
    EXPECT_EQ(rope.attentionFactor, 1.0f);
}

TEST(RopeFrequencies, FactorsOfAttention)
{
    EXPECT_EQ(yarnAttention(1), 1);
    EXPECT_EQ(yarnAttention(0.5, 3), 1);
    EXPECT_DOUBLE_EQ(yarnAttention(40, 0.707), 0.1 * 0.707 * std::log(40.0) + 1);
    EXPECT_EQ(longRopeAttention(1, 4096), 1);
    EXPECT_DOUBLE_EQ(longRopeAttention(32, 4096), std::sqrt(1 + std::log(32.0) / std::log(4096.0)));
}

} // namespace
} // namespace fireside
