#include "engine/core/error.h"
#include "tests/constrain/readings.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <regex>

using namespace fireside;
using namespace fireside::constrain;

namespace {

// Repetitions of many states become calls that count; they must read what written-out ones would.
TEST(Machine, CountsAsItWouldWriteOut)
{
    const std::string unit = "(\"ab\" | \"a\" [b-d]{1,9} | \"c\" (\"d\" | \"e\" | \"f\")* )";
    const std::string judged = "(ab|a[b-d]{1,9}|c[def]*)";
    for (const auto &[low, high] :
         {std::pair(0, 12), std::pair(3, 40), std::pair(5, 5), std::pair(7, -1)}) {
        const std::string count =
            "{" + std::to_string(low) + "," + (high < 0 ? "" : std::to_string(high)) + "}";
        const Grammar grammar = readGbnf("root ::= " + unit + count + " \"a\"? ");
        const std::regex judge(judged + count + "a?");
        std::mt19937 random(5);
        int fits = 0;
        for (int i = 0; i < 400; ++i) {
            std::string text;
            for (std::size_t left = random() % 14; left > 0; --left)
                text +=
                    std::array{"ab", "acd", "cdef", "c", "abbbbbbbbb", "a", "e"}[random() % 40 % 7];
            const bool expected = std::regex_match(text, judge);
            fits += expected;
            ASSERT_EQ(test::reads(grammar, text), expected) << count << " " << text;
        }
        EXPECT_GT(fits, 0);
    }
}

Group permutation(Grammar &grammar, bool anyOrder)
{
    Group group{.separator = grammar.text(","), .anyOrder = anyOrder};
    for (const char *name : {"alpha", "beta", "bet"})
        group.items.push_back({.expr = grammar.sequence({grammar.text(name), grammar.text("=1")}),
                               .required = std::string_view(name) == "beta"});
    group.items.push_back(
        {.expr = grammar.sequence({grammar.text("z"), grammar.chars({{'0', '9'}})}),
         .repeatable = true});
    return group;
}

Grammar permutations(bool anyOrder, std::uint32_t min = 0, std::uint32_t max = kUnlimited)
{
    Grammar grammar;
    const RuleId root = grammar.addRule("root");
    Group group = permutation(grammar, anyOrder);
    group.min = min;
    group.max = max;
    grammar.define(root,
                   grammar.sequence({grammar.text("{"), grammar.group(group), grammar.text("}")}));
    return grammar;
}

TEST(Machine, ItemsOfAGroupComeOnceInAnyOrder)
{
    const Grammar any = permutations(true), listed = permutations(false);
    for (const char *text :
         {"{beta=1}", "{alpha=1,beta=1}", "{alpha=1,beta=1,bet=1}", "{beta=1,z1,z2}"}) {
        EXPECT_TRUE(test::reads(any, text)) << text;
        EXPECT_TRUE(test::reads(listed, text)) << text;
    }
    for (const char *text : {"{bet=1,beta=1}", "{z1,beta=1}", "{beta=1,z1,alpha=1}"}) {
        EXPECT_TRUE(test::reads(any, text)) << text;
        EXPECT_FALSE(test::reads(listed, text)) << text;
    }
    for (const char *text :
         {"{}", "{alpha=1}", "{beta=1,beta=1}", "{beta=1,}", "{z1}", "{,beta=1}"}) {
        EXPECT_FALSE(test::reads(any, text)) << text;
        EXPECT_FALSE(test::reads(listed, text)) << text;
    }
}

TEST(Machine, ItemsOfAGroupAreCounted)
{
    const Grammar grammar = permutations(true, 2, 3);
    EXPECT_FALSE(test::reads(grammar, "{beta=1}"));
    EXPECT_TRUE(test::reads(grammar, "{beta=1,z1}"));
    EXPECT_TRUE(test::reads(grammar, "{z1,z2,beta=1}"));
    EXPECT_FALSE(test::reads(grammar, "{beta=1,z1,z2,z3}"));
    // Room is kept for what is required: after two others nothing else can begin.
    const Automaton automaton(grammar);
    Machine machine(automaton);
    EXPECT_EQ(machine.read(machine.start(), "{z1,z2,z"), Machine::kDead);
    EXPECT_EQ(machine.read(machine.start(), "{beta=1,beta"), Machine::kDead) << "seen already";
    EXPECT_NE(machine.read(machine.start(), "{z1,z2,b"), Machine::kDead);
}

TEST(Machine, ForgettingLosesNothing)
{
    const Grammar grammar =
        readGbnf("root ::= \"[\" (root | [a-z]{2,30} \"\\\"\" [^x\\x22]{3,90} \"\\\"\")* \"]\"");
    const Automaton automaton(grammar);
    Machine machine(automaton), other(automaton);
    Machine::ConfigId at = machine.start(), same = other.start();
    for (const char byte : std::string("[[[ab\"hello wide world\"][abcdef\"yes\"]]]")) {
        at = machine.forgetAllBut(machine.step(at, static_cast<std::uint8_t>(byte)));
        same = other.step(same, static_cast<std::uint8_t>(byte));
        ASSERT_EQ(at == Machine::kDead, same == Machine::kDead);
        EXPECT_EQ(machine.size(), 2u);
    }
    EXPECT_TRUE(machine.hasEnded(at));
    EXPECT_FALSE(machine.canRead(at));
}

TEST(Machine, AmbiguityHasALimit)
{
    const Automaton automaton(readGbnf(
        "root ::= ((([ab]{1,90} [a-c]{1,90}){1,90} \"a\"?){1,90} [a-f]{1,90}){1,90} \"x\""));
    Machine machine(automaton);
    EXPECT_THROW(machine.read(machine.start(), std::string(400, 'a')), Error);
}

} // namespace
