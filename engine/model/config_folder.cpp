#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/config_source.h"
#include "engine/model/json_keys.h"
#include "engine/model/rope_config.h"

#include <algorithm>

// config.json of Hugging Face transformers; what a missing key means is what its classes say.
namespace fireside {
namespace {

using nlohmann::json;

Activation readActivation(const JsonKeys &keys)
{
    const std::string name = keys.text("hidden_act", "silu");
    if (name == "silu" || name == "swish")
        return Activation::SiLU;
    if (name == "gelu")
        return Activation::GeluErf;
    if (name == "gelu_pytorch_tanh" || name == "gelu_new" || name == "gelu_fast")
        return Activation::GeluTanh;
    throwUnsupported(keys.where("hidden_act") + ": not supported: " + fireside::quoted(name));
}

/// Sliding windows by layer.
std::vector<std::int64_t> readWindows(const JsonKeys &keys, const Config &c, const Family &family)
{
    const bool missing = !keys.object().contains("sliding_window");
    const std::int64_t window =
        keys.optional("sliding_window", missing ? family.windowMissing : 0, 0, kMaxContext);
    const bool always = family.window == WindowRule::Always;
    const bool asked =
        family.window == WindowRule::Switched && keys.flag("use_sliding_window", false);
    if (window == 0 || !(always || asked))
        return {};
    std::vector<std::int64_t> windows(static_cast<std::size_t>(c.layers), window);
    if (always)
        return windows;
    if (const json *types = keys.find("layer_types")) {
        if (!types->is_array() || types->size() != windows.size())
            throwBadInput(keys.where("layer_types") + " is no list of " +
                          std::to_string(windows.size()) + " texts");
        for (std::size_t i = 0; i < windows.size(); ++i) {
            const json &entry = (*types)[i];
            if (entry == "full_attention")
                windows[i] = 0;
            else if (entry != "sliding_attention")
                throwUnsupported(keys.where("layer_types") + ": not supported: " +
                                 entry.dump(-1, ' ', true, json::error_handler_t::replace));
        }
    } else {
        const std::int64_t first = keys.optional("max_window_layers", 28, 0, kMaxLayers);
        std::fill_n(windows.begin(), std::min(first, c.layers), 0);
    }
    return windows;
}

void readExperts(const JsonKeys &keys, const Family &family, Config &c)
{
    if (family.mixture != MixtureRule::Always)
        return;
    ExpertConfig &e = c.experts;
    const char *const count = keys.has("num_local_experts") ? "num_local_experts" : "num_experts";
    e.count = keys.require(count, 1, kMaxExperts);
    e.used = keys.require("num_experts_per_tok", 1, e.count);
    e.ffn = family.wideExperts ? c.ffn : keys.require("moe_intermediate_size", 1, kMaxFfn);
    e.normalize = family.expertsNormalize || keys.flag("norm_topk_prob", false);
    const std::int64_t step = keys.optional("decoder_sparse_step", 1, 1, kMaxLayers);
    std::vector<bool> dense(static_cast<std::size_t>(c.layers));
    for (std::int64_t i = 0; i < c.layers; ++i)
        dense[static_cast<std::size_t>(i)] = (i + 1) % step != 0;
    if (const json *only = keys.find("mlp_only_layers")) {
        if (!only->is_array())
            throwBadInput(keys.where("mlp_only_layers") + " is no list");
        for (const json &layer : *only) {
            if (!layer.is_number_unsigned() || layer.get<std::uint64_t>() >= dense.size())
                throwBadInput(keys.where("mlp_only_layers") + " names a layer that is none of " +
                              std::to_string(c.layers));
            dense[layer.get<std::size_t>()] = true;
        }
    }
    if (std::find(dense.begin(), dense.end(), true) != dense.end())
        e.denseLayer = std::move(dense);
}

Rope readRope(const JsonKeys &keys, const Config &c)
{
    RopeSettings s;
    s.headDim = c.headDim;
    s.contextTrained = c.contextTrained;
    readRopeSettings(keys, s);
    return makeRope(s, RopePairing::HalfSplit);
}

} // namespace

Config readFolderConfig(const ModelFile &file, const HuggingFaceFolder &folder,
                        const Family &family)
{
    const std::filesystem::path path = folder.configPath();
    const JsonKeys keys(path, folder.config());
    if (keys.has("quantization_config"))
        throwUnsupported(
            keys.where("quantization_config") + ": not supported: quantisation " +
            fireside::quoted(keys.inside("quantization_config").text("quant_method", "unknown")));
    Config c;
    c.architecture = family.name;
    c.layers = keys.require("num_hidden_layers", 1, kMaxLayers);
    c.hidden = keys.require("hidden_size", 1, kMaxHidden);
    c.heads = keys.require("num_attention_heads", 1, kMaxHeads);
    c.kvHeads = keys.optional("num_key_value_heads", c.heads, 1, c.heads);
    c.headDim = keys.optional("head_dim", family.headDim, 2, kMaxHeadDim);
    checkHeads(c, keys.where("num_attention_heads"), keys.where("num_key_value_heads"),
               keys.where("head_dim"));
    c.ffn = keys.require("intermediate_size", 1, kMaxFfn);
    c.contextTrained = keys.require("max_position_embeddings", 1, kMaxContext);
    c.rmsEps = static_cast<float>(keys.real("rms_norm_eps", 1e-6, 1e-12, 1.0));
    c.activation = readActivation(keys);
    c.headNorms = family.headNorms;
    c.attentionBias = keys.flag("attention_bias", false);
    c.ffnBias = keys.flag("mlp_bias", false);
    c.windows = readWindows(keys, c, family);
    readExperts(keys, family, c);
    c.vocabulary = vocabularyOf(file, "model.embed_tokens.weight");
    if (const std::int64_t said = keys.optional("vocab_size", c.vocabulary, 1, kMaxVocabulary);
        said != c.vocabulary)
        throwBadInput(keys.where("vocab_size") + " is " + std::to_string(said) +
                      ", the embedding has " + std::to_string(c.vocabulary) + " rows");
    c.tiedOutput = keys.flag("tie_word_embeddings", file.findTensor("lm_head.weight") == nullptr);
    c.rope = readRope(keys, c);
    return c;
}

} // namespace fireside
