#include "tests/support/packed_folder.h"

namespace fireside::test {
namespace {

using Layout = PackedKind::Layout;

constexpr double kRoundsToF16 = 1.0 / 2048, kRoundsToQ8 = 1.02 / 254;
constexpr double kRoundsToF32 = 1.0 / (1 << 24); // a product of code and scale

std::string gptq(int bits, const char *more)
{
    return R"({"quant_method":"gptq","bits":)" + std::to_string(bits) + ',' + more + '}';
}

std::string compressed(const char *format)
{
    return R"({"quant_method":"compressed-tensors","format":")" + std::string(format) + R"("})";
}

/// Named by what differs from 4 bits in groups of 32, around the middle.
std::vector<PackedKind> gptqKinds()
{
    return {
        {"Gptq4", "llama", gptq(4, R"("sym":true,"desc_act":false)"), Layout::Gptq, 4, 32, 1, false,
         1},
        {"Gptq4Zeros", "qwen3", gptq(4, R"("sym":false)"), Layout::Gptq, 4, 64, 1, true, 1},
        {"Gptq4Second", "qwen3", gptq(4, R"("sym":false,"checkpoint_format":"gptq_v2")"),
         Layout::Gptq, 4, 128, 1, true, 0},
        {"Gptq4Rows", "llama", gptq(4, R"("group_size":-1)"), Layout::Gptq, 4, 0, 1, false, 1},
        {.name = "Gptq4ActOrder",
         .model = "llama",
         .config = gptq(4, R"("sym":false,"desc_act":true)"),
         .layout = Layout::Gptq,
         .zeros = true,
         .zeroShift = 1,
         .scattered = 2,
         .ofBlock = kRoundsToQ8},
        {.name = "Gptq4ActOrderMixture",
         .model = "qwen3-moe",
         .config = gptq(4, R"("sym":true,"desc_act":true)"),
         .layout = Layout::Gptq,
         .zeroShift = 1,
         .scattered = 3,
         .ofBlock = kRoundsToQ8},
        {.name = "Gptq8ActOrder",
         .model = "qwen3",
         .config = gptq(8, R"("sym":true,"desc_act":true)"),
         .layout = Layout::Gptq,
         .bits = 8,
         .zeroShift = 1,
         .scattered = 2,
         .relative = kRoundsToF16},
        {"Gptq8", "llama", gptq(8, R"("sym":true)"), Layout::Gptq, 8, 32, 1, false, 1},
        {.name = "Gptq8Zeros",
         .model = "llama",
         .config = gptq(8, R"("sym":false)"),
         .layout = Layout::Gptq,
         .bits = 8,
         .zeros = true,
         .zeroShift = 1,
         .relative = kRoundsToF16},
    };
}

std::vector<PackedKind> integerKinds()
{
    const char *const awq = R"({"quant_method":"awq","bits":4,"version":"gemm"})";
    const std::string pack = compressed("pack-quantized");
    return {
        {"Awq", "qwen3", awq, Layout::Awq, 4, 32, 1, true},
        {"AwqMixture", "qwen3-moe", awq, Layout::Awq, 4, 64, 1, true},
        {"AwqMiddle", "llama", awq, Layout::Awq, 4, 128},
        {.name = "Words4",
         .model = "llama",
         .config = pack,
         .layout = Layout::Words,
         .scaleType = "BF16"},
        {.name = "Words4Zeros",
         .model = "qwen3",
         .config = pack,
         .layout = Layout::Words,
         .zeros = true},
        {.name = "Words4Scattered",
         .model = "llama",
         .config = pack,
         .layout = Layout::Words,
         .scattered = 3,
         .ofBlock = kRoundsToQ8},
        {.name = "Words8Rows",
         .model = "llama",
         .config = pack,
         .layout = Layout::Words,
         .bits = 8,
         .groupCols = 0,
         .scaleType = "BF16"},
        {.name = "Bytes",
         .model = "qwen3",
         .config = compressed("int-quantized"),
         .layout = Layout::Bytes,
         .bits = 8,
         .groupCols = 0,
         .scaleType = "F32",
         .relative = kRoundsToF16},
    };
}

std::vector<PackedKind> otherKinds()
{
    return {
        {.name = "Fp8Blocks",
         .model = "deepseek-v3",
         .config = R"({"quant_method":"fp8","weight_block_size":[48,32]})",
         .layout = Layout::Fp8,
         .groupRows = 48,
         .scaleType = "F32",
         .scaleName = ".weight_scale_inv",
         .relative = kRoundsToF32},
        {.name = "Fp8Channels",
         .model = "qwen3-moe",
         .config = compressed("float-quantized"),
         .layout = Layout::Fp8,
         .groupCols = 0,
         .scaleType = "BF16",
         .relative = kRoundsToF32},
        {.name = "Fp8Whole",
         .model = "llama",
         .config = R"({"quant_method":"fp8","activation_scheme":"static"})",
         .layout = Layout::Fp8,
         .groupCols = 0,
         .groupRows = 0,
         .scaleType = "F32",
         .relative = kRoundsToF32},
        {.name = "Fp8Narrow",
         .model = "llama",
         .config = R"({"quant_method":"fp8","weight_block_size":[48,16]})",
         .layout = Layout::Fp8,
         .groupCols = 16,
         .groupRows = 48,
         .scaleType = "F32",
         .relative = kRoundsToF16},
        {"Mxfp4", "gpt-oss", R"({"quant_method":"mxfp4"})", Layout::Mxfp4},
        {.name = "Nvfp4Packed",
         .model = "llama",
         .config = compressed("nvfp4-pack-quantized"),
         .layout = Layout::Nvfp4,
         .inverseScale = true,
         .relative = kRoundsToF16},
        {.name = "Nvfp4ModelOpt",
         .model = "qwen3-moe",
         .config = R"({"quant_method":"modelopt","quant_algo":"NVFP4"})",
         .layout = Layout::Nvfp4,
         .relative = kRoundsToF16},
        {.name = "BitNet",
         .model = "bitnet",
         .config = R"({"quant_method":"bitnet","linear_class":"autobitlinear",
                       "quantization_mode":"offline"})",
         .layout = Layout::Ternary,
         .scaleType = "BF16"},
        {.name = "BitNetInverse",
         .model = "bitnet",
         .config = R"({"quant_method":"bitnet"})",
         .layout = Layout::Ternary,
         .scaleType = "BF16",
         .inverseScale = true,
         .relative = kRoundsToF16},
    };
}

} // namespace

std::vector<PackedKind> packedKinds()
{
    std::vector<PackedKind> all = gptqKinds();
    for (const auto &kinds : {integerKinds(), otherKinds()})
        all.insert(all.end(), kinds.begin(), kinds.end());
    return all;
}

} // namespace fireside::test
