// Folders with quantised weights: what lies in memory, and what models compute with it, against
// matrices and folders of the numbers that the format's definition gives.
#include "engine/convert/quantize_file.h"
#include "engine/core/error.h"
#include "engine/files/gguf_writer.h"
#include "engine/files/model_file.h"
#include "engine/model/describe.h"
#include "engine/tensor/blocks.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/packed_folder.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <set>

namespace fireside {
namespace {

using test::PackedKind;
using test::SafetensorsBuilder;
using Layout = PackedKind::Layout;

class PackedWeightsTest : public testing::TestWithParam<PackedKind>
{
protected:
    test::TempDir m_dir;
};

std::vector<float> randomWeights(std::size_t count)
{
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0, 0.02f);
    std::vector<float> values(count);
    for (float &v : values)
        v = normal(random);
    return values;
}

struct Matrix
{
    std::uint64_t depth, rows, cols;
};

void writeConfig(const std::filesystem::path &folder, const std::string &quantisation)
{
    test::writeText(folder / "config.json", R"({"architectures":["LlamaForCausalLM"],)"
                                            R"("quantization_config":)" +
                                                quantisation + '}');
}

/// The largest difference, less what the kind may differ by.
double excess(const PackedKind &kind, std::span<const float> made, std::span<const double> meant,
              std::size_t cols)
{
    double worst = 0;
    for (std::size_t i = 0; i < meant.size(); ++i) {
        double allowed = kind.relative * std::abs(meant[i]) + (kind.relative > 0 ? 1e-7 : 0);
        if (kind.ofBlock > 0) {
            double most = 0;
            const std::size_t first = i - i % cols % 32;
            for (std::size_t k = first; k < first + 32; ++k)
                most = std::max(most, std::abs(meant[k]));
            allowed += kind.ofBlock * most;
        }
        const double difference = std::abs(static_cast<double>(made[i]) - meant[i]);
        worst = std::max(worst, std::isnan(difference) ? 1.0 : difference - allowed);
    }
    return worst;
}

// Sizes that end within a tile of rows, of columns, and within a block of scales.
TEST_P(PackedWeightsTest, LieInMemoryAsTheirFormatSays)
{
    const PackedKind &kind = GetParam();
    for (const Matrix m : {Matrix{1, 72, 256}, Matrix{1, 8, 32}, Matrix{1, 200, 672}}) {
        const std::uint64_t depth = kind.layout == Layout::Mxfp4 ? 3 : 1;
        SafetensorsBuilder out;
        const std::vector<double> meant = test::addPacked(
            kind, "layer", depth, m.rows, m.cols, randomWeights(depth * m.rows * m.cols), out);
        out.write(m_dir / "model.safetensors");
        writeConfig(m_dir.path(), kind.config);
        const ModelFile file = ModelFile::open(m_dir.path());
        ASSERT_EQ(file.problem(), std::nullopt);
        ASSERT_EQ(file.tensors().size(), 1u);
        const ModelTensor &t = file.tensors().front();
        EXPECT_EQ(t.name, kind.layout == Layout::Mxfp4 ? "layer" : "layer.weight");
        ASSERT_TRUE(t.packed);
        ASSERT_EQ(t.elements(), meant.size());
        ASSERT_EQ(t.storedBytes(), depth * m.rows * rowBytes(*t.dtype, m.cols));
        std::vector<std::byte> bytes(t.storedBytes());
        unpackRows(*t.packed, 0, t.packed->depth * t.packed->rows, bytes.data());
        std::vector<float> made(meant.size());
        for (std::size_t r = 0; r < depth * m.rows; ++r)
            dequantizeRow(*t.dtype, &bytes[r * rowBytes(*t.dtype, m.cols)], &made[r * m.cols],
                          m.cols);
        EXPECT_LE(excess(kind, made, meant, m.cols), 0)
            << m.rows << " × " << m.cols << " as " << name(*t.dtype);
    }
}

// Scattered groups, taken one after another, keep their codes: the values are those meant.
TEST_P(PackedWeightsTest, ByGroupTheirCodesStay)
{
    const PackedKind &kind = GetParam();
    if (kind.scattered == 0)
        return;
    constexpr std::size_t kRows = 72, kCols = 672;
    SafetensorsBuilder out;
    const std::vector<double> meant =
        test::addPacked(kind, "layer", 1, kRows, kCols, randomWeights(kRows * kCols), out);
    out.write(m_dir / "model.safetensors");
    writeConfig(m_dir.path(), kind.config);
    const ModelFile file = ModelFile::open(m_dir.path());
    const PackedWeight &w = *file.tensors().front().packed;
    const std::size_t row = rowBytes(w.productType(), kCols);
    ASSERT_EQ(w.productType(), kind.bits == 8 ? DType::Q8_0
                               : kind.zeros   ? DType::Q5_0
                                              : DType::Q4_0);
    ASSERT_EQ(w.productBytes(), kRows * row + kCols * sizeof(float));
    ASSERT_EQ(w.columns.size(), kCols);
    EXPECT_EQ(std::set(w.columns.begin(), w.columns.end()).size(), kCols);
    std::vector<std::byte> bytes(kRows * row);
    unpackRows(w, 0, kRows, bytes.data(), ColumnOrder::ByGroup);
    std::vector<float> values(kCols);
    for (std::size_t r = 0; r < kRows; ++r) {
        dequantizeRow(w.productType(), &bytes[r * row], values.data(), kCols);
        for (std::size_t j = 0; j < kCols; ++j)
            ASSERT_EQ(double{values[j]}, meant[r * kCols + static_cast<std::size_t>(w.columns[j])])
                << "row " << r << ", column " << w.columns[j];
    }
}

/// The least cosine over the rows of logits; float forms meet x as it is, others round it.
double bound(const PackedKind &kind)
{
    return kind.layout == Layout::Fp8 || kind.name == "Gptq8Zeros" ? 0.999999 : 0.999;
}

TEST_P(PackedWeightsTest, ModelsComputeWhatTheirNumbersGive)
{
    const PackedKind &kind = GetParam();
    const auto golden = test::goldenFolder(kind.model);
    test::writePackedFolder(kind, golden, m_dir / "packed", m_dir / "plain");
    const ModelSummary summary = describeModel(m_dir / "packed");
    ASSERT_EQ(summary.problem, std::nullopt);
    const test::ModelFixture packed(m_dir / "packed"), plain(m_dir / "plain");
    const std::vector<std::int32_t> ids = test::goldenFolderLogits(golden).ids;
    const auto ours = packed.session(), theirs = plain.session();
    const std::vector<float> got = test::allLogits(*ours, ids),
                             want = test::allLogits(*theirs, ids);
    const std::size_t V = packed.vocabulary();
    for (std::size_t t = 0; t < ids.size(); ++t)
        EXPECT_GE(test::cosineSimilarity(std::span(got).subspan(t * V, V),
                                         std::span(want).subspan(t * V, V)),
                  bound(kind))
            << "position " << t;
    RecordProperty("difference", std::to_string(test::maxDifference(got, want)));
}

TEST_P(PackedWeightsTest, FilesMadeOfThemHoldTypesThatOthersKnow)
{
    const PackedKind &kind = GetParam();
    const auto golden = test::goldenFolder(kind.model);
    test::writePackedFolder(kind, golden, m_dir / "packed", m_dir / "plain");
    quantizeFile({.source = m_dir / "packed", .target = m_dir / "model.gguf"});
    const Gguf gguf = Gguf::open(m_dir / "model.gguf");
    for (const GgufTensor &t : gguf.tensors())
        EXPECT_TRUE(t.dtype && isInGguf(*t.dtype)) << t.name;
}

// Codes stay as they are in a GGUF file too, in their types; only rows change places.
TEST_P(PackedWeightsTest, BecomeGgufAsTheyAreLoaded)
{
    const PackedKind &kind = GetParam();
    const auto golden = test::goldenFolder(kind.model);
    test::writePackedFolder(kind, golden, m_dir / "packed", m_dir / "plain");
    const ModelFile folder = ModelFile::open(m_dir / "packed");
    std::uint64_t packed = 0, kept = 0; // numbers
    std::set<DType> stored;
    bool all = true; // GGUF has their types
    for (const ModelTensor &t : folder.tensors()) {
        if (!t.packed || info(*t.dtype).blockElements == 1)
            continue;
        if (!isInGguf(*t.dtype)) {
            all = false;
            continue;
        }
        packed += t.elements();
        stored.insert(*t.dtype);
    }
    const std::vector<std::int32_t> ids = test::goldenFolderLogits(golden).ids;
    const test::ModelFixture before(m_dir / "packed");
    const std::vector<float> want = test::allLogits(*before.session(), ids);
    for (const char *recipe : {"", "Q8_0"}) {
        const std::filesystem::path path = m_dir / (std::string("out") + recipe + ".gguf");
        quantizeFile({.source = m_dir / "packed", .target = path, .recipe = findRecipe(recipe)});
        const Gguf made = Gguf::open(path);
        kept = 0;
        for (const GgufTensor &t : made.tensors())
            if (t.dtype && stored.contains(*t.dtype) && t.rank > 1)
                kept += t.dims[0] * t.dims[1] * t.dims[2];
        EXPECT_GE(kept, packed) << recipe;
        const bool quantised =
            std::any_of(made.tensors().begin(), made.tensors().end(),
                        [](const GgufTensor &t) { return t.dtype == DType::Q8_0; });
        EXPECT_TRUE(all || *recipe == '\0' || quantised) << "what GGUF lacks is quantised as asked";
        const test::ModelFixture after(path);
        const std::vector<float> got = test::allLogits(*after.session(), ids);
        if (*recipe == '\0' && all && kind.ofBlock == 0 && kind.scattered == 0)
            EXPECT_LE(test::maxDifference(got, want), 2e-4);
        else // what GGUF lacks is quantised once more, and experts may then be others
            EXPECT_GT(test::cosineSimilarity(got, want), all ? 0.999 : 0.99);
    }
}

/// One matrix [64, 128] in a folder of its own.
class PackedFolderTest : public testing::Test
{
protected:
    static const PackedKind &kind(const std::string &name)
    {
        static const std::vector<PackedKind> kinds = test::packedKinds();
        return *std::find_if(kinds.begin(), kinds.end(),
                             [&](const PackedKind &k) { return k.name == name; });
    }
    ModelFile open(const std::string &config, const SafetensorsBuilder &tensors)
    {
        tensors.write(m_dir / "model.safetensors");
        writeConfig(m_dir.path(), config);
        return ModelFile::open(m_dir.path());
    }
    /// A good one, of which one tensor is another.
    std::string errorWith(const std::string &name, const std::string &tensor,
                          const std::string &type, const std::vector<std::uint64_t> &shape,
                          std::span<const std::byte> bytes)
    {
        SafetensorsBuilder good;
        test::addPacked(kind(name), "layer", 1, 64, 128, randomWeights(64 * 128), good);
        good.write(m_dir / "model.safetensors");
        const Safetensors whole = Safetensors::open(m_dir / "model.safetensors");
        SafetensorsBuilder changed;
        for (const SafetensorsTensor &t : whole.tensors())
            if (t.name != tensor)
                changed.tensor(t.name, t.type, t.shape, t.bytes);
        if (!type.empty())
            changed.tensor(tensor, type, shape, bytes);
        const test::TempDir other;
        changed.write(other / "model.safetensors");
        writeConfig(other.path(), kind(name).config);
        try {
            const ModelFile file = ModelFile::open(other.path());
            for (const ModelTensor &t : file.tensors())
                if (t.packed) {
                    std::vector<std::byte> made(t.storedBytes());
                    unpackRows(*t.packed, 0, t.packed->depth * t.packed->rows, made.data());
                }
        } catch (const Error &e) {
            EXPECT_EQ(e.kind(), ErrorKind::BadInput) << e.what();
            return e.what();
        }
        return "no error";
    }

