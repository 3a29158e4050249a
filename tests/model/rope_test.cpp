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

} // namespace
} // namespace fireside
