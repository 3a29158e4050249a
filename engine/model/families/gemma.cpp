#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/families/gemma3n_decoder.h"
#include "engine/model/families/gemma_decoder.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/tensor_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fireside {
namespace {

constexpr std::int64_t kMaxStreams = 64;
constexpr TensorForm kGemmaNorm{.values = TensorForm::Values::PlusOne};
constexpr std::array kGemmaNames{
    TensorName{"output_norm.", "model.norm.", kGemmaNorm},
    TensorName{"attn_norm.", "input_layernorm.", kGemmaNorm},
    TensorName{"ffn_norm.", "post_attention_layernorm.", kGemmaNorm},
};
constexpr std::array kGemma2Names{
    TensorName{"output_norm.", "model.norm.", kGemmaNorm},
    TensorName{"attn_norm.", "input_layernorm.", kGemmaNorm},
    TensorName{"post_attention_norm.", "post_attention_layernorm.", kGemmaNorm},
    TensorName{"ffn_norm.", "pre_feedforward_layernorm.", kGemmaNorm},
    TensorName{"post_ffw_norm.", "post_feedforward_layernorm.", kGemmaNorm},
    TensorName{"attn_q_norm.", "self_attn.q_norm.", kGemmaNorm},
    TensorName{"attn_k_norm.", "self_attn.k_norm.", kGemmaNorm},
};

constexpr TensorForm kGateRows{.order = &firstRows, .timesRows = 2};
constexpr TensorForm kUpRows{.order = &secondRows, .timesRows = 2};
constexpr std::array kGemma4Names{
    TensorName{"post_attention_norm.", "post_attention_layernorm."},
    TensorName{"ffn_norm.", "pre_feedforward_layernorm."},
    TensorName{"post_ffw_norm.", "post_feedforward_layernorm."},
    TensorName{"post_ffw_norm_1.", "post_feedforward_layernorm_1."},
    TensorName{"pre_ffw_norm_2.", "pre_feedforward_layernorm_2."},
    TensorName{"post_ffw_norm_2.", "post_feedforward_layernorm_2."},
    TensorName{"ffn_gate_inp.weight", "router.proj.weight"},
    TensorName{"ffn_gate_inp.scale", "router.scale"},
    TensorName{"ffn_gate_exps.weight", "experts.gate_up_proj", kGateRows},
    TensorName{"ffn_up_exps.weight", "experts.gate_up_proj", kUpRows},
    TensorName{"ffn_down_exps.weight", "experts.down_proj"},
    TensorName{"ffn_down_exps.scale", "router.per_expert_scale"},
    TensorName{"layer_output_scale.weight", "layer_scalar"},
    TensorName{"per_layer_token_embd.", "model.embed_tokens_per_layer."},
    TensorName{"per_layer_model_proj.", "model.per_layer_model_projection."},
    TensorName{"per_layer_proj_norm.", "model.per_layer_projection_norm."},
    TensorName{"inp_gate.", "per_layer_input_gate."},
    TensorName{"proj.", "per_layer_projection."},
    TensorName{"post_norm.", "post_per_layer_input_norm."},
};
constexpr std::array kGemma3nNames{
    TensorName{"post_attention_norm.", "post_attention_layernorm."},
    TensorName{"ffn_norm.", "pre_feedforward_layernorm."},
    TensorName{"post_ffw_norm.", "post_feedforward_layernorm."},
    TensorName{"per_layer_token_embd.", "model.embed_tokens_per_layer."},
    TensorName{"per_layer_model_proj.", "model.per_layer_model_projection."},
    TensorName{"per_layer_proj_norm.", "model.per_layer_projection_norm."},
    TensorName{"inp_gate.", "per_layer_input_gate."},
    TensorName{"proj.", "per_layer_projection."},
    TensorName{"post_norm.", "post_per_layer_input_norm."},
    TensorName{"altup_proj.", "model.altup_projections.*."},
    TensorName{"altup_unembd_proj.", "model.altup_unembed_projections.*."},
    TensorName{"altup_router.", "altup.modality_router."},
    TensorName{"altup_router_norm.", "altup.router_norm."},
    TensorName{"altup_predict_coef.", "altup.prediction_coefs."},
    TensorName{"altup_correct_coef.", "altup.correction_coefs."},
    TensorName{"altup_correct_scale.weight", "altup.correct_output_scale"},
    TensorName{"laurel_l.", "laurel.linear_left."},
    TensorName{"laurel_r.", "laurel.linear_right."},
    TensorName{"laurel_post_norm.", "laurel.post_laurel_norm."},
};
constexpr std::array kGemma4GgufNames{
    TensorName{"ffn_gate_exps.", "ffn_gate_exps."},
    TensorName{"ffn_up_exps.", "ffn_up_exps."},
    TensorName{"ffn_gate_exps.", "ffn_gate_up_exps.", kGateRows},
    TensorName{"ffn_up_exps.", "ffn_gate_up_exps.", kUpRows},
};

void scaleEmbedding(Config &c)
{
    c.embeddingScale = std::sqrt(static_cast<float>(c.hidden));
}

void readGemma(const JsonKeys & /*keys*/, Config &c)
{
    scaleEmbedding(c);
}

void readGemmaGguf(const GgufKeys & /*keys*/, Config &c)
{
    scaleEmbedding(c);
}

void readSoftcap(const JsonKeys &keys, Config &c)
{
    c.logitSoftcap = static_cast<float>(keys.real("final_logit_softcapping", 0, 0, kMaxScale));
}

void readGemma2(const JsonKeys &keys, Config &c)
{
    scaleEmbedding(c);
    c.attentionScale =
        1 / std::sqrt(static_cast<float>(keys.real("query_pre_attn_scalar", 256, 1, kMaxScale)));
    c.attentionSoftcap = static_cast<float>(keys.real("attn_logit_softcapping", 0, 0, kMaxScale));
    readSoftcap(keys, c);
}

/// Files do not say the scale of scores: that of the largest model is another.
void scaleScores(Config &c, std::int64_t layersOfLargest)
{
    const std::int64_t of = c.layers == layersOfLargest ? c.hidden / c.heads : c.headDim;
    c.attentionScale = 1 / std::sqrt(static_cast<float>(of));
}

void readGemma2Gguf(const GgufKeys &keys, Config &c)
{
    // The first files said neither, and were of models that had these.
    if (!keys.has("attention.sliding_window"))
        for (std::int64_t i = 0; i < c.layers; i += 2)
            c.layer(i).window = 4096;
    if (!keys.has("attn_logit_softcapping"))
        c.attentionSoftcap = 50;
    if (!keys.has("final_logit_softcapping"))
        c.logitSoftcap = 30;
    scaleEmbedding(c);
    scaleScores(c, 46);
}

void readLocalRope(const GgufKeys &keys, std::int64_t headDim, Config &c)
{
    RopeSettings local;
    local.headDim = headDim;
    local.rotary = keys.optional("rope.dimension_count_swa", headDim, 2, headDim);
    const double own = keys.real("rope.local.freq_base", 10000, 1e-3, 1e12); // Ollama's name
    local.base = keys.real("rope.freq_base_swa", own, 1e-3, 1e12);
    local.contextTrained = c.contextTrained;
    c.localRope = makeRope(local, RopePairing::HalfSplit);
    for (LayerConfig &l : c.each)
        if (l.window > 0)
            l.rope = RopeUse::Local;
}

void readGemma3Gguf(const GgufKeys &keys, Config &c)
{
    scaleEmbedding(c);
    scaleScores(c, 62);
    readLocalRope(keys, c.headDim, c);
}

/// What all files of Gemma 4 have in common. A mixture stands beside the feed-forward.
void makeGemma4(Config &c)
{
    scaleEmbedding(c);
    c.attentionScale = 1;
    c.valueNorm = true;
    for (LayerConfig &l : c.each)
        l.feedForward = FeedForward::Gated;
}

void readGemma4Layers(const JsonKeys &keys, Config &c)
{
    c.each.back().window = 0;
    const std::int64_t shared = keys.optional("num_kv_shared_layers", 0, 0, c.layers - 1);
    shareKv(c, shared, keys.where("num_kv_shared_layers"));
    const bool sameValues = keys.flag("attention_k_eq_v", false);
    const bool wide = keys.flag("use_double_wide_mlp", false);
    for (LayerConfig &l : c.each) {
        if (wide && l.kvFrom >= 0)
            l.ffn *= 2;
        if (l.window > 0)
            continue;
        l.valuesAreKeys = sameValues;
        if (keys.has("per_layer_config"))
            continue;
        l.headDim = keys.optional("global_head_dim", 512, 2, kMaxHeadDim);
        if (sameValues)
            l.kvHeads = keys.optional("num_global_key_value_heads", l.kvHeads, 1, l.heads);
    }
}

void readLayerInputs(const JsonKeys &keys, Config &c)
{
    c.layerInput.width = keys.optional("hidden_size_per_layer_input", 256, 0, kMaxHidden);
    c.layerInput.rows = keys.optional("vocab_size_per_layer_input", 262'144, 1, kMaxVocabulary);
}

void readGemma4(const JsonKeys &keys, Config &c)
{
    if (!keys.flag("enable_moe_block", false))
        c.experts = {};
    makeGemma4(c);
    readLayerInputs(keys, c);
    readSoftcap(keys, c);
    if (keys.text("use_bidirectional_attention") == "all")
        throwUnsupported(keys.where("use_bidirectional_attention") +
                         ": not supported: attention to what comes after");
}

/// The rows of the table of the layers' own embeddings.
void readLayerInputs(const GgufKeys &keys, Config &c)
{
    c.layerInput.width = keys.optional("embedding_length_per_layer_input", 0, 0, kMaxHidden);
    if (const GgufTensor *table = keys.gguf().findTensor("per_layer_token_embd.weight"))
        c.layerInput.rows = static_cast<std::int64_t>(
            std::min<std::uint64_t>(table->dims.size() > 1 ? table->dims[1] : 1, kMaxVocabulary));
}

void readGemma4Gguf(const GgufKeys &keys, Config &c)
{
    makeGemma4(c);
    readLayerInputs(keys, c);
    shareKv(c, keys.optional("attention.shared_kv_layers", 0, 0, c.layers - 1),
            keys.where("attention.shared_kv_layers"));
    const std::int64_t local = keys.optional("attention.key_length_swa", c.headDim, 2, kMaxHeadDim);
    for (std::int64_t i = 0; i < c.layers; ++i) {
        LayerConfig &l = c.layer(i);
        if (l.window > 0)
            l.headDim = local;
        const std::string values = "blk." + std::to_string(i) + ".attn_v.weight";
        l.valuesAreKeys = l.kvFrom < 0 && keys.gguf().findTensor(values) == nullptr;
    }
    readLocalRope(keys, local, c);
}

/// The x below which a normal distribution has the share p.
double normalQuantile(double p)
{
    double x = 0;
    for (int i = 0; i < 100; ++i) { // Newton's steps, which come from one side
        const double below = 0.5 * std::erfc(-x / std::numbers::sqrt2);
        const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
        x += (p - below) / density;
    }
    return x;
}

void makeGemma3n(Config &c)
{
    scaleEmbedding(c);
    c.attentionScale = 1;
    c.valueNorm = true;
}

/// Without a pattern the first ten layers of a deeper model are sparse.
void readSparsity(const JsonKeys &keys, Config &c)
{
    const char *const key = "activation_sparsity_pattern";
    std::vector<double> pattern(c.each.size(), 0);
    if (const nlohmann::json *value = keys.find(key); value != nullptr && value->is_number())
        pattern.assign(c.each.size(), keys.real(key, 0, 0, 0.9999));
    else if (value != nullptr)
        pattern = keys.reals(key, c.each.size(), 0, 0.9999);
    else if (c.layers > 10)
        std::fill_n(pattern.begin(), 10, 0.95);
    for (std::size_t i = 0; i < pattern.size(); ++i)
        if (pattern[i] > 0)
            c.each[i].sparsity = static_cast<float>(normalQuantile(pattern[i]));
}

void readGemma3nLayers(const JsonKeys &keys, Config &c)
{
    shareKv(c, keys.optional("num_kv_shared_layers", 15, 0, c.layers - 1),
            keys.where("num_kv_shared_layers"));
    const auto widths = perLayer(keys, "intermediate_size", c.layers, 1, kMaxFfn);
    for (std::size_t i = 0; i < widths.size(); ++i)
        c.each[i].ffn = widths[i];
    readSparsity(keys, c);
}

void readGemma3n(const JsonKeys &keys, Config &c)
{
    makeGemma3n(c);
    readLayerInputs(keys, c);
    readSoftcap(keys, c);
    AltUpConfig &a = c.altUp;
    a.streams = keys.optional("altup_num_inputs", 4, 1, kMaxStreams);
    a.active = keys.optional("altup_active_idx", 0, 0, a.streams - 1);
    a.scaled = keys.flag("altup_correct_scale", true);
    a.correctionClip = static_cast<float>(keys.real("altup_coef_clip", 0, 0, kMaxScale));
    a.laurelRank = keys.optional("laurel_rank", 64, 1, kMaxHidden);
}

/// k of each layer, minus infinity for a layer that is not sparse.
void readSparsity(const GgufKeys &keys, Config &c)
{
    const std::vector<double> list = keys.reals("activation_sparsity_scale", c.each.size());
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i] > -kMaxScale)
            c.each[i].sparsity = static_cast<float>(list[i]);
}

