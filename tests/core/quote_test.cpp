// Foreign text in messages has no power over the terminal or label that shows it.
#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

TEST(Quote, OrdinaryTextStaysAsItIs)
{
    for (const char *text : {"", "plain", "Äpfel, ☕ 你好 😀", "a\\b 'c' \"d\"", "~ !"})
        EXPECT_EQ(printable(text), text);
    EXPECT_EQ(quoted("word"), "'word'");
}

TEST(Quote, ControlsAndInvisibleCharactersAreSpelled)
{
    EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(printable("\x1b[31m\x07\x7f"), "\\x1b[31m\\x07\\x7f");
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "\\u009b31m"); // CSI in one character
    EXPECT_EQ(printable("a\xe2\x80\xae"
                        "fdp.exe"),
              "a\\u202efdp.exe"); // right to left
    for (const char32_t c :
         {0xadu, 0x61cu, 0x200bu, 0x200fu, 0x2028u, 0x202au, 0x2066u, 0x2069u, 0xfeffu, 0xe0001u}) {
        const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 63)); };
        std::string text;
        if (c < 0x800)
            text += static_cast<char>(0xc0 | c >> 6);
        else if (c < 0x10000)
            (text += static_cast<char>(0xe0 | c >> 12)) += tail(6);
        else
            ((text += static_cast<char>(0xf0 | c >> 18)) += tail(12)) += tail(6);
        text += tail(0);
        EXPECT_EQ(printable(text).front(), '\\') << static_cast<unsigned>(c);
    }
}

TEST(Quote, BytesThatAreNoUtf8AreSpelled)
{
    EXPECT_EQ(printable("\xff"), "\\xff");
    EXPECT_EQ(printable("a\xc3"), "a\\xc3");
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf"); // longer than needed
    EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");          // half of a pair
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"); // above the last
    EXPECT_EQ(printable("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
}

TEST(Quote, LongTextIsCutBetweenCharacters)
{
    EXPECT_EQ(printable("12345", 5), "12345");
    EXPECT_EQ(printable("123456", 5), "12345…");
    EXPECT_EQ(printable("1234é", 5), "1234…");
    EXPECT_EQ(printable("123\n5", 4), "123…");
    EXPECT_EQ(fireside::quoted(std::string(1'000'000, 'x')),
              '\'' + std::string(kLongestQuote, 'x') + "…'");
    EXPECT_LE(printable(std::string(1'000'000, '\x01')).size(), kLongestMessage + 3);
}

TEST(Quote, ErrorsOfInputAreOneHarmlessLine)
{
    for (const auto raise : {throwBadInput, throwUnsupported}) {
        try {
            raise("bad\x1b[2J\n" + std::string(1'000'000, 'y'));
            FAIL();
        } catch (const Error &e) {
            const std::string text = e.what();
            EXPECT_TRUE(text.starts_with("bad\\x1b[2J\\nyyy")) << text.substr(0, 80);
            EXPECT_LE(text.size(), kLongestMessage + 3);
        }
    }
}

} // namespace
} // namespace fireside
