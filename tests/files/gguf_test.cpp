#include "engine/files/gguf.h"

#include "engine/core/error.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

namespace fireside {
namespace {

using test::GgufBuilder;
using test::TempDir;

std::string errorOf(const std::function<void()> &action)
{
    try {
        action();
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::BadInput);
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
}

TEST(Gguf, ReadsEveryValueType)
{
    const TempDir dir;
    const std::vector<std::string> words{"a", "", "längere"};
    const std::vector<std::int32_t> ints{-1, 2, 3};
    const std::vector<std::uint32_t> unsignedInts{7, 8};
    const std::vector<float> floats{0.5F, -2.0F};
    const std::vector<std::uint8_t> bools{1, 0, 1};
    for (const std::uint32_t version : {2U, 3U}) {
        GgufBuilder builder;
        builder.version(version)
            .u8("u8", 200)
            .i8("i8", -100)
            .u16("u16", 60'000)
            .i16("i16", -30'000);
        builder.u32("u32", 4'000'000'000).i32("i32", -2'000'000'000).u64("u64", ~0ULL);
        builder.i64("i64", -5'000'000'000).f32("f32", 1.5F).f64("f64", 1e300);
        builder.boolean("yes", true).boolean("no", false).string("text", "grüße");
        builder.strings("words", words).i32Array("ints", ints).u32Array("unsigned", unsignedInts);
        builder.f32Array("floats", floats).boolArray("bools", bools);
        builder.write(dir / "types.gguf");

        const Gguf gguf = Gguf::open(dir / "types.gguf");
        EXPECT_EQ(gguf.version(), version);
        ASSERT_EQ(gguf.metadata().size(), 18U);
        EXPECT_EQ(gguf.metadata()[0].first, "u8");
        EXPECT_EQ(gguf.metadata()[17].first, "bools");
        EXPECT_TRUE(gguf.tensors().empty());
        EXPECT_EQ(gguf.findUnsigned("u8"), 200U);
        EXPECT_EQ(gguf.findUnsigned("u16"), 60'000U);
        EXPECT_EQ(gguf.findUnsigned("u32"), 4'000'000'000U);
        EXPECT_EQ(gguf.findUnsigned("u64"), ~0ULL);
        EXPECT_EQ(std::get<std::int64_t>(*gguf.find("i8")), -100);
        EXPECT_EQ(std::get<std::int64_t>(*gguf.find("i16")), -30'000);
        EXPECT_EQ(std::get<std::int64_t>(*gguf.find("i32")), -2'000'000'000);
        EXPECT_EQ(std::get<std::int64_t>(*gguf.find("i64")), -5'000'000'000);
        EXPECT_EQ(gguf.findFloat("f32"), 1.5);
        EXPECT_EQ(gguf.findFloat("f64"), 1e300);
        EXPECT_EQ(gguf.findFloat("i8"), -100.0);
        EXPECT_EQ(gguf.findBool("yes"), true);
        EXPECT_EQ(gguf.findBool("no"), false);
        EXPECT_EQ(gguf.findString("text"), "grüße");

        const GgufArray *const read = gguf.findArray("words");
        ASSERT_NE(read, nullptr);
        ASSERT_EQ(read->size(), 3U);
        EXPECT_EQ(read->strings[2], "längere");
        EXPECT_EQ(gguf.findArray("ints")->signedValues, (std::vector<std::int64_t>{-1, 2, 3}));
        EXPECT_EQ(gguf.findArray("unsigned")->unsignedValues, (std::vector<std::uint64_t>{7, 8}));
        EXPECT_EQ(gguf.findArray("floats")->floatValues, (std::vector<double>{0.5, -2.0}));
        EXPECT_EQ(gguf.findArray("bools")->unsignedValues, (std::vector<std::uint64_t>{1, 0, 1}));
        EXPECT_EQ(gguf.findArray("bools")->elementType, GgufBuilder::Bool);
    }
}

TEST(Gguf, LookupsDistinguishAbsentFromWrong)
{
    const TempDir dir;
    GgufBuilder().i32("negative", -1).string("text", "x").u32("number", 7).write(dir / "a.gguf");
    const Gguf gguf = Gguf::open(dir / "a.gguf");
    EXPECT_EQ(gguf.find("absent"), nullptr);
    EXPECT_EQ(gguf.findUnsigned("absent"), std::nullopt);
    EXPECT_EQ(gguf.findFloat("absent"), std::nullopt);
    EXPECT_EQ(gguf.findBool("absent"), std::nullopt);
    EXPECT_EQ(gguf.findString("absent"), std::nullopt);
    EXPECT_EQ(gguf.findArray("absent"), nullptr);
    EXPECT_EQ(gguf.findTensor("absent"), nullptr);

    const std::string path = (dir / "a.gguf").string();
    EXPECT_EQ(errorOf([&] { gguf.requireUnsigned("absent"); }), path + ": lacks the key 'absent'");
    EXPECT_EQ(errorOf([&] { gguf.requireString("absent"); }), path + ": lacks the key 'absent'");
    EXPECT_EQ(errorOf([&] { gguf.findUnsigned("negative"); }),
              path + ": key 'negative' is the integer -1, expected an integer of at least 0");
    EXPECT_EQ(errorOf([&] { gguf.findUnsigned("text"); }),
              path + ": key 'text' is the string 'x', expected an integer of at least 0");
    EXPECT_EQ(errorOf([&] { gguf.findString("number"); }),
              path + ": key 'number' is the integer 7, expected a string");
    EXPECT_EQ(errorOf([&] { gguf.findArray("number"); }),
              path + ": key 'number' is the integer 7, expected an array");
    errorOf([&] { gguf.findBool("number"); });
    errorOf([&] { gguf.findFloat("text"); });
}

TEST(Gguf, PlacesTensorsAtTheirAlignment)
{
    const TempDir dir;
    std::vector<std::byte> data(34 * 2);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = static_cast<std::byte>(i + 1);
    for (const std::uint32_t alignment : {8U, 32U, 4096U, 1U << 20}) {
        GgufBuilder builder;
        builder.alignment(alignment)
            .tensor("first", DType::F32, {3})
            .tensor("second", DType::Q8_0, {32, 2}, data);
        builder.write(dir / "t.gguf");
        const Gguf gguf = Gguf::open(dir / "t.gguf");
        ASSERT_EQ(gguf.tensors().size(), 2U);
        const GgufTensor *const second = gguf.findTensor("second");
        ASSERT_NE(second, nullptr);
        EXPECT_EQ(second->rank, 2);
        EXPECT_EQ(second->dims, (std::array<std::uint64_t, 4>{32, 2, 1, 1}));
        EXPECT_EQ(second->dtype, DType::Q8_0);
        EXPECT_EQ(second->fileOffset % alignment, 0U);
        EXPECT_TRUE(
            std::equal(second->bytes.begin(), second->bytes.end(), data.begin(), data.end()));
        EXPECT_EQ(gguf.findTensor("first")->bytes.size(), 12U);
    }
}

TEST(Gguf, UnknownWeightTypesAreListedNotComputed)
{
    const TempDir dir;
    GgufBuilder()
        .rawTensor("odd", {8}, 77, 64)
        .rawTensor("negative", {8}, 0xffffffffU, 64)
        .rawTensor("iq2", {256}, 16, 66)
        .write(dir / "odd.gguf");
    const Gguf gguf = Gguf::open(dir / "odd.gguf");
    EXPECT_EQ(gguf.findTensor("odd")->dtype, std::nullopt);
    EXPECT_TRUE(gguf.findTensor("odd")->bytes.empty());
    EXPECT_EQ(gguf.findTensor("negative")->ggmlType, 0xffffffffU);
    EXPECT_EQ(ggmlTypeName(gguf.findTensor("iq2")->ggmlType), "IQ2_XXS");
}

TEST(Gguf, SurvivesBeingMoved)
{
    const TempDir dir;
    GgufBuilder().string("name", "moved").tensor("w", DType::F16, {4}).write(dir / "m.gguf");
    Gguf first = Gguf::open(dir / "m.gguf");
    const Gguf second = std::move(first);
    EXPECT_EQ(second.findString("name"), "moved");
    EXPECT_EQ(second.findTensor("w")->bytes.size(), 8U);
}

TEST(Gguf, OpensTheGoldenModels)
{
    const auto names = test::goldenGgufNames();
    ASSERT_GE(names.size(), 6U);
    for (const std::string &name : names) {
        const Gguf gguf = Gguf::open(test::goldenGguf(name));
        EXPECT_EQ(gguf.requireString("general.architecture"), "llama") << name;
        EXPECT_EQ(gguf.requireUnsigned("llama.block_count"), 2U) << name;
        EXPECT_EQ(gguf.tensors().size(), 20U) << name;
        const GgufTensor *const embedding = gguf.findTensor("token_embd.weight");
        ASSERT_NE(embedding, nullptr) << name;
        EXPECT_EQ(embedding->dims[0], gguf.requireUnsigned("llama.embedding_length")) << name;
        const test::GoldenLogits golden = test::goldenLogits(name);
        EXPECT_EQ(golden.ids.size(), 16U) << name;
        EXPECT_EQ(embedding->dims[1], static_cast<std::uint64_t>(golden.vocab)) << name;
    }
}

} // namespace
} // namespace fireside
