// Latent attention of older GGUF files, whose matrix of keys and values is not split yet.
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/model_fixture.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace fireside {
namespace {

using test::GgufBuilder;
using test::ModelFixture;

constexpr std::uint64_t kWidth = 32, kHeads = 2, kRank = 32, kPlain = 6, kRotary = 4, kValue = 8;
constexpr std::uint64_t kVocabulary = 16, kBoth = kHeads * (kPlain + kValue);

class LatentGgufTest : public testing::Test
{
protected:
    std::vector<float> numbers(std::size_t n)
    {
        std::uniform_real_distribution<float> any(-0.5f, 0.5f);
        std::vector<float> values(n);
        for (float &v : values)
            v = any(m_random);
        return values;
    }
    /// The logits of a model that has these bytes for keys and values; all else is the same.
    std::vector<float> logits(DType type, std::span<const std::byte> both)
    {
        m_random.seed(7);
        GgufBuilder b;
        b.string("general.architecture", "minicpm3");
        const auto key = [&](const char *name, std::uint64_t n) {
            b.u32(std::string("minicpm3.") + name, static_cast<std::uint32_t>(n));
        };
        key("block_count", 1), key("embedding_length", kWidth), key("context_length", 64);
        key("attention.head_count", kHeads), key("feed_forward_length", 32);
        key("attention.kv_lora_rank", kRank), key("rope.dimension_count", kRotary);
        key("attention.key_length", kPlain + kRotary), key("attention.value_length", kValue);
        const auto tensor = [&](const char *name, std::vector<std::uint64_t> dims) {
            const auto values = numbers(dims[0] * (dims.size() > 1 ? dims[1] : 1));
            b.tensor(name, DType::F32, std::move(dims), std::as_bytes(std::span(values)));
        };
        tensor("token_embd.weight", {kWidth, kVocabulary});
        tensor("output_norm.weight", {kWidth});
        tensor("blk.0.attn_norm.weight", {kWidth});
        tensor("blk.0.attn_q.weight", {kWidth, kHeads * (kPlain + kRotary)});
        tensor("blk.0.attn_kv_a_mqa.weight", {kWidth, kRank + kRotary});
        tensor("blk.0.attn_kv_a_norm.weight", {kRank});
        tensor("blk.0.attn_output.weight", {kHeads * kValue, kWidth});
        tensor("blk.0.ffn_norm.weight", {kWidth});
        tensor("blk.0.ffn_gate.weight", {kWidth, 32});
        tensor("blk.0.ffn_up.weight", {kWidth, 32});
        tensor("blk.0.ffn_down.weight", {32, kWidth});
        b.tensor("blk.0.attn_kv_b.weight", type, {kRank, kBoth}, both);
        b.write(m_folder / "model.gguf");
        const ModelFixture model(m_folder / "model.gguf");
        const std::vector<TokenId> ids{3, 1, 4, 1, 5, 9, 2, 6};
        return test::allLogits(*model.session(), ids);
    }
    const test::TempDir m_folder;
    std::mt19937 m_random{11};
};

TEST_F(LatentGgufTest, QuantizedKeysAndValuesAreThoseThatTheirBlocksHold)
{
    // Blocks of Q8_0: a factor and 32 bytes.
    std::vector<std::byte> blocks(kBoth * rowBytes(DType::Q8_0, kRank));
    for (std::size_t i = 0; i < blocks.size(); i += 34) {
        const std::uint16_t factor = floatToHalf(1.0f / 256);
        std::memcpy(&blocks[i], &factor, sizeof factor);
        for (std::size_t j = 2; j < 34; ++j)
            blocks[i + j] = static_cast<std::byte>(m_random() & 0xff);
    }
    std::vector<float> values(kBoth * kRank);
    dequantizeRow(DType::Q8_0, blocks.data(), values.data(), values.size());
    std::vector<std::uint16_t> halves;
    for (const float v : values)
        halves.push_back(floatToHalf(v));
    const std::vector<float> quantized = logits(DType::Q8_0, blocks);
    EXPECT_EQ(quantized, logits(DType::F16, std::as_bytes(std::span(halves))));
    std::reverse(halves.begin(), halves.end());
    EXPECT_NE(quantized, logits(DType::F16, std::as_bytes(std::span(halves))));
}

} // namespace
} // namespace fireside
