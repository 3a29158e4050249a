// GGUF files that hold a whole model with several kinds of input, as Ollama writes them: the text
// part loads, and only that is counted.
#include "engine/convert/quantize_file.h"
#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "engine/model/describe.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

/// A golden GGUF file, whose keys and tensors a test adds to.
test::GgufBuilder builderOf(const std::filesystem::path &path)
{
    const Gguf whole = Gguf::open(path);
    const std::span<const std::byte> bytes = whole.file().bytes();
    constexpr std::size_t kKeysAt = 24, kLength = 8;
    const auto end = static_cast<std::size_t>(
        reinterpret_cast<const std::byte *>(whole.tensors().front().name.data()) - bytes.data());
    test::GgufBuilder b;
    b.metadata(bytes.subspan(kKeysAt, end - kLength - kKeysAt), whole.metadata().size());
    for (const GgufTensor &t : whole.tensors())
        b.tensor(t.name, *t.dtype, {t.dims.begin(), t.dims.begin() + t.rank}, t.bytes);
    return b;
}

class AllInOneTest : public testing::Test
{
protected:
    std::string problemWith(const char *tensor)
    {
        test::GgufBuilder b = builderOf(test::goldenGguf("f16"));
        b.tensor(tensor, DType::F32, {512});
        b.write(m_dir / "one.gguf");
        return describeModel(m_dir / "one.gguf").problem.value_or("none");
    }
    test::TempDir m_dir;
};

TEST_F(AllInOneTest, TheTextPartLoadsAndCountsAlone)
{
    const std::filesystem::path plain = test::goldenGguf("f16");
    test::GgufBuilder b = builderOf(plain);
    b.tensor("v.blk.0.attn_q.weight", DType::F32, {64, 512});
    b.tensor("v.patch_embd.weight", DType::F32, {4096});
    b.tensor("mm.input_projection.weight", DType::F32, {512});
    b.tensor("a.conv1d.1.weight", DType::F32, {16});
    b.rawTensor("a.blk.0.odd.weight", {32}, 20, 32); // of a type that no text weight has
    b.u32("llama.vision.block_count", 1).f32("llama.vision.attention.layer_norm_epsilon", 1e-6f);
    b.write(m_dir / "one.gguf");

    const ModelSummary own = describeModel(m_dir / "one.gguf"), text = describeModel(plain);
    EXPECT_EQ(own.problem.value_or("none"), "none");
    EXPECT_EQ(own.parameters, text.parameters);
    EXPECT_EQ(own.activeParameters, text.activeParameters);
    EXPECT_EQ(own.quantisationHint, text.quantisationHint);
    EXPECT_EQ(own.quantisation, text.quantisation);
    EXPECT_EQ(own.plan.value().layerWeights, text.plan.value().layerWeights);
    const auto says = [](const ModelSummary &s) {
        return std::any_of(s.remarks.begin(), s.remarks.end(), [](const std::string &remark) {
            return remark.find("pictures or sound, which are not read") != std::string::npos;
        });
    };
    EXPECT_TRUE(says(own));
    EXPECT_FALSE(says(text));

    quantizeFile({.source = m_dir / "one.gguf", .target = m_dir / "made.gguf"}, {}, {});
    EXPECT_EQ(Gguf::open(m_dir / "made.gguf").tensors().size(), Gguf::open(plain).tensors().size());

    const std::vector<TokenId> ids{1, 5, 9, 2};
    const test::ModelFixture one(m_dir / "one.gguf"), alone(plain);
    EXPECT_EQ(test::allLogits(*one.session(), ids), test::allLogits(*alone.session(), ids));
}

TEST_F(AllInOneTest, EveryPartForOtherInputIsKnownByItsFirstWord)
{
    for (const char *name : {"v.a", "mm.0.weight", "a.b.c", "vision_tower.x", "visual.blocks.0",
                             "resampler.kv.weight", "audio_encoder.x", "projector.weight"})
        EXPECT_EQ(problemWith(name), "none") << name;
    for (const char *name : {"value.x", "mmm.x", "v", "audi.x"})
        EXPECT_NE(problemWith(name), "none") << name;
}

TEST_F(AllInOneTest, LayersThatAttendToPicturesCannotBeLeftOut)
{
    const std::string problem = problemWith("blk.1.cross_attn_q_proj.weight");
    EXPECT_NE(problem.find("cross-attention"), std::string::npos) << problem;
    EXPECT_NE(problem.find("blk.1.cross_attn_q_proj.weight"), std::string::npos) << problem;
}

} // namespace
} // namespace fireside
