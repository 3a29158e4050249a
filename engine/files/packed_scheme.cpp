#include "engine/files/packed_scheme.h"

#include "engine/core/quote.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace fireside {
namespace {

using nlohmann::json;

const json *member(const json &object, const char *key)
{
    const auto it = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && it != object.end() && !it->is_null() ? &*it : nullptr;
}

std::string textOf(const json &object, const char *key, const std::string &missing)
{
    const json *value = member(object, key);
    return value && value->is_string() ? value->get<std::string>() : missing;
}

bool flagOf(const json &object, const char *key, bool missing)
{
    const json *value = member(object, key);
    return value && value->is_boolean() ? value->get<bool>() : missing;
}

std::string lowered(std::string text)
{
    for (char &c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

/// A list of two whole numbers, of rows and columns.
void readBlocks(const json *list, PackedScheme &s)
{
    constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
    if (!list || !list->is_array() || list->size() != 2 || !list->at(0).is_number_unsigned() ||
        !list->at(1).is_number_unsigned())
        return;
    s.blockRows = std::clamp<std::uint64_t>(list->at(0).get<std::uint64_t>(), 1, kMost);
    s.blockCols = std::clamp<std::uint64_t>(list->at(1).get<std::uint64_t>(), 1, kMost);
}

void readCompressedTensors(const json &object, PackedScheme &s)
{
    constexpr std::array<std::string_view, 8> kKnown{
        "pack-quantized",  "int-quantized", "float-quantized", "naive-quantized",
        "mixed-precision", "dense",         "unknown",         "nvfp4-pack-quantized"};
    const std::string format = textOf(object, "format", "unknown");
    if (std::find(kKnown.begin(), kKnown.end(), format) == kKnown.end())
        s.problem = "quantisation 'compressed-tensors' in the format " + fireside::quoted(format);
    if (const json *sparsity = member(object, "sparsity_config")) {
        const std::string sparse = textOf(*sparsity, "format", "dense");
        if (sparse != "dense")
            s.problem = "sparse weights in the format " + fireside::quoted(sparse);
    }
    if (const json *groups = member(object, "config_groups"); groups && groups->is_object())
        for (const auto &[name, group] : groups->items())
            if (const json *weights = member(group, "weights"))
                readBlocks(member(*weights, "block_structure"), s);
}

void readGptq(const json &object, PackedScheme &s)
{
    const std::string format = lowered(textOf(object, "checkpoint_format", "gptq"));
    s.zerosAsTheyAre = format == "gptq_v2";
    s.symmetric = flagOf(object, "sym", true);
    if ((format != "gptq" && format != "gptq_v2") || flagOf(object, "is_marlin_format", false))
        s.problem = "GPTQ in the format " + fireside::quoted(format == "gptq" ? "marlin" : format);
}

/// What tensors say by themselves: which they are, and how their scales lie.
void requireModelOpt(const std::string &algorithm, PackedScheme &s)
{
    constexpr std::array<std::string_view, 5> kKnown{"FP8", "FP8_PER_CHANNEL_PER_TOKEN",
                                                     "FP8_PB_WO", "NVFP4", "W4A16_NVFP4"};
    if (std::find(kKnown.begin(), kKnown.end(), algorithm) == kKnown.end())
        s.problem = "quantisation 'modelopt' by " + fireside::quoted(algorithm);
}

void readModelOpt(const json &object, PackedScheme &s)
{
    const std::string algorithm = textOf(object, "quant_algo", "unknown");
    const json *const layers = member(object, "quantized_layers");
    if (algorithm != "MIXED_PRECISION" || !layers || !layers->is_object())
        return requireModelOpt(algorithm, s);
    for (const auto &[name, layer] : layers->items())
        if (!s.problem)
            requireModelOpt(textOf(layer, "quant_algo", "unknown"), s);
}

/// Keys and values in a type of their own; here a setting says which.
void readCache(const json &object, PackedScheme &s)
{
    if (const std::string name = textOf(object, "kv_cache_quant_algo", ""); !name.empty())
        s.cache = name;
    else if (const json *scheme = member(object, "kv_cache_scheme"); scheme && scheme->is_object())
        s.cache = textOf(*scheme, "type", "") == "float" ? "FP8" : "INT8";
}

void readBitnet(const json &object, PackedScheme &s)
{
    s.inverseScale = textOf(object, "linear_class", "bitlinear") != "autobitlinear";
    if (textOf(object, "quantization_mode", "offline") != "offline")
        s.problem = "BitNet weights that are rounded while the model runs; the folder with packed "
                    "weights can be used";
    else if (flagOf(object, "use_rms_norm", false))
        s.problem = "BitNet with a norm before each product";
}

} // namespace

PackedScheme packedSchemeOf(const json &config)
{
    PackedScheme s;
    const json *object = member(config, "quantization_config");
    if (const json *text = member(config, "text_config"); text && !object)
        object = member(*text, "quantization_config");
    if (!object)
        object = member(config, "compression_config"); // an older name
    if (!object)
        return s;
    s.method = lowered(textOf(*object, "quant_method", "unknown"));
    readCache(*object, s);
    if (s.method == "compressed-tensors") {
        readCompressedTensors(*object, s);
    } else if (s.method == "gptq") {
        readGptq(*object, s);
    } else if (s.method == "awq") {
        if (const std::string version = lowered(textOf(*object, "version", "gemm"));
            version != "gemm")
            s.problem = "AWQ in the version " + fireside::quoted(version);
    } else if (s.method == "modelopt") {
        readModelOpt(*object, s);
    } else if (s.method == "bitnet") {
        readBitnet(*object, s);
    } else if (s.method == "fp8") {
        readBlocks(member(*object, "weight_block_size"), s);
    } else if (s.method != "mxfp4" && s.method != "fbgemm_fp8") {
        s.problem = "quantisation " + fireside::quoted(s.method);
    }
    return s;
}

} // namespace fireside
