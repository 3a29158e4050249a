#include "engine/core/error.h"
#include "tests/constrain/listed_tokenizer.h"
#include "tests/constrain/readings.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <random>

using namespace fireside;
using namespace fireside::constrain;

namespace {

const char *const kJson = R"gbnf(
root ::= object
value ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
array ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws ::= | " " | "\n" [ \t]{0,20}
)gbnf";

std::vector<std::string> tokenizers()
{
    std::vector<std::string> paths;
    for (const auto &entry :
         std::filesystem::directory_iterator(FIRESIDE_TEST_DATA "/golden/tokenizers"))
        if (entry.is_directory())
            paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// By the machine alone: the token's bytes can be read.
bool isAllowed(Machine &machine, Machine::ConfigId at, const VocabularyTrie &vocabulary, TokenId id)
{
    if (hasBit(vocabulary.ends(), id))
        return machine.hasEnded(at);
    const std::string_view bytes = vocabulary.bytes(id);
    return !bytes.empty() && machine.read(at, bytes) != Machine::kDead;
}

/// Whether it can write every text.
bool hasAllBytes(const VocabularyTrie &vocabulary)
{
    for (int byte = 0; byte < 256; ++byte)
        if (const char c = static_cast<char>(byte); // some bytes are never in UTF-8
            vocabulary.longest({&c, 1}) < 0 && byte != 0xC0 && byte != 0xC1 && byte < 0xF5)
            return false;
    return true;
}

/// Draws allowed tokens, and compares every mask with what the machine says of every token.
void walk(const Grammar &grammar, const std::shared_ptr<const VocabularyTrie> &vocabulary,
          unsigned seed, int steps)
{
    const auto compiled = std::make_shared<const TokenGrammar>(grammar, vocabulary);
    Constraint constraint(compiled);
    Machine machine(compiled->automaton());
    Machine::ConfigId at = machine.start();
    std::mt19937 random(seed);
    for (int step = 0; step < steps; ++step) {
        const auto mask = constraint.allowed();
        std::vector<TokenId> allowed;
        for (TokenId id = 0; id < static_cast<TokenId>(vocabulary->size()); ++id) {
            const bool expected = isAllowed(machine, at, *vocabulary, id);
            ASSERT_EQ(hasBit(mask, id), expected)
                << "step " << step << ", token " << id << " '" << vocabulary->bytes(id) << "'";
            if (expected && !hasBit(vocabulary->ends(), id))
                allowed.push_back(id);
        }
        ASSERT_EQ(constraint.isComplete(), machine.hasEnded(at));
        if (allowed.empty()) {
            ASSERT_TRUE(constraint.isFinished() || !hasAllBytes(*vocabulary));
            return;
        }
        ASSERT_FALSE(constraint.isFinished());
        // Short tokens now and then, which are few, lead to more places than long ones.
        TokenId id = allowed[random() % allowed.size()];
        for (int tries = 0; tries < 8 && vocabulary->bytes(id).size() > 1 + random() % 4; ++tries)
            id = allowed[random() % allowed.size()];
        ASSERT_TRUE(constraint.allows(id));
        constraint.accept(id);
        at = machine.read(at, vocabulary->bytes(id));
    }
}

TEST(Mask, IsWhatTheMachineReadsWithEveryTokenizer)
{
    ASSERT_GE(tokenizers().size(), 10u);
    int complete = 0;
    for (const std::string &path : tokenizers()) {
        SCOPED_TRACE(path);
        const auto tokenizer = Tokenizer::open(path);
        const auto vocabulary = std::make_shared<const VocabularyTrie>(*tokenizer);
        complete += hasAllBytes(*vocabulary);
        for (unsigned seed = 0; seed < 3; ++seed)
            walk(readGbnf(kJson), vocabulary, seed, 40);
        for (const char *source :
             {"root ::= \"<\" ([a-z ]{2,40} \"-\"){3,20} \">\"",
              "root ::= word{2,30} end\nword ::= ([a-zA-Z]{1,12} | \"'\" [^']* \"'\") [ ,.]\nend "
              "::= \"!\"{1,80}",
              "root ::= \"a\" root \"b\" | ([é-ü]{4,70} | [a-c]*)", "root ::= [^\\x00]{1,300}",
              "root ::= (([ab]{1,40} [a-c]{1,40}){1,3} \" \"?){1,3} \"x\""})
            walk(readGbnf(source), vocabulary, 11, 25);
    }
    EXPECT_GE(complete, 6);
}

/// A grammar of a, b and c, with whatever may be repeated, left out or end in the middle of a
/// token.
class RandomGrammar
{
public:
    explicit RandomGrammar(unsigned seed)
        : m_random(seed)
    {}

    std::string write()
    {
        std::string source;
        for (int rule = 0; rule < kRules; ++rule) {
            m_rule = rule;
            source += (rule == 0 ? "root" : "r" + std::to_string(rule)) +
                      " ::= " + alternatives(3) + "\n";
        }
        return source;
    }

private:
    static constexpr int kRules = 4;
    unsigned below(unsigned count) { return static_cast<unsigned>(m_random() % count); }

    std::string alternatives(int depth)
    {
        std::string text = sequence(depth);
        while (below(3) == 0)
            text += " | " + sequence(depth);
        return text;
    }
    std::string sequence(int depth)
    {
        std::string text = repeated(depth);
        for (unsigned more = below(3); more > 0; --more)
            text += " " + repeated(depth);
        return text;
    }
    std::string repeated(int depth)
    {
        static const std::array counts{"?",       "*",       "+",        "{2,3}",
                                       "{0,900}", "{3,800}", "{20,700}", "{500,}"};
        const std::string text = part(depth);
        return below(2) == 0 ? text : text + counts[below(counts.size())];
    }
    std::string part(int depth)
    {
        static const std::array chars{"\"a\"", "\"b\"", "\"c\"", "\"ab\"", "[ab]", "[a-c]", "[^a]"};
        if (depth > 0 && below(3) == 0)
            return "(" + alternatives(depth - 1) + ")";
        if (m_rule + 1 < kRules && below(3) == 0)
            return "r" +
                   std::to_string(m_rule + 1 + static_cast<int>(below(2)) % (kRules - 1 - m_rule));
        return chars[below(chars.size())];
    }

    std::mt19937 m_random;
    int m_rule = 0;
};

TEST(Mask, IsWhatTheMachineReadsOfAnyGrammar)
{
    std::vector<std::string> tokens;
    for (std::size_t begin = 0, length = 1; length <= 4; ++length) {
        const std::size_t end = tokens.size();
        for (const char c : {'a', 'b', 'c'})
            if (length == 1)
                tokens.emplace_back(1, c);
            else
                for (std::size_t i = begin; i < end; ++i)
                    tokens.push_back(tokens[i] + c);
        begin = end;
    }
    ASSERT_EQ(tokens.size(), 3u + 9 + 27 + 81);
    const test::ListedTokenizer tokenizer(tokens);
    const auto vocabulary = std::make_shared<const VocabularyTrie>(tokenizer);
    // Long repetitions, and rules that call themselves, are not copied to where they stand; these
    // may be empty.
    for (const char *source : {"root ::= \"b\"{3,900} \"c\"{0,800} \"a\"",
                               "root ::= \"b\"{3,900} r \"a\"\nr ::= (\"bc\" r \"c\" | )"})
        walk(readGbnf(source), vocabulary, 1, 20);
    int read = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        const std::string source = RandomGrammar(seed).write();
        SCOPED_TRACE(source);
        try {
            walk(readGbnf(source), vocabulary, seed, 20);
            ++read;
        } catch (const Error &error) { // too many ways to read one text
            EXPECT_EQ(error.kind(), ErrorKind::BadInput) << error.what();
        }
        if (HasFatalFailure())
            return;
    }
    EXPECT_GE(read, 30);
}

