#include "tests/conformance/draw.h"
#include "tests/conformance/pairs.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

// The cases of the conformance tests: what is drawn, and what is counted.
namespace fireside::conformance {
namespace {

constexpr unsigned kSeed = 20;

std::set<std::string> met(const Cases &cases, const std::vector<Pick> &picks, std::size_t first)
{
    std::set<std::string> all;
    for (std::size_t i = 0; i < std::min(first, picks.size()); ++i)
        for (const std::string &pair : cases.pairsOf(picks[i]))
            all.insert(pair);
    return all;
}

TEST(Draw, EveryPairIsMetByFewCases)
{
    Cases cases("an op");
    std::vector<Option<int>> options;
    for (int i = 0; i < 8; ++i)
        options.push_back(
            cases.option<int>("option " + std::to_string(i),
                              i < 6 ? std::vector{0, 1, 2} : std::vector{0, 1, 2, 3, 4}));
    std::mt19937 random(kSeed);
    const auto picks = cases.allPairs(random);
    const auto pairs = cases.pairs();
    EXPECT_EQ(pairs.size(), 15U * 9 + 12 * 15 + 25);
    EXPECT_EQ(met(cases, picks, picks.size()), std::set<std::string>(pairs.begin(), pairs.end()));
    EXPECT_GE(picks.size(), 25U);
    EXPECT_LE(picks.size(), 38U) << "of 18225 combinations";
    for (std::size_t i = 0; i < options.size(); ++i) { // the first few meet all values
        std::set<int> values;
        for (std::size_t p = 0; p < 5; ++p)
            values.insert(picks[p][options[i]]);
        EXPECT_EQ(values.size(), i < 6 ? 3U : 5U);
    }
    EXPECT_GE(met(cases, picks, 10).size(), 200U);
}

TEST(Draw, WhatDoesNotGoTogetherIsNeitherDrawnNorPossible)
{
    Cases cases("an op", "with rules");
    const auto from = cases.option<DType>("from", {DType::F32, DType::F16});
    const auto to = cases.option<DType>("to", {DType::F32, DType::F16});
    const auto inPlace = cases.option("in place");
    const auto rows = cases.option<int>("rows", {0, 1, 33});
    const auto order = cases.option<int>("order", {0, 1}, {"token", "head"});
    cases.without([](bool same, DType a, DType b) { return same && a != b; }, inPlace, from, to);
    cases.without([](bool same, int o) { return same && o == 1; }, inPlace, order);
    // By both rules, rows of 33 are in place, hence never F32 → F16.
    cases.without([](bool same, int r) { return !same && r == 33; }, inPlace, rows);
    std::mt19937 random(kSeed);
    const auto picks = cases.allPairs(random);
    for (const Pick &pick : picks) {
        EXPECT_FALSE(pick[inPlace] && (pick[from] != pick[to] || pick[order] == 1)) << pick.text();
        EXPECT_FALSE(pick[rows] == 33 && !pick[inPlace]) << pick.text();
    }
    const auto pairs = cases.pairs();
    const std::set<std::string> possible(pairs.begin(), pairs.end());
    EXPECT_EQ(met(cases, picks, picks.size()), possible);
    EXPECT_TRUE(possible.contains("from F16 × to F32"));
    EXPECT_TRUE(possible.contains("rows 1 × order head"));
    EXPECT_FALSE(possible.contains("rows 33 × order head")) << "follows from two rules";
    EXPECT_FALSE(possible.contains("in place yes × order head"));
    EXPECT_EQ(cases.name(), "an op, with rules");
    Pick pick{&cases, {0, 1, 0, 2, 1}};
    EXPECT_EQ(pick.text(), "from F32, to F16, in place no, rows 33, order head");
    EXPECT_EQ(pick.types(), "F32→F16");
}

TEST(Draw, AnOptionThatComesFirstMeetsAllValuesInAsManyCases)
{
    constexpr int kRows = 6;
    for (unsigned seed = 0; seed < 50; ++seed) {
        Cases cases("an op");
        const auto cols = cases.option<int>("cols", {1, 2, 3, 4, 5, 6, 7, 8, 9});
        const auto rows = cases.option<int>("rows", {0, 1, 2, 3, 4, 5});
        const auto outs = cases.option<int>("outs", {1, 2, 3, 4, 5, 6, 7, 8, 9});
        cases.without([](int r, int c, int o) { return r * c * o > 40; }, rows, cols, outs);
        cases.first(rows);
        std::mt19937 random(seed);
        const auto picks = cases.allPairs(random);
        std::set<int> values;
        for (std::size_t i = 0; i < kRows; ++i)
            values.insert(picks[i][rows]);
        EXPECT_EQ(values.size(), std::size_t{kRows}) << "seed " << seed;
        const auto pairs = cases.pairs();
        EXPECT_EQ(met(cases, picks, picks.size()),
                  std::set<std::string>(pairs.begin(), pairs.end()));
    }
}

TEST(Draw, SeedsDecide)
{
    Cases cases("an op");
    for (int i = 0; i < 6; ++i)
        cases.option<int>(std::to_string(i), {0, 1, 2});
    const auto drawn = [&](unsigned seed) {
        std::mt19937 random(seed);
        std::vector<std::vector<int>> values;
        for (const Pick &pick : cases.allPairs(random))
            values.push_back(pick.values);
        return values;
    };
    EXPECT_EQ(drawn(1), drawn(1));
    EXPECT_NE(drawn(1), drawn(2));
}

TEST(Draw, OneOptionAloneHasEachValueOnce)
{
    Cases cases("an op");
    cases.option<int>("rows", {1, 2, 3});
    std::mt19937 random(kSeed);
    EXPECT_EQ(cases.allPairs(random).size(), 3U);
    EXPECT_TRUE(cases.pairs().empty());
}

TEST(Draw, AValueThatGoesWithNothingIsAMistake)
{
    Cases cases("an op");
    const auto rows = cases.option<int>("rows", {1, 2});
    const auto cols = cases.option<int>("cols", {1, 2});
    cases.without([](int r, int) { return r == 2; }, rows, cols);
    std::mt19937 random(kSeed);
    EXPECT_THROW(cases.allPairs(random), std::logic_error);
    EXPECT_THROW(Cases("an op").option<int>("rows", {}), std::logic_error);
}

TEST(Pairs, WhatProcessesMetAddsUp)
{
    Cases cases("an op");
    cases.option<int>("a", {0, 1});
    cases.option<int>("b", {0, 1});
    const test::TempDir folder;
    const auto meet = [&](PairsMet &pairs, std::vector<int> values) {
        pairs.meet("cpu", Pick{&cases, std::move(values)});
    };
    const auto leave = [&](const PairsMet &pairs, const std::string &name) {
        std::ofstream out(folder / (name + ".pairs"));
        pairs.write(out);
    };
    PairsMet first, second, ordinary;
    first.declare("cpu", cases, true);
    EXPECT_EQ(first.missing(), 4);
    meet(first, {0, 0});
    meet(first, {0, 1});
    EXPECT_EQ(first.missing(), 2);
    EXPECT_NE(first.table().find("an op on cpu: 2 of 4  without a 1 × b 0; a 1 × b 1\n"),
              std::string::npos)
        << first.table();
    leave(first, "first");
    EXPECT_FALSE(mergePairs(folder.path().string()));
    second.declare("cpu", cases, true);
    meet(second, {1, 0});
    meet(second, {1, 1});
    leave(second, "second");
    EXPECT_TRUE(mergePairs(folder.path().string()));
    ordinary.declare("cpu", cases, false);
    EXPECT_EQ(ordinary.missing(), 0) << "only thorough runs have to meet them all";
    Cases other("an op");
    other.option<int>("a", {7, 8});
    other.option<int>("b", {7, 8});
    EXPECT_THROW(ordinary.meet("cpu", Pick{&other, {0, 0}}), std::logic_error);
}

} // namespace
} // namespace fireside::conformance
