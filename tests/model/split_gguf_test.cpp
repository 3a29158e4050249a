// Models in several GGUF files: the same as in one, whichever part is opened; parts that do not
// belong together are named.
#include "engine/core/error.h"
#include "engine/files/gguf_split.h"
#include "engine/files/model_file.h"
#include "engine/model/describe.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/split_gguf.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using test::GgufBuilder;
using test::splitName;

class SplitGgufTest : public testing::Test
{
protected:
    std::vector<fs::path> write(const std::vector<GgufBuilder> &parts,
                                const std::string &stem = "model")
    {
        std::vector<fs::path> paths;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            paths.push_back(m_dir / splitName(stem, p + 1, parts.size()));
            parts[p].write(paths.back());
        }
        return paths;
    }
    std::string errorOf(const fs::path &path)
    {
        try {
            ModelFile::open(path);
        } catch (const Error &e) {
            EXPECT_EQ(e.kind(), ErrorKind::BadInput) << e.what();
            return e.what();
        }
        return "no error";
    }
    void expectError(const fs::path &path, const std::string &named, const std::string &needle)
    {
        const std::string error = errorOf(path);
        EXPECT_TRUE(error.starts_with((m_dir / named).string() + ": ")) << error;
        EXPECT_NE(error.find(needle), std::string::npos) << error;
    }

    test::TempDir m_dir;
    fs::path m_whole = test::goldenGguf("q4_k");
};

TEST_F(SplitGgufTest, AnyPartOpensTheWholeModel)
{
    const ModelFile whole = ModelFile::open(m_whole);
    const ModelSummary wanted = describeModel(whole);
    for (const bool emptyFirst : {false, true}) {
        const std::vector<fs::path> paths =
            write(test::splitGguf(m_whole, 3, emptyFirst), emptyFirst ? "empty" : "model");
        std::uint64_t bytes = 0;
        for (const fs::path &path : paths)
            bytes += fs::file_size(path);
        for (const fs::path &path : paths) {
            const ModelFile file = ModelFile::open(path);
            EXPECT_EQ(file.path(), paths[0]);
            ASSERT_EQ(file.tensors().size(), whole.tensors().size());
            for (const ModelTensor &t : whole.tensors()) {
                const ModelTensor *const own = file.findTensor(t.name);
                ASSERT_TRUE(own) << t.name;
                EXPECT_TRUE(std::ranges::equal(own->bytes, t.bytes)) << t.name;
                EXPECT_EQ(own->shape, t.shape);
            }
            EXPECT_EQ(file.headers().size(), 3u);
            const ModelSummary s = describeModel(file);
            EXPECT_EQ(s.problem, std::nullopt);
            EXPECT_EQ(s.name, wanted.name);
            EXPECT_EQ(s.fileBytes, bytes);
            EXPECT_EQ(s.parameters, wanted.parameters);
            ASSERT_TRUE(s.plan && wanted.plan);
            EXPECT_EQ(s.plan->layerWeights, wanted.plan->layerWeights);
            EXPECT_EQ(s.plan->outputWeights, wanted.plan->outputWeights);
        }
    }
}

TEST_F(SplitGgufTest, ComputesTheSame)
{
    const std::vector<fs::path> paths = write(test::splitGguf(m_whole, 4));
    const test::ModelFixture whole(m_whole), split(paths[2]);
    const std::vector<std::int32_t> ids = test::goldenLogits("q4_k").ids;
    const auto one = whole.session(), other = split.session();
    EXPECT_EQ(test::allLogits(*one, ids), test::allLogits(*other, ids));
}

