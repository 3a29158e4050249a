// The tree of kept runs against a plain list of all that was kept.
#include "engine/generate/prefix_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace fireside {
namespace {

using Tokens = std::vector<TokenId>;

std::size_t common(const Tokens &a, const Tokens &b)
{
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                    a.begin());
}

class PrefixTreeTest : public testing::Test
{
protected:
    /// As a cache does: what the tree lacks follows on what it has.
    std::uint64_t keep(const Tokens &tokens, const std::vector<std::size_t> &states = {},
                       const std::string &key = "a")
    {
        const PrefixTree::Way way = tree.find(key, tokens);
        PrefixNode node{
            .parent = way.steps.empty() ? 0 : way.steps.back().id, .key = key, .from = way.tokens};
        node.tokens.assign(tokens.begin() + static_cast<std::ptrdiff_t>(way.tokens), tokens.end());
        node.id = prefixId(key, node.parent, node.from, node.tokens);
        for (const std::size_t at : states)
            if (at > node.from)
                node.states.push_back(at);
        node.used = ++time;
        const std::uint64_t id = node.id;
        return tree.add(std::move(node)) ? id : 0;
    }
    /// The tokens along a way.
    Tokens along(const PrefixTree::Way &way)
    {
        Tokens tokens;
        for (const PrefixTree::Step &step : way.steps) {
            const PrefixNode &node = *tree.node(step.id);
            EXPECT_EQ(node.from, tokens.size());
            EXPECT_LE(step.end, node.end());
            EXPECT_GT(step.end, node.from);
            tokens.insert(tokens.end(), node.tokens.begin(),
                          node.tokens.begin() + static_cast<std::ptrdiff_t>(step.end - node.from));
        }
        return tokens;
    }

    PrefixTree tree;
    std::int64_t time = 0;
};

TEST_F(PrefixTreeTest, FindsTheLongestOfAll)
{
    std::mt19937 random(7);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::vector<std::pair<Tokens, std::vector<std::size_t>>> kept;
    for (int round = 0; round < 400; ++round) {
        // A new chat, or one that leaves an earlier one somewhere.
        Tokens tokens;
        if (!kept.empty() && below(4) > 0) {
            tokens = kept[below(kept.size())].first;
            tokens.resize(below(tokens.size() + 1));
        }
        for (std::size_t i = 1 + below(12); i > 0; --i)
            tokens.push_back(static_cast<TokenId>(below(3)));

        std::size_t longest = 0, toState = 0;
        for (const auto &[other, states] : kept) {
            const std::size_t same = common(tokens, other);
            longest = std::max(longest, same);
            for (const std::size_t at : states)
                toState = std::max(toState, at <= same ? at : 0);
        }
        const PrefixTree::Way way = tree.find("a", tokens), stated = tree.find("a", tokens, true);
        ASSERT_EQ(way.tokens, longest) << round;
        ASSERT_EQ(stated.tokens, toState) << round;
        const auto first = [&](std::size_t n) {
            return Tokens(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n));
        };
        ASSERT_EQ(along(way), first(longest));
        ASSERT_EQ(along(stated), first(toState));
        EXPECT_EQ(tree.find("b", tokens).tokens, 0U);

        std::vector<std::size_t> states;
        for (std::size_t at = longest + 1; at <= tokens.size(); ++at)
            if (below(3) == 0)
                states.push_back(at);
        if (longest < tokens.size()) {
            ASSERT_NE(keep(tokens, states), 0U);
            kept.emplace_back(tokens, states);
        }
    }
}

TEST_F(PrefixTreeTest, TheOldestEndGoesFirst)
{
    const auto first = keep({1, 2, 3}), second = keep({1, 2, 3, 4}), other = keep({5});
    const auto oldest = [&] {
        return tree.oldest([](const PrefixNode &, bool leaf) { return leaf; });
    };
    EXPECT_EQ(oldest(), second) << "the one before is still needed";
    tree.node(second)->used = 9;
    EXPECT_EQ(oldest(), other);
    tree.erase(other);
    tree.erase(second);
    EXPECT_EQ(oldest(), first);
    tree.erase(first);
    EXPECT_EQ(oldest(), std::nullopt);
}

TEST_F(PrefixTreeTest, WhatFollowsGoesAsWell)
{
    const auto first = keep({1, 2, 3});
    keep({1, 2, 3, 4});
    keep({1, 2, 9});
    const auto other = keep({7});
    std::size_t gone = 0;
    tree.erase(first, [&](const PrefixNode &node) { gone += node.tokens.size(); });
    EXPECT_EQ(gone, 5U);
    EXPECT_EQ(tree.find("a", Tokens{1, 2, 3, 4}).tokens, 0U);
    EXPECT_EQ(tree.find("a", Tokens{7}).tokens, 1U);
    EXPECT_NE(tree.node(other), nullptr);
    tree.erase(12345);
}

TEST_F(PrefixTreeTest, WhatDoesNotFollowIsRefused)
{
    const auto first = keep({1, 2, 3});
    const auto add = [&](PrefixNode node) {
        node.id = 99;
        return tree.add(std::move(node));
    };
    EXPECT_FALSE(add({.parent = 0, .key = "a", .from = 1, .tokens = {1}})) << "no beginning";
    EXPECT_FALSE(add({.parent = 77, .key = "a", .from = 1, .tokens = {1}})) << "no parent";
    EXPECT_FALSE(add({.parent = first, .key = "b", .from = 3, .tokens = {1}})) << "another key";
    EXPECT_FALSE(add({.parent = first, .key = "a", .from = 4, .tokens = {1}})) << "a gap";
    EXPECT_FALSE(add({.parent = first, .key = "a", .from = 0, .tokens = {1}})) << "beside it";
    EXPECT_FALSE(add({.parent = first, .key = "a", .from = 3})) << "nothing";
    EXPECT_TRUE(add({.parent = first, .key = "a", .from = 3, .tokens = {1}}));
    EXPECT_FALSE(add({.parent = first, .key = "a", .from = 3, .tokens = {1}})) << "twice";
}

} // namespace
} // namespace fireside
