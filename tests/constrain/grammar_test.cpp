#include "engine/core/error.h"
#include "tests/constrain/readings.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>

using namespace fireside;
using namespace fireside::constrain;

namespace {

std::string errorOf(const std::function<void()> &body)
{
    try {
        body();
    } catch (const Error &error) {
        return error.what();
    }
    return {};
}

std::string randomText(std::mt19937 &random, std::string_view letters, std::size_t longest)
{
    std::string text;
    for (std::size_t left = random() % (longest + 1); left > 0; --left)
        text += letters[random() % letters.size()];
    return text;
}

TEST(CharSet, Utf8RunsAreExactlyTheirCharacters)
{
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        auto low = static_cast<char32_t>(random() % 0x110000);
        auto high = static_cast<char32_t>(random() % 0x110000);
        if (low > high)
            std::swap(low, high);
        const CharSet set{{low, high}};
        for (const CharRange &range : set.ranges()) {
            std::size_t count = 0;
            utf8Runs(range, [&](const std::vector<ByteRange> &run) {
                std::size_t these = 1;
                for (const ByteRange &bytes : run)
                    these *= bytes.high - bytes.low + 1u;
                count += these;
            });
            EXPECT_EQ(count, range.high - range.low + 1);
        }
    }
}

TEST(CharSet, OperationsAgreeWithMembership)
{
    const CharSet a{{'a', 'f'}, {'k', 'p'}}, b{{'d', 'm'}};
    for (char32_t c = 'a'; c <= 'z'; ++c) {
        EXPECT_EQ(a.both(b).contains(c), a.contains(c) && b.contains(c));
        EXPECT_EQ(a.without(b).contains(c), a.contains(c) && !b.contains(c));
        EXPECT_EQ(a.complement().contains(c), !a.contains(c));
    }
    EXPECT_EQ(CharSet::all().count(), 0x110000u - 0x800u) << "no surrogates";
}

// The standard library's regular expressions are an independent reading of the same syntax.
TEST(Regex, AgreesWithTheStandardLibrary)
{
    const char *patterns[]{"a",
                           "a*b",
                           "(ab|ba)*",
                           "[^a]b?",
                           "a{2,3}b{0,2}",
                           "^a.*b$",
                           "a|^b|c$",
                           "(?:a|b)+c{1,}",
                           "\\d+",
                           "[a-c]{3}",
                           "^(a|b$)+",
                           "(a*)*b",
                           "(a?){3}",
                           "[\\w]-",
                           "x?y*z+",
                           "a(b(c|))",
                           "",
                           "^$",
                           "a$|b",
                           "(^a|b)c",
                           "\\.a\\-b",
                           "[\\-\\]a]+",
                           "^[ab]+?c",
                           "(a|ab)(c|bcd)",
                           "^(a{1,2}){2}$",
                           "\\s\\S",
                           "[^\\d]{2}\\D",
                           "\\x61\\u0062"};
    std::mt19937 random(7);
    for (const char *pattern : patterns) {
        const std::regex judge(pattern);
        const CharDfa search = readRegex(pattern, RegexMatch::Search);
        const CharDfa whole = readRegex(pattern, RegexMatch::Whole);
        const Grammar grammar = readRegexGrammar(pattern);
        for (int i = 0; i < 300; ++i) {
            const std::string text = randomText(random, "abcdxyz1-. ]", i % 8u);
            EXPECT_EQ(search.accepts(text), std::regex_search(text, judge))
                << pattern << ": " << text;
            EXPECT_EQ(whole.accepts(text), std::regex_match(text, judge))
                << pattern << ": " << text;
            if (i < 40) {
                EXPECT_EQ(test::reads(grammar, text), std::regex_match(text, judge)) << pattern;
            }
        }
    }
}

TEST(Regex, DifferencesAreTextsOfOneAndNotTheOther)
{
    const GrammarLimits limits;
    const CharDfa a = readRegex("^a[a-z]*$", RegexMatch::Search),
                  b = readRegex("b", RegexMatch::Search);
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i) {
        const std::string text = randomText(random, "abc", 6);
        EXPECT_EQ(a.both(b, limits).accepts(text), a.accepts(text) && b.accepts(text));
        EXPECT_EQ(a.without(b, limits).accepts(text), a.accepts(text) && !b.accepts(text));
        EXPECT_NE(a.complement().accepts(text), a.accepts(text));
    }
    EXPECT_TRUE(a.both(readRegex("^b", RegexMatch::Search), limits).isEmpty());
    EXPECT_TRUE(CharDfa::multiplesOf(7).accepts("0049"));
    EXPECT_FALSE(CharDfa::multiplesOf(7).accepts("50"));
    EXPECT_TRUE(CharDfa::ofTexts({"né", "no"}).accepts("né"));
    EXPECT_FALSE(CharDfa::ofTexts({"né", "no"}).accepts("n"));
}

