#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/config_source.h"
#include "engine/model/folder_keys.h"
#include "engine/model/pooling_config.h"
#include "engine/model/tensor_names.h"
#include "engine/model/unread_settings.h"

#include <algorithm>

// config.json of Hugging Face transformers; what a missing key means is what its classes say.
namespace fireside {
namespace {

using nlohmann::json;

/// Sliding windows by layer.
void readWindows(const JsonKeys &keys, Config &c, const Family &family)
{
    if (family.window == WindowRule::None)
        return;
    const bool missing = !keys.object().contains("sliding_window");
    const std::int64_t window =
        keys.optional("sliding_window", missing ? family.windowMissing : 0, 0, kMaxContext);
    const bool asked =
        family.window == WindowRule::Switched ? keys.flag("use_sliding_window", false) : true;
    if (window == 0 || !asked)
        return;
    for (LayerConfig &l : c.each)
        l.window = window;
    if (family.window == WindowRule::Always)
        return;
    const std::vector<std::string> types = layerTypes(keys, c.layers);
    if (types.empty() && family.window == WindowRule::Switched) {
        const std::int64_t first = keys.optional("max_window_layers", 28, 0, kMaxLayers);
        for (std::int64_t i = 0; i < std::min(first, c.layers); ++i)
            c.layer(i).window = 0;
    } else if (types.empty()) {
        const std::int64_t period =
            keys.optional(keyOf(keys, {"sliding_window_pattern", "_sliding_window_pattern",
                                       "global_attn_every_n_layers"}),
                          family.windowPeriod, 1, kMaxLayers);
        for (std::int64_t i = 0; i < c.layers; ++i)
            if ((i + 1) % period == 0)
                c.layer(i).window = 0;
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (types[i] != "sliding_attention")
            c.each[i].window = 0;
        if (types[i] != "sliding_attention" && types[i] != "full_attention" &&
            types[i] != "linear_attention")
            throwUnsupported(keys.where("layer_types") +
                             ": not supported: " + fireside::quoted(types[i]));
    }
}

void readExperts(const JsonKeys &keys, const Family &family, Config &c)
{
    const char *const count =
        keyOf(keys, {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"});
    if (family.mixture == MixtureRule::Never)
        return;
    ExpertConfig &e = c.experts;
    e.count = family.mixture == MixtureRule::Always ? keys.require(count, 1, kMaxExperts)
                                                    : keys.optional(count, 0, 0, kMaxExperts);
    if (e.count == 0)
        return;
    const char *const used = keyOf(keys, {"num_experts_per_tok", "num_experts_per_token", "moe_k",
                                          "moe_topk", "moe_top_k", "top_k_experts"});
    e.used = sameForAll(keys, used, 1, e.count);
    e.ffn = family.wideExperts ? c.ffn : sameForAll(keys, "moe_intermediate_size", 1, kMaxFfn);
    e.normalize =
        family.expertsNormalize ||
        keys.flag(keyOf(keys, {"norm_topk_prob", "moe_renormalize", "route_norm"}), false);
}

/// Some write a list or a text of layers instead of their number.
std::int64_t layerCount(const JsonKeys &keys)
{
    const char *const list = "layers_block_type", *const pattern = "hybrid_override_pattern";
    std::size_t count = 0;
    if (const json *layers = keys.find(list))
        count = layers->is_array() ? layers->size() : 0;
    else
        count = keys.text(pattern).size();
    if (count == 0)
        return keys.require(keyOf(keys, {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}),
                            1, kMaxLayers);
    if (count > static_cast<std::size_t>(kMaxLayers))
        throwBadInput(keys.where(keyOf(keys, {list, pattern})) + " has " + std::to_string(count) +
                      " layers");
    return static_cast<std::int64_t>(count);
}

void readSizes(const JsonKeys &keys, const Family &family, Config &c)
{
    const char *const heads = keyOf(keys, {"num_attention_heads", "n_head", "n_heads"});
    const char *const kvHeads = keyOf(keys, {"num_key_value_heads", "num_kv_heads", "n_head_kv",
                                             "kv_n_heads", "multi_query_group_num"});
    const char *const headDim = keyOf(keys, {"head_dim", "kv_channels"});
    c.layers = layerCount(keys);
    c.hidden =
        keys.require(keyOf(keys, {"hidden_size", "n_embd", "d_model", "dim"}), 1, kMaxHidden);
    if (family.withoutAttention) {
        c.contextTrained = kRecurrentContext;
        return;
    }
    c.heads = keys.require(heads, 1, kMaxHeads);
    c.kvHeads = keys.optional(kvHeads, c.heads, 1, c.heads);
    c.headDim = keys.optional(headDim, family.headDim, 2, kMaxHeadDim);
    checkHeads(c, keys.where(heads), keys.where(kvHeads), keys.where(headDim));
    const char *const ffn = keyOf(keys, {"intermediate_size", "n_inner", "ffn_dim",
                                         "ffn_hidden_size", "d_inner", "hidden_dim"});
    const bool four = family.feedForward == FeedForward::Plain;
    if (four && !keys.has(ffn)) {
        c.ffn = 4 * c.hidden;
    } else {
        const std::vector<std::int64_t> widths = perLayer(keys, ffn, c.layers, 1, kMaxFfn);
        c.ffn = *std::max_element(widths.begin(), widths.end());
    }
    const char *const context =
        keyOf(keys, {"max_position_embeddings", "n_positions", "max_seq_len", "seq_length",
                     "max_sequence_length", "model_max_length"});
    // Without positions of its own a model has no limit.
    const bool unlimited = family.rope == RopeUse::None;
    c.contextTrained = unlimited ? keys.optional(context, 2048, 1, kMaxContext)
                                 : keys.require(context, 1, kMaxContext);
}

} // namespace

json textConfig(const json &whole, std::string_view defaults)
{
    json text = whole;
    if (const auto part = whole.find("text_config"); part != whole.end() && part->is_object()) {
        text = *part;
        if (constexpr const char *kTied = "tie_word_embeddings";
            !text.contains(kTied) && whole.contains(kTied))
            text[kTied] = whole[kTied];
    }
    // DBRX has what concerns attention and the feed-forward in parts.
    for (const char *const name : {"attn_config", "ffn_config"})
        if (const json part = text.value(name, json()); part.is_object())
            for (const auto &[key, value] : part.items())
                if (!text.contains(key))
                    text[key] = value;
    if (defaults.empty())
        return text;
    const json missing = json::parse(defaults);
    for (const auto &[key, value] : missing.items())
        if (json &own = text[key]; own.is_null())
            own = value;
    return text;
}

Config readFolderConfig(const ModelFile &file, const HuggingFaceFolder &folder,
                        const Family &family)
{
    const std::filesystem::path path = folder.configPath();
    const json object = textConfig(folder.config(), family.defaults);
    const JsonKeys keys(path, object);
    if (file.problem())
        throwUnsupported(keys.where("quantization_config") + ": not supported: " + *file.problem());
    Config c;
    applyFamily(family, c);
    readSizes(keys, family, c);
    c.normEps = static_cast<float>(
        keys.real(keyOf(keys, {"rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon",
                               "layernorm_epsilon", "norm_eps", "norm_epsilon"}),
                  family.normEps, 1e-15, 1.0));
    c.activation =
        activationOf(keys,
                     keyOf(keys, {"hidden_act", "hidden_activation", "activation_function",
                                  "activation", "mlp_hidden_act"}),
                     family.activation);
    if (family.latent)
        readLatent(keys, c);
    c.attentionBias = keys.flag("attention_bias", false);
    c.ffnBias = keys.flag("mlp_bias", false);
    readExperts(keys, family, c);
    c.vocabulary = vocabularyOf(file);
    const char *const vocabulary = keyOf(keys, {"padded_vocab_size", "vocab_size"});
    if (const std::int64_t said = keys.optional(vocabulary, c.vocabulary, 1, kMaxVocabulary);
        said != c.vocabulary)
        throwBadInput(keys.where(vocabulary) + " is " + std::to_string(said) +
                      ", the embedding has " + std::to_string(c.vocabulary) + " rows");
    c.tiedOutput = keys.flag("tie_word_embeddings",
                             file.findTensor(tensorNameIn(file, "output.weight")) == nullptr);
    fillLayers(c);
    for (LayerConfig &l : c.each) {
        l.rope = family.rope;
        l.mixer = family.mixer;
        if (l.feedForward == FeedForward::Gated)
            l.feedForward = family.feedForward;
    }
    readWindows(keys, c, family);
    if (c.experts.count > 0)
        readDenseLayers(keys, c);
    readPerLayer(keys, c);
    if (family.folderLayers)
        family.folderLayers(keys, c);
    if (family.rope != RopeUse::None)
        readRopes(keys, family, c);
    if (family.folder)
        family.folder(keys, c);
    readPooling(folder, c);
    refuseUnreadSettings(keys, c);
    return c;
}

} // namespace fireside