    test::TempDir m_dir;
};

TEST_F(PackedFolderTest, OtherFormatsAreRefusedByNameInThePicker)
{
    struct Case
    {
        const char *config, *needle;
    };
    const Case cases[] = {
        {R"({"quant_method":"bitsandbytes"})", "quantisation 'bitsandbytes'"},
        {R"({"quant_method":"exl2"})", "quantisation 'exl2'"},
        {R"({"bits":4})", "quantisation 'unknown'"},
        {R"({"quant_method":"gptq","checkpoint_format":"marlin"})", "GPTQ in the format 'marlin'"},
        {R"({"quant_method":"gptq","is_marlin_format":true})", "GPTQ in the format 'marlin'"},
        {R"({"quant_method":"awq","version":"gemv"})", "AWQ in the version 'gemv'"},
        {R"({"quant_method":"compressed-tensors","format":"mxfp4-pack-quantized"})",
         "'mxfp4-pack-quantized'"},
        {R"({"quant_method":"modelopt","quant_algo":"W4A8_AWQ"})", "'modelopt' by 'W4A8_AWQ'"},
        {R"({"quant_method":"compressed-tensors","sparsity_config":{"format":"sparse-24-bitmask"}})",
         "sparse weights"},
        {R"({"quant_method":"bitnet","quantization_mode":"online"})", "while the model runs"},
        {R"({"quant_method":"bitnet","use_rms_norm":true})", "a norm before each product"},
    };
    for (const Case &c : cases) {
        SafetensorsBuilder tensors;
        tensors.zeros("model.embed_tokens.weight", "F32", {4, 2}, 32);
        const ModelSummary summary = describeModel(open(c.config, tensors));
        ASSERT_TRUE(summary.problem) << c.config;
        EXPECT_TRUE(summary.problem->starts_with("not supported: ")) << *summary.problem;
        EXPECT_NE(summary.problem->find(c.needle), std::string::npos) << *summary.problem;
    }
}

TEST_F(PackedFolderTest, OtherNumbersOfBitsAreRefusedByName)
{
    const auto problem = [&](const char *config, const SafetensorsBuilder &tensors) {
        return open(config, tensors).problem().value_or("none");
    };
    SafetensorsBuilder three, wide, fp4, five;
    three.zeros("a.qweight", "I32", {12, 32}, 12 * 32 * 4)
        .zeros("a.qzeros", "I32", {1, 3}, 12)
        .zeros("a.scales", "F16", {1, 32}, 64);
    EXPECT_EQ(problem(R"({"quant_method":"gptq"})", three),
              "GPTQ with 3 bits (tensor 'a.qweight')");
    wide.zeros("a.qweight", "I32", {32, 8}, 1024).zeros("a.scales", "F16", {1, 32}, 64);
    EXPECT_EQ(problem(R"({"quant_method":"awq"})", wide),
              "AWQ with other than 4 bits (tensor 'a.qweight')");
    fp4.zeros("a.weight_packed", "U8", {4, 8}, 32);
    EXPECT_NE(problem(R"({"quant_method":"compressed-tensors"})", fp4).find("FP4"),
              std::string::npos);
    const std::vector<std::int64_t> shape{4, 30};
    five.zeros("a.weight_packed", "I32", {4, 5}, 80)
        .tensor("a.weight_shape", "I64", {2}, std::as_bytes(std::span(shape)))
        .zeros("a.weight_scale", "F32", {4, 1}, 16);
    EXPECT_NE(problem(R"({"quant_method":"compressed-tensors"})", five).find("4 or 8 bits"),
              std::string::npos);
}

TEST_F(PackedFolderTest, PartsThatDoNotFitAreNamed)
{
    struct Case
    {
        const char *kind, *tensor, *type;
        std::vector<std::uint64_t> shape;
        std::size_t bytes;
        const char *needle;
    };
    const Case cases[] = {
        {"Gptq4", "layer.scales", "", {}, 0, "stands without 'layer.scales'"},
        {"Gptq4", "layer.qzeros", "", {}, 0, "stands without 'layer.qzeros'"},
        {"Gptq4", "layer.scales", "F16", {4, 63}, 504, "expected float [4, 64]"},
        {"Gptq4", "layer.scales", "I16", {4, 64}, 512, "expected float [4, 64]"},
        {"Gptq4", "layer.qzeros", "I32", {3, 8}, 96, "expected float [3, 64]"},
        {"Gptq4", "layer.qzeros", "I32", {0, 8}, 0, "of 2 dimensions"},
        {"Gptq4", "layer.g_idx", "I32", {64}, 256, "expected I32 [128]"},
        {"Gptq4ActOrder", "layer.g_idx", "I64", {128}, 1024, "expected I32 [128]"},
        {"Gptq4ActOrder", "layer.g_idx", "I32", {128}, 512, "puts 128 columns into group 0"},
        {"Words4Scattered", "layer.weight_g_idx", "I32", {127}, 508, "expected I32 [128]"},
        {"Gptq4", "layer.qweight", "I32", {64}, 256, "of 2 dimensions"},
        {"Awq", "layer.scales", "F16", {3, 64}, 384, "expected I32 [3, 8]"},
        {"Awq", "layer.qzeros", "I32", {4, 7}, 112, "expected I32 [4, 8]"},
        {"Words4", "layer.weight_shape", "I64", {3}, 24, "expected I64 [2]"},
        {"Words4", "layer.weight_shape", "I64", {2}, 16, "says [0, 0]"},
        {"Words4", "layer.weight_scale", "BF16", {9, 4}, 72, "expected float [1, 1]"},
        {"Words4Zeros", "layer.weight_zero_point", "I32", {8, 3}, 96, "expected I32 [8, 4]"},
        {"Fp8Blocks", "layer.weight_scale_inv", "F32", {3, 4}, 48, "expected float [2, 4]"},
        {"Fp8Blocks", "layer.weight_scale_inv", "F32", {0, 4}, 0, "expected scales"},
        {"Fp8Blocks", "layer.weight", "F8_E4M3", {8192}, 8192, "of 2 dimensions"},
        {"Mxfp4", "layer_scales", "U8", {1, 64, 3}, 192, "expected U8 [1, 64, 4]"},
        {"Mxfp4", "layer_blocks", "U8", {1, 64, 8, 8}, 4096, "blocks of 16 bytes"},
        {"Nvfp4Packed", "layer.weight_scale", "F8_E4M3", {64, 7}, 448, "expected F8_E4M3 [64, 8]"},
        {"Nvfp4Packed", "layer.weight_global_scale", "F32", {2}, 8, "expected float [1]"},
        {"Nvfp4ModelOpt", "layer.weight", "U8", {4096}, 4096, "of 2 dimensions"},
        {"Nvfp4ModelOpt", "layer.weight", "U8", {64, 60}, 3840, "has 120 columns"},
        {"BitNet", "layer.weight_scale", "", {}, 0, "stands without 'layer.weight_scale'"},
        {"BitNet", "layer.weight_scale", "I64", {1}, 8, "expected scales"},
    };
    // The rows that are written down must be those of the codes.
    for (const std::int64_t rows : {65, 63, 1 << 20, -64}) {
        const std::array<std::int64_t, 2> sizes{rows, 128};
        const std::string error =
            errorWith("Words4", "layer.weight_shape", "I64", {2}, std::as_bytes(std::span(sizes)));
        EXPECT_NE(error.find("128] of [64, 16]"), std::string::npos) << error;
    }
    for (const Case &c : cases) {
        const std::string error =
            errorWith(c.kind, c.tensor, c.type, c.shape, std::vector<std::byte>(c.bytes));
        EXPECT_NE(error.find(c.needle), std::string::npos)
            << c.kind << ' ' << c.tensor << ": " << error;
    }
}

TEST_F(PackedFolderTest, NumbersThatCannotBeAreNamed)
{
    std::vector<std::int32_t> order(128, 0);
    for (const std::int32_t group : {4, -1, 1 << 30}) {
        order[77] = group;
        const std::string error =
            errorWith("Gptq4", "layer.g_idx", "I32", {128}, std::as_bytes(std::span(order)));
        EXPECT_NE(error.find("puts column 77 into group " + std::to_string(group) + " of 4"),
                  std::string::npos)
            << error;
    }
    for (std::int32_t i = 0; i < 128; ++i)
        order[static_cast<std::size_t>(i)] = (i + 1) % 128 / 32 % 4; // in turn, …
    order[5] = 3;                                                    // but for one
    EXPECT_NE(errorWith("Gptq4", "layer.g_idx", "I32", {128}, std::as_bytes(std::span(order)))
                  .find("puts 31 columns into group 0, expected groups of 32"),
              std::string::npos);
    const std::vector<std::byte> unset(512, std::byte{0xff}); // columns as they lie
    EXPECT_EQ(errorWith("Words4", "layer.weight_g_idx", "I32", {128}, unset), "no error");
    EXPECT_NE(errorWith("Gptq4", "layer.g_idx", "I32", {128}, unset).find("group -1 of 4"),
              std::string::npos);
    EXPECT_NE(errorWith("Gptq4", "layer.qzeros", "I32", {4, 8}, std::vector<std::byte>(128))
                  .find("the zero point 1 is not the middle"),
              std::string::npos);
    const std::vector<float> large(1, 1e6f);
    EXPECT_NE(errorWith("BitNet", "layer.weight_scale", "F32", {1}, std::as_bytes(std::span(large)))
                  .find("beyond the range of F16"),
              std::string::npos);
    const std::vector<std::uint8_t> scales(64 * 8, 0x80);
    EXPECT_NE(errorWith("Nvfp4Packed", "layer.weight_scale", "F8_E4M3", {64, 8},
                        std::as_bytes(std::span(scales)))
                  .find("negative or not a number"),
              std::string::npos);
    EXPECT_NE(
        errorWith("Fp8Whole", "layer.weight_scale", "F32", {1}, std::as_bytes(std::span(large)))
            .find("beyond the range of F16"),
        std::string::npos);
}

TEST_F(PackedFolderTest, Fp8KeepsCodesAndScalesAndItsNan)
{
    std::vector<std::uint8_t> codes(32 * 64);
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = static_cast<std::uint8_t>(i * 5 % 127 | (i % 2) << 7);
    codes[32 * 10 + 7] = 0x7f;
    codes[32 * 23 + 31] = 0xff;
    const std::vector<float> scales{0.3f, -1.7e-4f};
    SafetensorsBuilder out;
    out.tensor("layer.weight", "F8_E4M3", {32, 64}, std::as_bytes(std::span(codes)))
        .tensor("layer.weight_scale_inv", "F32", {1, 2}, std::as_bytes(std::span(scales)));
    const ModelFile file = open(R"({"quant_method":"fp8","weight_block_size":[32,32]})", out);
    ASSERT_EQ(file.problem(), std::nullopt);
    const ModelTensor &t = file.tensors().front();
    ASSERT_EQ(t.dtype, DType::F8_E4M3);
    std::vector<BlockF8_E4M3> blocks(codes.size() / 32);
    ASSERT_EQ(t.storedBytes(), blocks.size() * sizeof(BlockF8_E4M3));
    unpackRows(*t.packed, 0, 32, reinterpret_cast<std::byte *>(blocks.data()));
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        EXPECT_EQ(std::memcmp(blocks[b].qs, &codes[32 * b], 32), 0) << "block " << b;
        if (b == 10 || b == 23)
            EXPECT_TRUE(std::isnan(blocks[b].d)) << "block " << b;
        else
            EXPECT_EQ(blocks[b].d, scales[b % 2]) << "block " << b;
    }
}