TEST(Mask, TokensAreTheirBytesAndMarkersAreNot)
{
    for (const std::string &path : tokenizers()) {
        const auto tokenizer = Tokenizer::open(path);
        const VocabularyTrie vocabulary(*tokenizer);
        ASSERT_EQ(vocabulary.size(), tokenizer->size());
        std::size_t inTree = 0;
        for (const VocabularyTrie::Node &node : vocabulary.nodes())
            for (const TokenId id : vocabulary.tokens(node)) {
                ++inTree;
                EXPECT_EQ(vocabulary.bytes(id), tokenizer->bytes(id));
                EXPECT_EQ(vocabulary.bytes(id).size(), node.depth);
                EXPECT_FALSE(tokenizer->isControl(id) || tokenizer->endsGeneration(id));
                EXPECT_EQ(vocabulary.find(vocabulary.bytes(id)), &node);
            }
        EXPECT_GT(inTree, 100u);
        EXPECT_EQ(vocabulary.find("\xFF\xFE\xFD"), nullptr);
    }
}

TEST(Mask, SameConfigurationsAreNotPutTogetherAgain)
{
    const auto tokenizer = Tokenizer::open(FIRESIDE_TEST_DATA "/golden/tokenizers/gpt2");
    const auto vocabulary = std::make_shared<const VocabularyTrie>(*tokenizer);
    Constraint constraint(std::make_shared<const TokenGrammar>(readGbnf(kJson), vocabulary));
    for (const char byte : std::string("{\"aaaaaaaaaaaaaaaaaaaa")) {
        constraint.allowed();
        constraint.accept(vocabulary->longest(std::string(1, byte)));
    }
    EXPECT_EQ(constraint.masksMade(), 3u);
}

