// GGUF files whose NVFP4 weights have factors beside them, against files of the numbers that they
// stand for.
#include "engine/convert/quantize_file.h"
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/model/describe.h"
#include "engine/tensor/blocks.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/gguf_from_folder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"
#include "tests/support/weight_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using test::GgufBuilder;

/// Numbers as NVFP4, whose scales are rounded to powers of two.
std::vector<std::byte> nvfp4Of(std::span<const float> values)
{
    constexpr std::array<float, 8> kNumbers{0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    std::vector<std::byte> bytes;
    for (std::size_t first = 0; first < values.size(); first += 64) {
        BlockNVFP4 block{.scales8 = {}, .qs = {}};
        for (std::size_t g = 0; g < 4; ++g) {
            const std::span<const float> part = values.subspan(first + 16 * g, 16);
            float most = 1e-6f;
            for (const float v : part)
                most = std::max(most, std::abs(v));
            const int exponent =
                std::clamp(static_cast<int>(std::ceil(std::log2(most / 6))), -6, 8);
            block.scales8[g] = static_cast<std::uint8_t>((exponent + 7) << 3);
            for (std::size_t i = 0; i < 16; ++i) {
                const float wanted = std::abs(std::ldexp(part[i], -exponent));
                unsigned code = 0;
                for (unsigned k = 1; k < 8; ++k)
                    if (std::abs(kNumbers[k] - wanted) < std::abs(kNumbers[code] - wanted))
                        code = k;
                code |= part[i] < 0 ? 8u : 0u;
                block.qs[8 * g + i % 8] |= static_cast<std::uint8_t>(code << (i < 8 ? 0 : 4));
            }
        }
        const auto raw = std::as_bytes(std::span(&block, 1));
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
    return bytes;
}

/// The files of a model: with NVFP4 and factors, and with what these stand for in F32.
class ScaledWeightsTest : public testing::Test
{
protected:
    void write(const fs::path &source)
    {
        const Gguf whole = Gguf::open(source);
        const std::span<const std::byte> bytes = whole.file().bytes();
        constexpr std::size_t kKeysAt = 24, kLength = 8;
        const auto end = static_cast<std::size_t>(
            reinterpret_cast<const std::byte *>(whole.tensors().front().name.data()) -
            bytes.data());
        GgufBuilder scaled, plain;
        for (GgufBuilder *b : {&scaled, &plain})
            b->metadata(bytes.subspan(kKeysAt, end - kLength - kKeysAt), whole.metadata().size());
        for (const GgufTensor &t : whole.tensors())
            add(t, scaled, plain);
        scaled.write(m_scaled);
        plain.write(m_plain);
    }
    void add(const GgufTensor &t, GgufBuilder &scaled, GgufBuilder &plain)
    {
        const std::vector<std::uint64_t> dims(t.dims.begin(), t.dims.begin() + t.rank);
        const std::string name(t.name);
        const bool matrix = t.rank > 1 && t.dims[0] % 64 == 0 && name.starts_with("blk.") &&
                            name.ends_with(".weight") && name.find("gate_inp") == name.npos;
        if (!matrix) {
            scaled.tensor(name, *t.dtype, dims, t.bytes);
            plain.tensor(name, *t.dtype, dims, t.bytes);
            return;
        }
        const std::size_t matrices = t.dims[2], each = t.dims[0] * t.dims[1];
        std::vector<float> values(matrices * each);
        dequantizeRow(*t.dtype, t.bytes.data(), values.data(), values.size());
        std::vector<float> factors;
        for (std::size_t m = 0; m < matrices; ++m)
            factors.push_back(std::ldexp(1.37f, -12) * static_cast<float>(1 + (m_count + m) % 5));
        std::vector<float> smaller = values;
        for (std::size_t i = 0; i < smaller.size(); ++i)
            smaller[i] /= factors[i / each];
        const std::vector<std::byte> blocks = nvfp4Of(smaller);
        const std::size_t row = rowBytes(DType::NVFP4, t.dims[0]);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(
                test::weightAt(DType::NVFP4, &blocks[i / t.dims[0] * row], i % t.dims[0]) *
                double{factors[i / each]});
        const std::string base = name.substr(0, name.size() - 7);
        scaled.tensor(name, DType::NVFP4, dims, blocks)
            .tensor(base + ".scale", DType::F32, {matrices}, std::as_bytes(std::span(factors)));
        if (m_count % 2 == 0)
            scaled.tensor(base + ".input_scale", DType::F32, {matrices});
        plain.tensor(name, DType::F32, dims, std::as_bytes(std::span(values)));
        ++m_count;
    }
    std::vector<float> logits(const fs::path &path)
    {
        const test::ModelFixture model(path);
        m_vocabulary = model.vocabulary();
        return test::allLogits(*model.session(), m_ids);
    }
    void expectNear(const std::vector<float> &got, const std::vector<float> &want, double least)
    {
        for (std::size_t t = 0; t < m_ids.size(); ++t)
            EXPECT_GE(
                test::cosineSimilarity(std::span(got).subspan(t * m_vocabulary, m_vocabulary),
                                       std::span(want).subspan(t * m_vocabulary, m_vocabulary)),
                least)
                << "position " << t;
    }

    test::TempDir m_dir;
    fs::path m_scaled = m_dir / "scaled.gguf", m_plain = m_dir / "plain.gguf";
    std::vector<TokenId> m_ids{5, 17, 3, 99, 42, 7, 23, 64};
    std::size_t m_count = 0, m_vocabulary = 0; // matrices
};

TEST_F(ScaledWeightsTest, FactorsBecomePartsOfTheirWeights)
{
    write(test::goldenGguf("f16"));
    ASSERT_GT(m_count, 0u);
    const ModelFile scaled = ModelFile::open(m_scaled), plain = ModelFile::open(m_plain);
    EXPECT_EQ(describeModel(scaled).problem, std::nullopt);
    std::size_t packed = 0;
    for (const ModelTensor &t : plain.tensors()) {
        const ModelTensor *const own = scaled.findTensor(t.name);
        ASSERT_TRUE(own) << t.name;
        if (!own->packed)
            continue;
        ++packed;
        EXPECT_EQ(own->type, "NVFP4");
        const std::size_t cols = t.shape.back(), rows = t.shape[0];
        ASSERT_EQ(own->dtype, cols % 256 == 0 ? DType::NVFP4_F32 : DType::F16);
        std::vector<std::byte> bytes(own->storedBytes());
        unpackRows(*own->packed, 0, rows, bytes.data());
        std::vector<float> values(cols), meant(cols);
        const std::size_t row = rowBytes(*own->dtype, cols);
        for (std::size_t r = 0; r < rows; ++r) {
            dequantizeRow(*own->dtype, &bytes[r * row], values.data(), cols);
            std::memcpy(meant.data(), &t.bytes[r * cols * sizeof(float)], cols * sizeof(float));
            for (std::size_t c = 0; c < cols; ++c)
                ASSERT_NEAR(values[c], meant[c],
                            std::abs(meant[c]) * (cols % 256 == 0 ? 2e-6f : 5e-4f))
                    << t.name << ' ' << r << ' ' << c;
        }
    }
    EXPECT_EQ(packed, m_count);
    EXPECT_EQ(scaled.tensors().size(), plain.tensors().size());
    expectNear(logits(m_scaled), logits(m_plain), 0.999);
}

// Gate and up of experts in one tensor, a factor for each expert, and products as it was without.
TEST_F(ScaledWeightsTest, ExpertsHaveAFactorEach)
{
    for (const char *model : {"gemma4-moe", "mixtral", "qwen3-moe"}) {
        const auto folder = test::goldenFolder(model);
        test::writeGgufOf(folder, m_dir / "whole.gguf");
        m_count = 0;
        write(m_dir / "whole.gguf");
        ASSERT_GT(m_count, 0u) << model;
        SCOPED_TRACE(model);
        expectNear(logits(m_scaled), logits(m_plain), 0.9999); // F16
        fs::remove(m_dir / "whole.gguf");
    }
}

TEST_F(ScaledWeightsTest, OtherFilesOfThem)
{
    write(test::goldenGguf("f16"));
    quantizeFile({.source = m_scaled, .target = m_dir / "copy.gguf"});
    const Gguf from = Gguf::open(m_scaled), copy = Gguf::open(m_dir / "copy.gguf");
    ASSERT_EQ(copy.tensors().size(), from.tensors().size());
    for (const GgufTensor &t : from.tensors())
        EXPECT_TRUE(std::ranges::equal(copy.findTensor(t.name)->bytes, t.bytes)) << t.name;
    // In other types the factors are in the numbers.
    const Recipe *const recipe = findRecipe("Q8_0");
    EXPECT_THROW(quantizeFile({.source = m_scaled, .target = m_dir / "not.gguf", .recipe = recipe}),
                 Error);
    quantizeFile(
        {.source = m_scaled, .target = m_dir / "q8_0.gguf", .recipe = recipe, .requantize = true});
    const Gguf other = Gguf::open(m_dir / "q8_0.gguf");
    for (const GgufTensor &t : other.tensors())
        EXPECT_EQ(t.name.find("scale"), t.name.npos) << t.name;
    expectNear(logits(m_dir / "q8_0.gguf"), logits(m_plain), 0.999);
}

TEST_F(ScaledWeightsTest, FactorsThatDoNotFitAreNamed)
{
    const auto error = [&](DType type, std::vector<std::uint64_t> dims) {
        GgufBuilder file;
        file.tensor("blk.0.ffn_up_exps.weight", DType::NVFP4, {64, 2, 3})
            .tensor("blk.0.ffn_up_exps.scale", type, std::move(dims));
        file.write(m_scaled);
        try {
            ModelFile::open(m_scaled);
        } catch (const Error &e) {
            EXPECT_EQ(e.kind(), ErrorKind::BadInput);
            return std::string(e.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(error(DType::F32, {1}), "no error");
    EXPECT_EQ(error(DType::F32, {3}), "no error");
    const std::vector<std::pair<DType, std::vector<std::uint64_t>>> wrong{
        {DType::F32, {2}}, {DType::F32, {3, 2}}, {DType::F16, {3}}};
    for (const auto &[type, dims] : wrong) {
        const std::string text = error(type, dims);
        EXPECT_NE(text.find("'blk.0.ffn_up_exps.scale' is "), std::string::npos) << text;
        EXPECT_NE(text.find("expected F32 [3] or one number"), std::string::npos) << text;
    }
}

} // namespace
} // namespace fireside
