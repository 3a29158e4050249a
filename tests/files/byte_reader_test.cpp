#include "engine/files/byte_reader.h"

#include "engine/core/error.h"
#include "tests/support/gguf_builder.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

const std::filesystem::path kPath = "file"; // readers keep a reference

TEST(ByteReader, EndsWithTheLastByte)
{
    const auto bytes = test::ByteWriter().put(std::uint32_t{7}).put(std::uint16_t{9}).data();
    ByteReader reader(bytes, kPath);
    EXPECT_EQ(reader.read<std::uint32_t>("number"), 7u);
    EXPECT_EQ(reader.remaining(), 2u);
    EXPECT_THROW(reader.read<std::uint32_t>("number"), Error);
    EXPECT_THROW(reader.take(3, "bytes"), Error);
    EXPECT_THROW(reader.take(~std::uint64_t{0}, "bytes"), Error);
    EXPECT_EQ(reader.offset(), 4u) << "what fails reads nothing";
    EXPECT_EQ(reader.take(2, "bytes").size(), 2u);
    EXPECT_EQ(reader.take(0, "bytes").size(), 0u);
    EXPECT_THROW(reader.take(1, "bytes"), Error);
}

TEST(ByteReader, ManyTextsAreReadAsOneByOne)
{
    test::ByteWriter three;
    three.string("a").string("").string("some more").put(std::uint16_t{7});
    ByteReader reader(three.data(), kPath);
    EXPECT_EQ(reader.readStrings(0, "names").size(), 0u);
    EXPECT_EQ(reader.readStrings(3, "names"),
              (std::vector<std::string_view>{"a", "", "some more"}));
    EXPECT_EQ(reader.read<std::uint16_t>("number"), 7);
    // Cut at each byte, and with a length beyond all memory.
    for (std::size_t size = 0; size < three.data().size() - 2; ++size) {
        ByteReader cut(std::span(three.data()).first(size), kPath);
        EXPECT_THROW(cut.readStrings(3, "names"), Error) << size;
    }
    test::ByteWriter endless;
    endless.put(~std::uint64_t{0}).raw("abc");
    EXPECT_THROW(ByteReader(endless.data(), kPath).readStrings(1, "names"), Error);
}

TEST(ByteReader, TextsHaveALimit)
{
    const auto bytes = test::ByteWriter().string("seven!!").string("more").data();
    EXPECT_EQ(ByteReader(bytes, kPath).readString(7, "name"), "seven!!");
    EXPECT_THROW(ByteReader(bytes, kPath).readString(6, "name"), Error);
    const auto cut = std::span(bytes).first(14);
    EXPECT_THROW(ByteReader(cut, kPath).readString(7, "name"), Error);
}

} // namespace
} // namespace fireside