TEST(Forced, SpansAreWrittenAsTheTokenizerWritesThem)
{
    const std::string text = "{\"description\": \"The quick brown fox\", \"amount\": ";
    for (const std::string &path : tokenizers()) {
        SCOPED_TRACE(path);
        const auto tokenizer = Tokenizer::open(path);
        const auto vocabulary = std::make_shared<const VocabularyTrie>(*tokenizer);
        std::string quoted;
        for (const char c : text)
            quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
        const Grammar grammar = readGbnf("root ::= \"" + quoted + "\" [0-9]+ \"}\"");
        Constraint constraint(std::make_shared<const TokenGrammar>(grammar, vocabulary));
        if (vocabulary->longest("{") < 0 || vocabulary->find(" ") == nullptr)
            continue; // a vocabulary that cannot write it
        const std::vector<TokenId> ids = constraint.forced(*tokenizer);
        ASSERT_FALSE(ids.empty());
        std::string joined;
        for (const TokenId id : ids) {
            constraint.accept(id);
            joined += vocabulary->bytes(id);
        }
        EXPECT_TRUE(text.starts_with(joined));
        const std::vector<TokenId> whole =
            tokenizer->encode(MarkedText::fromUser(text + "7}"), false);
        std::string back;
        for (const TokenId id : whole)
            back += vocabulary->bytes(id);
        if (back == text + "7}") { // else its words begin with spaces of their own
            ASSERT_LE(ids.size(), whole.size());
            EXPECT_TRUE(std::equal(ids.begin(), ids.end(), whole.begin())) << joined;
        }
        EXPECT_TRUE(constraint.forced(*tokenizer).empty());
    }
}

TEST(Forced, ALongerTokenMayStandInPlaceOfTheLast)
{
    const auto tokenizer = Tokenizer::open(FIRESIDE_TEST_DATA "/golden/tokenizers/gpt2");
    const auto vocabulary = std::make_shared<const VocabularyTrie>(*tokenizer);
    const auto forced = [&](const char *source) {
        Constraint constraint(std::make_shared<const TokenGrammar>(readGbnf(source), vocabulary));
        std::string joined;
        for (const TokenId id : constraint.forced(*tokenizer))
            joined += vocabulary->bytes(id);
        return joined;
    };
    EXPECT_EQ(forced("root ::= \"the\" \"\\n\""), "the\n");
    EXPECT_EQ(forced("root ::= \"th\" [a-z]+"), "") << "'the' is a token";
    EXPECT_EQ(forced("root ::= [ab]"), "");
}

TEST(Constraint, ForbiddenTokensAreNotAccepted)
{
    const auto tokenizer = Tokenizer::open(FIRESIDE_TEST_DATA "/golden/tokenizers/gpt2");
    const auto vocabulary = std::make_shared<const VocabularyTrie>(*tokenizer);
    Constraint constraint(
        std::make_shared<const TokenGrammar>(readGbnf("root ::= \"a\""), vocabulary));
    EXPECT_THROW(constraint.accept(vocabulary->longest("b")), Error);
    EXPECT_FALSE(constraint.allows(-1));
    EXPECT_FALSE(constraint.allows(static_cast<TokenId>(vocabulary->size())));
    constraint.accept(vocabulary->longest("a"));
    EXPECT_TRUE(constraint.isFinished());
    EXPECT_EQ(TokenBits(constraint.allowed().begin(), constraint.allowed().end()),
              vocabulary->ends());
}

} // namespace