TEST_F(PackedFolderTest, Nvfp4KeepsCodesAndScales)
{
    constexpr std::size_t kRows = 3, kCols = 512;
    constexpr double kValues[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    std::vector<std::uint8_t> codes(kRows * kCols / 2), scales(kRows * kCols / 16);
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = static_cast<std::uint8_t>(i * 37 + i / 256);
    for (std::size_t i = 0; i < scales.size(); ++i)
        scales[i] = static_cast<std::uint8_t>(i * 5 % 127);
    const std::vector<float> factor{0.37f};
    SafetensorsBuilder out;
    out.tensor("layer.weight_packed", "U8", {kRows, kCols / 2}, std::as_bytes(std::span(codes)))
        .tensor("layer.weight_scale", "F8_E4M3", {kRows, kCols / 16},
                std::as_bytes(std::span(scales)))
        .tensor("layer.weight_global_scale", "F32", {1}, std::as_bytes(std::span(factor)));
    const ModelFile file =
        open(R"({"quant_method":"compressed-tensors","format":"nvfp4-pack-quantized"})", out);
    ASSERT_EQ(file.problem(), std::nullopt);
    const ModelTensor &t = file.tensors().front();
    ASSERT_EQ(t.dtype, DType::NVFP4_F32);
    std::vector<std::byte> bytes(t.storedBytes());
    unpackRows(*t.packed, 0, kRows, bytes.data());
    std::vector<float> made(kRows * kCols);
    dequantizeRow(*t.dtype, bytes.data(), made.data(), made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
        const unsigned code = codes[i / 2] >> (4 * (i % 2)) & 15, scale = scales[i / 16];
        const double size = scale < 8 ? scale / 512.0 : std::ldexp(8 + scale % 8, scale / 8 - 10);
        const double meant = (code & 8 ? -1 : 1) * kValues[code & 7] * size / double{factor[0]};
        // A decoder's value is scale · code − scale · 12, each product and the sum rounded once.
        ASSERT_NEAR(made[i], meant, size / double{factor[0]} * 12 * 1.2e-7) << "element " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PackedWeightsTest, testing::ValuesIn(test::packedKinds()),
                         [](const auto &test) { return test.param.name; });

} // namespace
} // namespace fireside
