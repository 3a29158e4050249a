#include "engine/core/error.h"
#include "engine/files/safetensors.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

namespace fireside {
namespace {

using test::SafetensorsBuilder;

std::string entry(const std::string &type, const std::string &shape, std::uint64_t begin,
                  std::uint64_t end)
{
    return "{\"dtype\":\"" + type + "\",\"shape\":[" + shape + "],\"data_offsets\":[" +
           std::to_string(begin) + ',' + std::to_string(end) + "]}";
}

class SafetensorsTest : public testing::Test
{
protected:
    Safetensors open(const std::vector<std::byte> &bytes)
    {
        test::writeFile(m_path, bytes);
        return Safetensors::open(m_path);
    }
    Safetensors openHeader(const std::string &header, std::size_t dataBytes)
    {
        return open(SafetensorsBuilder::file(header, dataBytes));
    }
    /// The error's text, which must name the file.
    std::string errorOf(const std::function<void()> &body)
    {
        try {
            body();
        } catch (const Error &e) {
            EXPECT_EQ(e.kind(), ErrorKind::BadInput) << e.what();
            EXPECT_NE(std::string(e.what()).find(m_path.string()), std::string::npos) << e.what();
            return e.what();
        }
        return "no error";
    }
    void expectRefused(const std::string &header, std::size_t dataBytes, const std::string &needle)
    {
        const std::string error = errorOf([&] { openHeader(header, dataBytes); });
        EXPECT_NE(error.find(needle), std::string::npos) << header << "\n" << error;
    }

