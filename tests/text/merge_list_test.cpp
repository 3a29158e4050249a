// Long lists of merges, which several threads look up, and the tables behind them.
#include "engine/core/error.h"
#include "engine/text/readers/merge_list.h"
#include "tests/support/seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace fireside {
namespace {

/// 256 letters of one byte, and a token for each pair of them.
class LongMergeLists : public testing::Test
{
protected:
    static constexpr std::size_t kLetters = 256, kPairs = kLetters * kLetters;

    LongMergeLists()
    {
        for (std::size_t c = 0; c < kLetters; ++c)
            m_letters.emplace_back(1, static_cast<char>(c));
        for (const std::string &letter : m_letters)
            m_tokens.add(letter, TokenKind::Normal);
        for (std::size_t i = 0; i < kPairs; ++i)
            m_tokens.add(m_letters[i / kLetters] + m_letters[i % kLetters], TokenKind::Normal);
        EXPECT_FALSE(m_tokens.finish());
        m_order.resize(kPairs);
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
        m_list.size = kPairs;
        m_list.at = [this](std::size_t i) -> std::optional<MergeTexts> {
            const std::size_t pair = m_order[i];
            if (pair >= kPairs)
                return pair == kPairs ? std::nullopt
                                      : std::optional(MergeTexts{"odd", "one", "one"});
            const std::string_view right = m_letters[pair % kLetters];
            return MergeTexts{m_letters[pair / kLetters], right, right};
        };
        m_list.fail = [](std::size_t i, const char *reason) {
            throwBadInput(std::to_string(i) + ' ' + reason);
        };
    }
    void expectAll()
    {
        const MergeTable table = readMergeList(m_list, m_tokens);
        EXPECT_EQ(table.size(), kPairs);
        for (std::size_t rank = 0; rank < kPairs; ++rank) {
            const std::size_t pair = m_order[rank];
            const Merge *merge = table.find(static_cast<TokenId>(pair / kLetters),
                                            static_cast<TokenId>(pair % kLetters));
            ASSERT_NE(merge, nullptr) << rank;
            ASSERT_EQ(merge->rank, rank);
            ASSERT_EQ(merge->id, static_cast<TokenId>(kLetters + pair));
        }
        EXPECT_EQ(table.find(static_cast<TokenId>(kLetters), 0), nullptr);
        EXPECT_EQ(table.find(-1, 0), nullptr);
    }
    std::string error()
    {
        try {
            readMergeList(m_list, m_tokens);
        } catch (const Error &e) {
            return e.what();
        }
        return "no error";
    }

    std::vector<std::string> m_letters;
    Vocabulary m_tokens;
    std::vector<std::size_t> m_order; // by rank: which pair; beyond kPairs: a wrong one
    MergeList m_list;
};

TEST_F(LongMergeLists, AreReadInTheirOrder)
{
    expectAll();
}

TEST_F(LongMergeLists, AreReadInAnyOrder)
{
    std::mt19937_64 random(test::seed());
    std::shuffle(m_order.begin(), m_order.end(), random);
    expectAll();
    // Tokens one behind the other that the merge before does not lead to.
    std::reverse(m_order.begin(), m_order.end());
    expectAll();
}

TEST_F(LongMergeLists, ReservedTokensAreNotMade)
{
    m_tokens.setTrustedOnly(static_cast<TokenId>(kLetters + 7));
    const MergeTable table = readMergeList(m_list, m_tokens);
    EXPECT_EQ(table.size(), kPairs - 1);
    EXPECT_EQ(table.find(0, 7), nullptr);
}

TEST_F(LongMergeLists, TheFirstWrongMergeIsNamed)
{
    m_order[60'001] = kPairs;
    EXPECT_EQ(error(), "60001 is no pair of tokens");
    m_order[50'000] = kPairs + 1;
    EXPECT_EQ(error(), "50000 names a token that is not in the vocabulary");
    m_order[40'000] = kPairs; // in the same batch as the next one
    m_order[39'999] = kPairs + 1;
    EXPECT_EQ(error(), "39999 names a token that is not in the vocabulary");
    m_order[3] = kPairs;
    EXPECT_EQ(error(), "3 is no pair of tokens");
    m_list.size = MergeTable::kMaxMerges + 1;
    EXPECT_NE(error().find("is one too many"), std::string::npos);
}

TEST(Vocabularies, TextsOfAllLengthsAreToldApart)
{
    Vocabulary tokens;
    std::vector<std::string> texts{"xay", "xby", "xayz", "xabz"};
    for (std::size_t length = 1; length <= 40; ++length) {
        for (const char last : {'a', '\0', '\xFF'}) {
            texts.push_back(std::string(length - 1, 'a') + last);
            texts.push_back(last + std::string(length, 'b'));
        }
    }
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    for (const std::string &text : texts)
        tokens.add(text, TokenKind::Normal);
    EXPECT_FALSE(tokens.finish());
    std::vector<std::string> wanted = texts;
    for (const std::string &text : texts)
        wanted.push_back(text + 'c');
    wanted.emplace_back();
    const std::vector<std::string_view> views(wanted.begin(), wanted.end());
    std::vector<TokenId> ids(wanted.size(), 77);
    tokens.findAll(views, ids);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(ids[i], i < texts.size() ? static_cast<TokenId>(i) : -1) << wanted[i];
        EXPECT_EQ(tokens.find(wanted[i]).value_or(-1), ids[i]) << wanted[i];
    }
}

TEST(Vocabularies, TheSameTextTwiceIsTold)
{
    for (const char *text : {"short", "longer than eight bytes"}) {
        Vocabulary tokens;
        for (const char *each : {"", "a", text, "", text, text})
            tokens.add(each, TokenKind::Normal);
        EXPECT_EQ(tokens.finish(), std::pair(TokenId{2}, TokenId{4})) << text;
    }
}

} // namespace
} // namespace fireside
