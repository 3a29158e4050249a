// Where the data of a GGUF begin and end: nothing is read shifted.
#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace fireside {
namespace {

using test::GgufBuilder;

/// Numbers that tell their own place.
std::vector<std::byte> numbers(std::size_t count, float first)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = first + static_cast<float>(i);
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

GgufBuilder aligned(std::uint32_t alignment, const std::string &padding = {})
{
    GgufBuilder b;
    b.alignment(alignment).string("padding", padding);
    b.tensor("a", DType::F32, {7}, numbers(7, 100)); // ends amid any alignment
    b.tensor("b", DType::F32, {5}, numbers(5, 200));
    return b;
}

float firstOf(const Gguf &gguf, const char *name)
{
    float value = 0;
    std::memcpy(&value, gguf.findTensor(name)->bytes.data(), sizeof value);
    return value;
}

class GgufLayoutTest : public testing::Test
{
protected:
    std::string errorOf(const std::vector<std::byte> &bytes)
    {
        test::writeFile(m_path, bytes);
        try {
            Gguf::open(m_path);
        } catch (const Error &e) {
            return e.what();
        }
        return "no error";
    }
    test::TempDir m_folder;
    std::filesystem::path m_path = m_folder / "model.gguf";
};

TEST_F(GgufLayoutTest, EveryAlignmentIsHonoured)
{
    for (const std::uint32_t alignment : {8u, 16u, 32u, 64u, 4096u}) {
        for (std::size_t padding = 0; padding < 40; ++padding) {
            aligned(alignment, std::string(padding, 'x')).write(m_path);
            const Gguf gguf = Gguf::open(m_path);
            EXPECT_EQ(firstOf(gguf, "a"), 100.0f) << alignment;
            EXPECT_EQ(firstOf(gguf, "b"), 200.0f) << alignment;
            EXPECT_EQ(gguf.findTensor("a")->fileOffset % alignment, 0u);
        }
    }
}

/// The data lie where an alignment of 32 puts them, the key says 8: they must not be read from up
/// to 24 bytes before.
TEST_F(GgufLayoutTest, DataThatLieElsewhereThanTheAlignmentSaysAreRefused)
{
    int shifted = 0;
    for (std::size_t padding = 0; padding < 32; ++padding) {
        const GgufBuilder builder = aligned(32, std::string(padding, 'x'));
        std::vector<std::byte> bytes = builder.build();
        const std::string_view key = "general.alignment";
        const auto at = std::search(bytes.begin(), bytes.end(), key.begin(), key.end(),
                                    [](std::byte b, char c) { return static_cast<char>(b) == c; });
        ASSERT_NE(at, bytes.end());
        ASSERT_EQ(std::byte{32}, at[static_cast<std::ptrdiff_t>(key.size()) + 4]);
        at[static_cast<std::ptrdiff_t>(key.size()) + 4] = std::byte{8};
        const std::size_t header = builder.headerSize();
        const std::string error = errorOf(bytes);
        if ((header + 7) / 8 == (header + 31) / 32 * 4) {
            EXPECT_EQ(error, "no error"); // both alignments name the same place
        } else {
            EXPECT_NE(error.find("'general.alignment'"), std::string::npos) << error;
            EXPECT_NE(error.find("unused bytes"), std::string::npos) << error;
            ++shifted;
        }
    }
    EXPECT_GE(shifted, 16);
}

TEST_F(GgufLayoutTest, TheAlignmentMayBeOfAnyIntegerType)
{
    GgufBuilder b;
    b.i32("general.alignment", 32).tensor("a", DType::F32, {8}, numbers(8, 1));
    EXPECT_EQ(errorOf(b.build()), "no error");
}

TEST_F(GgufLayoutTest, BetweenTensorsOnlyPaddingMayBeUnused)
{
    const auto whole = aligned(32).build();
    EXPECT_EQ(errorOf(whole), "no error");
    auto shorter = whole;
    shorter.pop_back();
    EXPECT_NE(errorOf(shorter).find("cut short"), std::string::npos);

    auto longer = whole; // the builder pads nothing behind the last tensor
    longer.resize(whole.size() + 31);
    EXPECT_EQ(errorOf(longer), "no error");
    for (const std::size_t behind : {32u, 1000u, 100'000u}) { // harmless
        longer.resize(whole.size() + behind);
        EXPECT_EQ(errorOf(longer), "no error") << behind;
    }

    GgufBuilder hole;
    hole.tensor("a", DType::F32, {8}, numbers(8, 1)).rawTensor("b", {8}, 0, 64, 64);
    const std::string between = errorOf(hole.build());
    EXPECT_NE(between.find("32 unused bytes lie between tensor 'a' and tensor 'b'"),
              std::string::npos)
        << between;

    GgufBuilder late;
    late.rawTensor("a", {8}, 0, 64, 32);
    const std::string before = errorOf(late.build());
    EXPECT_NE(before.find("between the header and tensor 'a'"), std::string::npos) << before;
}

TEST_F(GgufLayoutTest, BehindDataOfUnknownSizeAnythingMayLie)
{
    GgufBuilder b;
    b.rawTensor("unknown", {8}, 99, 640).tensor("b", DType::F32, {5}, numbers(5, 200));
    b.write(m_path);
    EXPECT_EQ(firstOf(Gguf::open(m_path), "b"), 200.0f);
}

} // namespace
} // namespace fireside