TEST_F(SplitGgufTest, NamesOfParts)
{
    const auto name = splitNameOf("/a/b-c-00002-of-00011.GGUF");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->stem, "b-c");
    EXPECT_EQ(name->number, 2u);
    EXPECT_EQ(name->count, 11u);
    for (const char *other :
         {"m.gguf", "-00001-of-00002.gguf", "m-00000-of-00002.gguf", "m-00003-of-00002.gguf",
          "m-0001-of-00002.gguf", "m-00001-of-0002x.gguf", "m-00001_of-00002.gguf",
          "m-00001-of-00002.bin", "m-+0001-of-00002.gguf", "m 00001-of-00002.gguf"})
        EXPECT_FALSE(splitNameOf(other)) << other;
}

TEST_F(SplitGgufTest, WhatDoesNotBelongTogetherIsNamed)
{
    const std::vector<GgufBuilder> parts = test::splitGguf(m_whole, 3);
    const std::string first = splitName("model", 1, 3), second = splitName("model", 2, 3),
                      third = splitName("model", 3, 3);
    const auto again = [&] { return write(parts)[0]; };

    fs::remove(m_dir / (again(), second));
    expectError(m_dir / first, second, "part 2 of 3 of the model is missing");
    fs::remove(m_dir / (again(), first));
    expectError(m_dir / third, first, "part 1 of 3 of the model is missing");

    again();
    fs::rename(m_dir / second, m_dir / "other.gguf");
    expectError(m_dir / "other.gguf", "other.gguf", "is part 2 of 3 of a model, but was renamed");
    expectError(m_dir / "other.gguf", "other.gguf", "-00001-of-00003.gguf");

    again();
    fs::copy_file(m_dir / first, m_dir / second, fs::copy_options::overwrite_existing);
    expectError(m_dir / first, second, "says that it is part 1 of 3: files were renamed");

    again();
    fs::copy_file(m_whole, m_dir / third, fs::copy_options::overwrite_existing);
    expectError(m_dir / first, third, "named as part 3 of 3 of a model, but is none");

    again();
    test::splitGguf(m_whole, 4)[2].write(m_dir / third);
    expectError(m_dir / first, third, "says that it is part 3 of 4");
}

TEST_F(SplitGgufTest, PartsOfOtherModelsAreNamed)
{
    const std::vector<GgufBuilder> parts = test::splitGguf(m_whole, 3);
    const std::string first = splitName("model", 1, 3), second = splitName("model", 2, 3);
    const auto own = [](int number, int tensors) {
        return GgufBuilder()
            .u16("split.no", static_cast<std::uint16_t>(number))
            .u16("split.count", 3)
            .i32("split.tensors.count", tensors);
    };
    const int tensors = static_cast<int>(Gguf::open(m_whole).tensors().size());
    write(parts);
    own(1, tensors + 1).write(m_dir / second);
    expectError(m_dir / first, second, "belongs to another model");
    own(1, tensors).string("general.architecture", "mamba").write(m_dir / second);
    expectError(m_dir / first, second, "'general.architecture' is 'mamba'");
    own(1, tensors).tensor("token_embd.weight", DType::F32, {4}).write(m_dir / second);
    expectError(m_dir / first, second, "holds the tensor 'token_embd.weight'");
    own(1, tensors).tensor("other.weight", DType::F32, {4}).write(m_dir / second);
    expectError(m_dir / first, first, "its 3 parts hold");
}

TEST_F(SplitGgufTest, HostileCountsAreRefused)
{
    const std::string name = splitName("model", 1, 3);
    const auto with = [&](const GgufBuilder &builder) {
        builder.write(m_dir / name);
        return errorOf(m_dir / name);
    };
    EXPECT_NE(with(GgufBuilder().u64("split.count", ~std::uint64_t{0})).find("mixed up"),
              std::string::npos);
    EXPECT_NE(with(GgufBuilder().u16("split.count", 3).u64("split.no", ~std::uint64_t{0}))
                  .find("mixed up"),
              std::string::npos);
    EXPECT_NE(with(GgufBuilder().i32("split.count", -3)).find("at least 0"), std::string::npos);
    EXPECT_NE(with(GgufBuilder().string("split.count", "3")).find("split.count"),
              std::string::npos);
}

} // namespace
} // namespace fireside