TEST(Regex, WhatIsNotThereIsRefusedByName)
{
    const auto error = [](const char *pattern) {
        return errorOf([&] { readRegex(pattern, RegexMatch::Whole); });
    };
    EXPECT_NE(error("a(?=b)").find("look-around (?="), std::string::npos);
    EXPECT_NE(error("(a)\\1").find("back reference"), std::string::npos);
    EXPECT_NE(error("\\bword").find("word boundary"), std::string::npos);
    EXPECT_NE(error("\\p{L}").find("Unicode property"), std::string::npos);
    EXPECT_NE(error("a(b").find("byte 3: a bracket is not closed"), std::string::npos);
    EXPECT_NE(error("[b-a]").find("range"), std::string::npos);
    EXPECT_NE(error("*a").find("nothing to repeat"), std::string::npos);
    EXPECT_NE(error("a)").find("closes"), std::string::npos);
    EXPECT_NE(error("[a").find("does not end"), std::string::npos);
    EXPECT_NE(error("a{3,2}").find("smaller"), std::string::npos);
    EXPECT_NE(error("((a{1,999}){1,999}){1,999}").find("states"), std::string::npos);
    EXPECT_NE(error((std::string(200, '(') + std::string(200, ')')).c_str()).find("nested"),
              std::string::npos);
    EXPECT_NE(error("[ab]*a[ab]{20}").find("more than"), std::string::npos);
}

TEST(Gbnf, ReadsWhatItsSyntaxHas)
{
    const Grammar grammar = readGbnf(R"gbnf(
# a list of moves
root ::= "1. " move " " move ("\n" [1-9] [0-9]? ". " move
    " " move)* end?   # comments anywhere
move ::= (pawn | [NBRQK] [a-h]{0,1} "x"? [a-h] [1-8]) [+#]?
pawn ::= [a-h] [1-8]
    | "é\u00e8\x21" .
end ::= "\n" ( "1-0" | "½-½" )
)gbnf");
    EXPECT_TRUE(test::reads(grammar, "1. e4 e5"));
    EXPECT_TRUE(test::reads(grammar, "1. e4 e5\n2. Nf3 Nxc6+\n1-0"));
    EXPECT_TRUE(test::reads(grammar, "1. éè!\xF0\x9F\x98\x80 e5\n½-½"));
    EXPECT_FALSE(test::reads(grammar, "1. e4 "));
    EXPECT_FALSE(test::reads(grammar, "1. e4 e9"));
    EXPECT_FALSE(test::reads(grammar, "1. éè!\xF0\x9F\x98 e5"));
}

TEST(Gbnf, RulesMayCallThemselves)
{
    const Grammar grammar =
        readGbnf("root ::= value\nvalue ::= \"[\" (value (\",\" value)*)? \"]\" | "
                 "[0-9]+ | \"<\" pairs \">\"\npairs ::= \"a\" pairs \"b\" | \"\"");
    EXPECT_TRUE(test::reads(grammar, "[[],[1,[23]],4]"));
    EXPECT_FALSE(test::reads(grammar, "[[],[1,[23],4]"));
    EXPECT_TRUE(test::reads(grammar, "<aaabbb>"));
    EXPECT_FALSE(test::reads(grammar, "<aaabb>"));
    EXPECT_FALSE(test::reads(grammar, std::string(3000, '[') + std::string(3000, ']')))
        << "deeper than the limit";
}

TEST(Gbnf, ErrorsNameTheLine)
{
    const auto error = [](const char *source) {
        return errorOf([&] { Automaton(readGbnf(source)); });
    };
    EXPECT_NE(error("root ::= a").find("no rule 'a'"), std::string::npos);
    EXPECT_NE(error("a ::= \"b\"").find("no rule 'root'"), std::string::npos);
    EXPECT_NE(error("root ::= \"b\"\n\nroot ::= \"c\"").find("line 3: a second rule"),
              std::string::npos);
    EXPECT_NE(error("root ::= (\"b\"").find("not closed"), std::string::npos);
    EXPECT_NE(error("root ::= \"b").find("does not end"), std::string::npos);
    EXPECT_NE(error("root ::= [b").find("does not end"), std::string::npos);
    EXPECT_NE(error("root ::= \"b\" }").find("did not expect"), std::string::npos);
    EXPECT_NE(error("root ::= root \"b\" | \"c\"").find("before it reads"), std::string::npos);
    EXPECT_NE(error("root ::= x* root \"b\" | \"c\"\nx ::= \"y\"").find("before it reads"),
              std::string::npos);
    EXPECT_NE(error("root ::= \"a\" root").find("no text can fulfil"), std::string::npos);
    EXPECT_NE(error("root ::= \"a\"{2000000}").find("repeated more than"), std::string::npos);
    EXPECT_NE(error("root ::= <think>").find("tokens in a grammar"), std::string::npos);
    EXPECT_NE(error("root ::= \"\\q\"").find("unknown escape"), std::string::npos);
}

} // namespace