void readGemma3nGguf(const GgufKeys &keys, Config &c)
{
    constexpr std::int64_t kOwnCaches = 20; // layers with them, where the file does not say it
    makeGemma3n(c);
    readLayerInputs(keys, c);
    readSparsity(keys, c);
    shareKv(c,
            keys.optional("attention.shared_kv_layers",
                          std::max<std::int64_t>(c.layers - kOwnCaches, 0), 0, c.layers - 1),
            keys.where("attention.shared_kv_layers"));
    readLocalRope(keys, c.headDim, c);
    AltUpConfig &a = c.altUp;
    a.streams = keys.optional("altup.num_inputs", 4, 1, kMaxStreams);
    a.active = keys.optional("altup.active_idx", 0, 0, a.streams - 1);
    a.laurelRank = 64;
    if (const GgufTensor *left = keys.gguf().findTensor("blk.0.laurel_l.weight"))
        a.laurelRank = static_cast<std::int64_t>(
            std::clamp<std::uint64_t>(left->dims.size() > 1 ? left->dims[1] : 1, 1, kMaxHidden));
}

std::unique_ptr<Network> makeGemma3nNetwork(Config c)
{
    return std::make_unique<Gemma3nDecoder>(std::move(c));
}

std::unique_ptr<Network> makeGemma4Network(Config c)
{
    return std::make_unique<Gemma4Decoder>(std::move(c));
}