    test::TempDir m_dir;
    std::filesystem::path m_path = m_dir / "weights.safetensors";
};

SafetensorsBuilder goodFile()
{
    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    return SafetensorsBuilder()
        .raw(R"("__metadata__":{"format":"pt"})")
        .tensor("a", "F32", {2, 3}, std::as_bytes(std::span(values)))
        .zeros("b", "BF16", {4}, 8)
        .zeros("scalar", "F16", {}, 2)
        .zeros("empty", "F32", {0, 5}, 0)
        .zeros("other", "F8_E4M3", {3, 2}, 6);
}

TEST_F(SafetensorsTest, GoodFilesAreReadAsTheyAre)
{
    const Safetensors file = open(goodFile().build());
    EXPECT_EQ(file.tensors().size(), 5u);
    const SafetensorsTensor *a = file.findTensor("a");
    ASSERT_NE(a, nullptr);
    EXPECT_EQ(a->dtype, DType::F32);
    EXPECT_EQ(a->shape, (std::vector<std::uint64_t>{2, 3}));
    ASSERT_EQ(a->bytes.size(), 24u);
    float last = 0;
    std::memcpy(&last, a->bytes.data() + 20, 4);
    EXPECT_EQ(last, 6.0f);
    EXPECT_EQ(file.findTensor("b")->dtype, DType::BF16);
    EXPECT_EQ(file.findTensor("scalar")->dtype, DType::F16);
    EXPECT_TRUE(file.findTensor("scalar")->shape.empty());
    EXPECT_TRUE(file.findTensor("empty")->bytes.empty());
    EXPECT_EQ(file.findTensor("other")->dtype, std::nullopt); // a type we lack keeps its name
    EXPECT_EQ(file.findTensor("other")->type, "F8_E4M3");
    EXPECT_EQ(file.findTensor("c"), nullptr);
    EXPECT_EQ(file.findTensor("__metadata__"), nullptr);
}

TEST_F(SafetensorsTest, LengthsOfTheHeaderAreChecked)
{
    const auto withLength = [](std::uint64_t length) {
        return test::ByteWriter().put(length).raw("{}      ").data();
    };
    EXPECT_EQ(open(withLength(8)).tensors().size(), 0u);
    for (const std::uint64_t length :
         {std::uint64_t{9}, std::uint64_t{100'000'001}, std::uint64_t{1} << 63, ~std::uint64_t{0}})
        EXPECT_NE(errorOf([&] { open(withLength(length)); }).find("header"), std::string::npos);
    EXPECT_NE(errorOf([&] { open(withLength(100'000'001)); }).find("at most 100000000"),
              std::string::npos);
    EXPECT_NE(errorOf([&] { open({}); }).find("header"), std::string::npos);
    EXPECT_NE(errorOf([&] { open(withLength(0)); }), "no error"); // no JSON at all
}

TEST_F(SafetensorsTest, OffsetsAreChecked)
{
    const std::string head = "{\"x\":";
    expectRefused(head + entry("F32", "2", 0, 8) + "}", 4, "8");
    expectRefused(head + entry("F32", "2", 8, 0) + "}", 8, "lies at 8 to 0");
    expectRefused(head + entry("F32", "2", 18446744073709551608u, 0) + "}", 8, "lies at");
    expectRefused(head + entry("F32", "0", 12, 12) + "}", 8, "lies at 12");
}

TEST_F(SafetensorsTest, HolesAndOverlapsAreRefused)
{
    const auto two = [](std::uint64_t b1, std::uint64_t e1, std::uint64_t b2, std::uint64_t e2) {
        return "{\"x\":" + entry("F32", std::to_string((e1 - b1) / 4), b1, e1) +
               ",\"y\":" + entry("F32", std::to_string((e2 - b2) / 4), b2, e2) + "}";
    };
    EXPECT_EQ(openHeader(two(0, 8, 8, 16), 16).tensors().size(), 2u);
    EXPECT_EQ(openHeader(two(8, 16, 0, 8), 16).tensors().size(), 2u); // any order
    expectRefused(two(0, 8, 12, 16), 16, "hole");
    expectRefused(two(4, 8, 8, 16), 16, "hole");
    expectRefused(two(0, 8, 4, 16), 16, "overlaps");
    expectRefused(two(0, 8, 0, 8), 8, "overlaps");
    expectRefused(two(0, 8, 8, 12), 16, "4 bytes behind");
}

TEST_F(SafetensorsTest, SizesMustBeShapeTimesType)
{
    const auto one = [](const std::string &type, const std::string &shape, std::uint64_t bytes) {
        return "{\"x\":" + entry(type, shape, 0, bytes) + "}";
    };
    expectRefused(one("F32", "3", 8), 8, "needs 12");
    expectRefused(one("BF16", "3,2", 8), 8, "needs 12");
    expectRefused(one("F4", "3", 1), 1, "impossible");
    expectRefused(one("F32", "4294967296,4294967296", 8), 8, "impossible");
    expectRefused(one("F32", "9223372036854775808,2,0", 0), 0, "impossible");
    expectRefused(one("F32", "1,1,1,1,1,1,1,1,1", 4), 4, "dimensions");
}

TEST_F(SafetensorsTest, TwiceTheSameNameIsRefused)
{
    expectRefused("{\"x\":" + entry("F32", "1", 0, 4) + ",\"x\":" + entry("F32", "1", 4, 8) + "}",
                  8, "two tensors are named 'x'");
    expectRefused(R"({"__metadata__":{},"__metadata__":{}})", 0, "twice");
    expectRefused(R"({"x":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4,
                  "'dtype' twice");
}

TEST_F(SafetensorsTest, NumbersMustBeAligned)
{
    expectRefused("{\"x\":" + entry("U8", "1", 0, 1) + ",\"y\":" + entry("F16", "1", 1, 3) + "}", 3,
                  "odd offset");
}

TEST_F(SafetensorsTest, OtherJsonIsRefused)
{
    const std::pair<const char *, const char *> cases[]{
        {"[]", "a list"},
        {"5", "the number 5"},
        {"{", "no valid JSON"},
        {"{}{}", "no valid JSON"},
        {"{\"x\":5}", "the number 5"},
        {"{\"x\":null}", "a null"},
        {"{\"x\":[]}", "a list"},
        {"{\"x\":{}}", "no 'dtype'"},
        {"{\"\":{}}", "without a name"},
        {R"({"x":{"dtype":"F32","shape":[1]}})", "no 'dtype'"},
        {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", "two numbers"},
        {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})", "more than two"},
        {R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "negative"},
        {R"({"x":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", "1.5"},
        {R"({"x":{"dtype":"F32","shape":[[1]],"data_offsets":[0,4]}})", "a list"},
        {R"({"x":{"dtype":4,"shape":[1],"data_offsets":[0,4]}})", "the number 4"},
        {R"({"x":{"dtype":{},"shape":[1],"data_offsets":[0,4]}})", "an object"},
        {R"({"x":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}})", "the text '1'"},
        {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1}})", "unknown field"},
        {R"({"__metadata__":{"a":1}})", "the number 1"},
        {R"({"__metadata__":{"a":{"b":"c"}}})", "an object"},
        {"{\"\xff\":{}}", "no valid JSON"},
    };
    for (const auto &[header, needle] : cases)
        expectRefused(header, 4, needle);
}

TEST_F(SafetensorsTest, NestingCannotExhaustTheStack)
{
    expectRefused(std::string(1'000'000, '['), 0, "a list");
    expectRefused("{\"x\":" + std::string(1'000'000, '{'), 0, "");
}

TEST_F(SafetensorsTest, CutsAndFlippedBitsNeverEscape)
{
    const std::vector<std::byte> good = goodFile().build();
    const auto attempt = [&](const std::vector<std::byte> &bytes) {
        try {
            const Safetensors file = open(bytes);
            std::size_t stored = 0;
            std::vector<std::byte> read; // every byte, for the sanitizer
            for (const SafetensorsTensor &t : file.tensors()) {
                read.assign(t.bytes.begin(), t.bytes.end());
                stored += read.size();
            }
            EXPECT_LT(stored, bytes.size()) << "tensors don't overlap, and a header comes first";
        } catch (const Error &) {
        }
    };
    for (std::size_t size = 0; size < good.size(); ++size) {
        const std::vector<std::byte> cut(good.begin(),
                                         good.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_THROW(open(cut), Error) << size;
    }
    for (std::size_t at = 0; at < good.size() - 40; ++at)
        for (const int bit : {0, 5}) {
            std::vector<std::byte> flipped = good;
            flipped[at] ^= static_cast<std::byte>(1 << bit);
            attempt(flipped);
        }
}

} // namespace
} // namespace fireside
