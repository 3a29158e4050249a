#include "engine/core/checksum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fireside {
namespace {

std::uint64_t sumOf(const std::string &text)
{
    return checksumOf(std::as_bytes(std::span(text)));
}

// Values of other programs, among them those of its documentation.
TEST(ChecksumTest, IsXxh64)
{
    EXPECT_EQ(sumOf(""), 0xEF46DB3751D8E999u);
    EXPECT_EQ(sumOf("a"), 0xD24EC4F1A98C6E5Bu);
    EXPECT_EQ(sumOf("abc"), 0x44BC2CF5AD770999u);
    EXPECT_EQ(sumOf("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1u);
}

TEST(ChecksumTest, PiecesDoNotMatterAndEveryByteDoes)
{
    std::string text;
    for (int i = 0; i < 200; ++i)
        text += static_cast<char>(i * 37);
    const std::uint64_t whole = sumOf(text);
    const auto bytes = std::as_bytes(std::span(text));
    for (std::size_t first = 0; first <= bytes.size(); first += 7)
        for (std::size_t second = first; second <= bytes.size(); second += 13) {
            Checksum sum;
            sum.add(bytes.first(first));
            sum.add(bytes.subspan(first, second - first));
            sum.add(bytes.subspan(second));
            ASSERT_EQ(sum.value(), whole) << first << ' ' << second;
        }
    for (char &one : text) {
        one = static_cast<char>(one ^ 0x40);
        EXPECT_NE(sumOf(text), whole);
        one = static_cast<char>(one ^ 0x40);
    }
}

} // namespace
} // namespace fireside