// Gemma 3's files for several kinds of input leave out much.
constexpr std::string_view kGemma3Defaults = R"({
    "num_attention_heads": 8, "num_key_value_heads": 4, "max_position_embeddings": 131072,
    "tie_word_embeddings": true, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0})";
constexpr std::string_view kGemma3nDefaults = R"({
    "num_attention_heads": 8, "num_key_value_heads": 2, "max_position_embeddings": 32768,
    "tie_word_embeddings": true, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0,
    "altup_coef_clip": 120.0, "final_logit_softcapping": 30.0})";
constexpr std::string_view kGemma4Defaults = R"({
    "num_key_value_heads": 4, "max_position_embeddings": 131072, "tie_word_embeddings": true,
    "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25,
                           "rope_theta": 1000000.0}}})";

/// EmbeddingGemma: every token sees those around it.
void readGemmaEmbedding(const JsonKeys &keys, Config &c)
{
    readGemma2(keys, c);
    c.encoder = keys.flag("use_bidirectional_attention", false);
}

void readGemmaEmbeddingGguf(const GgufKeys &keys, Config &c)
{
    readGemma3Gguf(keys, c);
    c.attentionScale = 0; // 1/√D, whatever the number of layers
    c.encoder = true;
}

constexpr std::array kGemmaFamilies{
    Family{.name = "gemma",
           .transformer = "GemmaForCausalLM",
           .headDim = 256,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kGemmaNames,
           .folder = &readGemma,
           .gguf = &readGemmaGguf},
    Family{.name = "gemma2",
           .transformer = "Gemma2ForCausalLM",
           .headDim = 256,
           .normPlaces = NormPlaces::Around,
           .window = WindowRule::ByLayer,
           .windowMissing = 4096,
           .windowPeriod = 2,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kGemma2Names,
           .folder = &readGemma2,
           .gguf = &readGemma2Gguf},
    Family{.name = "gemma3",
           .transformer = "Gemma3ForCausalLM",
           .headDim = 256,
           .normPlaces = NormPlaces::Around,
           .headNorm = HeadNorm::Each,
           .window = WindowRule::ByLayer,
           .windowMissing = 4096,
           .windowPeriod = 6,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kGemma2Names,
           .defaults = kGemma3Defaults,
           .folder = &readGemma2,
           .gguf = &readGemma3Gguf},
    Family{.name = "gemma-embedding",
           .transformer = "Gemma3TextModel",
           .headDim = 256,
           .normPlaces = NormPlaces::Around,
           .headNorm = HeadNorm::Each,
           .window = WindowRule::ByLayer,
           .windowMissing = 4096,
           .windowPeriod = 6,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kGemma2Names,
           .defaults = kGemma3Defaults,
           .folder = &readGemmaEmbedding,
           .gguf = &readGemmaEmbeddingGguf},
    Family{.name = "gemma3n",
           .transformer = "Gemma3nForCausalLM",
           .headDim = 256,
           .normPlaces = NormPlaces::Around,
           .headNorm = HeadNorm::Each,
           .window = WindowRule::ByLayer,
           .windowMissing = 512,
           .windowPeriod = 5,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kGemma3nNames,
           .defaults = kGemma3nDefaults,
           .folderLayers = &readGemma3nLayers,
           .folder = &readGemma3n,
           .gguf = &readGemma3nGguf,
           .network = &makeGemma3nNetwork},
    Family{.name = "gemma4",
           .transformer = "Gemma4ForCausalLM",
           .headDim = 256,
           .normPlaces = NormPlaces::Around,
           .headNorm = HeadNorm::Each,
           .window = WindowRule::ByLayer,
           .windowMissing = 512,
           .windowPeriod = 6,
           .activation = Activation::GeluTanh,
           .expertsNormalize = true,
           .ggufNormalize = true,
           .names = kGemma4Names,
           .ggufNames = kGemma4GgufNames,
           .defaults = kGemma4Defaults,
           .folderLayers = &readGemma4Layers,
           .folder = &readGemma4,
           .gguf = &readGemma4Gguf,
           .network = &makeGemma4Network},
};

} // namespace

std::span<const Family> gemmaFamilies()
{
    return kGemmaFamilies;
}

} // namespace fireside
