#include "engine/text/utf8_stream.h"

#include "engine/text/unicode.h"

#include <gtest/gtest.h>
#include <random>

namespace fireside::test {
namespace {

std::string streamed(const std::vector<std::string_view> &parts)
{
    Utf8Stream stream;
    std::string out;
    for (const std::string_view part : parts) {
        const std::string text = stream.push(part);
        EXPECT_TRUE(isValidUtf8(text));
        out += text;
    }
    return out + stream.finish();
}

const std::string kMixed = "aé€😀\u00A0\uFFFD𝒳z";

TEST(Utf8Stream, JoinsCharactersSplitAnywhere)
{
    const std::string_view text = kMixed;
    for (std::size_t i = 0; i <= text.size(); ++i)
        for (std::size_t j = i; j <= text.size(); ++j)
            EXPECT_EQ(streamed({text.substr(0, i), text.substr(i, j - i), text.substr(j)}), text);
}

TEST(Utf8Stream, HoldsBackOnlyTheSplitCharacter)
{
    Utf8Stream stream;
    EXPECT_EQ(stream.push("ab\xF0\x9F"), "ab");
    EXPECT_EQ(stream.push("\x98"), "");
    EXPECT_EQ(stream.push("\x80!"), "😀!");
    EXPECT_EQ(stream.finish(), "");
    EXPECT_EQ(stream.push("x\xE2\x82"), "x");
    EXPECT_EQ(stream.finish(), "\uFFFD");
    EXPECT_EQ(stream.finish(), "");
}

TEST(Utf8Stream, ReplacesWhatCanNeverBeACharacter)
{
    EXPECT_EQ(streamed({"\xFF"}), "\uFFFD");
    EXPECT_EQ(streamed({"\x80\x80"}), "\uFFFD\uFFFD");
    EXPECT_EQ(streamed({"\xC0\xAF"}), "\uFFFD\uFFFD"); // overlong
    EXPECT_EQ(streamed({"\xE0\x80\x80"}), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(streamed({"\xE0\x9F\xBF"}), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(streamed({"\xE0\xA0\x80"}), "\xE0\xA0\x80");       // the first that needs three bytes
    EXPECT_EQ(streamed({"\xED\xA0\x80"}), "\uFFFD\uFFFD\uFFFD"); // surrogate
    EXPECT_EQ(streamed({"\xF4\x90\x80\x80"}), "\uFFFD\uFFFD\uFFFD\uFFFD"); // above U+10FFFF
    EXPECT_EQ(streamed({"\xE2\x82", "A"}), "\uFFFDA");
    EXPECT_EQ(streamed({"\xE2", "\xE2\x82\xAC"}), "\uFFFD€");
    EXPECT_EQ(streamed({std::string_view("a\0b", 3)}), std::string("a\0b", 3));
}

TEST(Utf8Stream, EverySplitOfRandomBytesGivesTheWholeTextsReplacement)
{
    std::mt19937 random(7);
    // Bytes chosen so that beginnings, continuations and mistakes are all common.
    const std::string_view alphabet = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xED\xF4\xFF";
    for (int round = 0; round < 3000; ++round) {
        std::string bytes;
        for (auto length = random() % 12; bytes.size() < length;)
            bytes.push_back(alphabet[random() % alphabet.size()]);
        const std::string whole = replaceInvalidUtf8(bytes);
        ASSERT_TRUE(isValidUtf8(whole));
        const std::string_view view = bytes;
        for (std::size_t i = 0; i <= view.size(); ++i)
            ASSERT_EQ(streamed({view.substr(0, i), view.substr(i)}), whole);
        std::vector<std::string_view> single;
        for (std::size_t i = 0; i < view.size(); ++i)
            single.push_back(view.substr(i, 1));
        ASSERT_EQ(streamed(single), whole);
    }
}

TEST(Unicode, EveryCodepointSurvivesEncodingAndDecoding)
{
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        std::string text;
        appendUtf8(text, c);
        const Utf8Step step = decodeUtf8(text, 0);
        ASSERT_EQ(step.state, Utf8State::Valid);
        ASSERT_EQ(step.codepoint, c);
        ASSERT_EQ(step.length, text.size());
    }
}

TEST(Unicode, Normalises)
{
    EXPECT_EQ(normalizeUnicode("e\u0301", NormalForm::Nfc), "é");
    EXPECT_EQ(normalizeUnicode("é", NormalForm::Nfd), "e\u0301");
    EXPECT_EQ(normalizeUnicode("ﬁ½", NormalForm::Nfkc), "fi1⁄2");
    EXPECT_EQ(normalizeUnicode(std::string("\0é", 3), NormalForm::Nfc), std::string("\0é", 3));
    EXPECT_EQ(normalizeUnicode("", NormalForm::Nfkd), "");
}

} // namespace
} // namespace fireside::test
