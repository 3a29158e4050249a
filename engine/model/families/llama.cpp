#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/blocks/feed_forward.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/tensor_names.h"

#include <array>

namespace fireside {
namespace {

/// Layers without positions: those that `no_rope_layers` marks with 0, or each of an interval's
/// last.
void readNoRope(const JsonKeys &keys, Config &c)
{
    const nlohmann::json *list = keys.find("no_rope_layers");
    const std::int64_t interval = keys.optional("no_rope_layer_interval", 4, 1, kMaxLayers);
    const bool listed = list != nullptr && list->is_array() && !list->empty();
    if (listed && list->size() < c.each.size())
        throwBadInput(keys.where("no_rope_layers") + " is no list of " + std::to_string(c.layers) +
                      " numbers");
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const bool without =
            listed ? (*list)[static_cast<std::size_t>(i)] == 0 : (i + 1) % interval == 0;
        if (without)
            c.layer(i).rope = RopeUse::None;
    }
}

void eachFourthWithoutRope(const GgufKeys & /*keys*/, Config &c)
{
    for (std::int64_t i = 3; i < c.layers; i += 4)
        c.layer(i).rope = RopeUse::None;
}

/// No usual key, but it says what it says.
void readLlamaGguf(const GgufKeys &keys, Config &c)
{
    for (LayerConfig &l : c.each)
        l.window = keys.optional("attention.sliding_window", 0, 0, kMaxContext);
}

void readMinistral3(const JsonKeys &keys, Config &c)
{
    if (!keys.has("rope_parameters"))
        return;
    const JsonKeys rope = keys.inside("rope_parameters");
    c.temperature.scale = static_cast<float>(rope.real("llama_4_scaling_beta", 0, 0, 1e3));
    c.temperature.period = static_cast<float>(
        rope.optional("original_max_position_embeddings", c.contextTrained, 1, kMaxContext));
}

void readMinistral3Gguf(const GgufKeys &keys, Config &c)
{
    c.temperature.scale = static_cast<float>(keys.real("attention.temperature_scale", 0, 0, 1e3));
    c.temperature.period = static_cast<float>(
        keys.optional("rope.scaling.original_context_length", c.contextTrained, 1, kMaxContext));
}

void readSeed(const JsonKeys &keys, Config &c)
{
    c.attentionBias = keys.flag("attention_bias", true);
}

void readGraniteGguf(const GgufKeys &keys, Config &c)
{
    c.logitScale = 1 / static_cast<float>(keys.real("logit_scale", 1, 1e-6, kMaxScale));
    readRopeSwitch(keys, c);
}

/// Four numbers of each layer's activation are keys.
void readApertusGguf(const GgufKeys &keys, Config &c)
{
    const auto numbers = [&](const char *key) {
        return keys.realsOfLayers(key, c.layers, -1e3, 1e3);
    };
    const auto alphaP = numbers("xielu.alpha_p"), alphaN = numbers("xielu.alpha_n");
    const auto beta = numbers("xielu.beta"), eps = numbers("xielu.eps");
    for (std::size_t i = 0; i < alphaP.size(); ++i)
        c.xielu.push_back(storedXIelu(alphaP[i], alphaN[i], beta[i], eps[i]));
}

/// NanoChat has no form in the format.
void refuseGguf(const GgufKeys &keys, Config &c)
{
    throwUnsupported(keys.gguf().path().string() + ": not supported: " + c.architecture +
                     " in a GGUF file");
}

/// The sign of the rotation is the other one, and the embedding is normed.
void adjustNanochat(Config &c)
{
    c.normWeights = false;
    c.embeddingNorm = true;
    for (float &f : c.rope.inverseFrequencies)
        f = -f;
}

void readNanochat(const JsonKeys &keys, Config &c)
{
    c.logitSoftcap = static_cast<float>(keys.real("final_logit_softcapping", 15, 0, kMaxScale));
    adjustNanochat(c);
}

void readBitnet(const JsonKeys & /*keys*/, Config &c)
{
    c.subNorms = true;
}

/// Files that do not name the activation are older than the models with another one.
void readBitnetGguf(const GgufKeys &keys, Config &c)
{
    c.subNorms = true;
    const std::string name = keys.text("hidden_activation");
    if (!name.empty() && name != "silu" && name != "relu2")
        throwUnsupported(keys.where("hidden_activation") +
                         ": not supported: " + fireside::quoted(name));
    c.activation = name == "relu2" ? Activation::ReluSquared : Activation::SiLU;
}

void readLlama4(const JsonKeys &keys, Config &c)
{
    readNoRope(keys, c);
    const std::int64_t chunk = keys.optional("attention_chunk_size", 8192, 1, kMaxContext);
    const std::int64_t step = keys.optional("interleave_moe_layer_step", 1, 1, kMaxLayers);
    const std::int64_t wide = keys.optional("intermediate_size_mlp", c.ffn, 1, kMaxFfn);
    c.experts.ffn = c.ffn;
    c.experts.sharedFfn = c.ffn;
    c.experts.weighInput = true;
    if (!keys.flag("use_qk_norm", true))
        c.headNorm = HeadNorm::None;
    if (keys.flag("attn_temperature_tuning", true))
        c.temperature = {.scale = static_cast<float>(keys.real("attn_scale", 0.1, 0, 1e3)),
                         .offset = 1,
                         .period =
                             static_cast<float>(keys.optional("floor_scale", 8192, 1, kMaxContext)),
                         .onlyWithoutRope = true};
    const nlohmann::json *sparse = keys.find("moe_layers");
    for (std::int64_t i = 0; i < c.layers; ++i) {
        LayerConfig &l = c.layer(i);
        l.headNorms = l.rope != RopeUse::None;
        if (l.rope != RopeUse::None)
            l.chunk = chunk;
        const bool mixture = sparse != nullptr && sparse->is_array()
                                 ? std::find(sparse->begin(), sparse->end(), i) != sparse->end()
                                 : (i + 1) % step == 0;
        l.feedForward = mixture ? FeedForward::Mixture : FeedForward::Gated;
        l.ffn = wide;
    }
    if (c.experts.used != 1)
        throwUnsupported(keys.where("num_experts_per_tok") +
                         ": not supported: more than one expert for each token");
}

/// Chunks, or none at all where the window is 0. The usual converter leaves out the chunk and the
/// temperature, which all released models have alike.
void readLlama4Chunks(const GgufKeys &keys, Config &c)
{
    if (keys.optional("attention.sliding_window", 1, 0, kMaxContext) == 0)
        return;
    const char *const pattern = "attention.sliding_window_pattern";
    const bool listed = keys.isArray(pattern);
    const std::int64_t period = listed ? 4 : keys.optional(pattern, 4, 1, kMaxLayers);
    const auto list = listed ? keys.perLayer(pattern, c.layers, 0, 1) : std::vector<std::int64_t>{};
    const std::int64_t chunk = keys.optional("attention.chunk_size", 8192, 1, kMaxContext);
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const bool chunked =
            listed ? list[static_cast<std::size_t>(i)] != 0 : (i + 1) % period != 0;
        c.layer(i).chunk = chunked ? chunk : 0;
        c.layer(i).rope = chunked ? RopeUse::Main : RopeUse::None;
        c.layer(i).headNorms = chunked;
    }
    c.temperature = {
        .scale = static_cast<float>(keys.real("attention.temperature_scale", 0.1, 0, 1e3)),
        .offset = 1,
        .period =
            static_cast<float>(keys.optional("attention.temperature_length", 8192, 1, kMaxContext)),
        .onlyWithoutRope = true};
}

void readLlama4Gguf(const GgufKeys &keys, Config &c)
{
    readLlama4Chunks(keys, c);
    const std::int64_t step = keys.require("interleave_moe_layer_step", 1, kMaxLayers);
    for (std::int64_t i = 0; i < c.layers; ++i)
        c.layer(i).feedForward = (i + 1) % step == 0 ? FeedForward::Mixture : FeedForward::Gated;
    requireGating(keys, c, Routing::Score::Sigmoid);
    c.experts.sharedFfn = c.experts.ffn;
    c.experts.weighInput = true;
    c.experts.normalize = false;
    if (c.experts.count == 128) // Maverick
        c.headNorm = HeadNorm::None;
    if (c.experts.used != 1)
        throwUnsupported(keys.where("expert_used_count") +
                         ": not supported: more than one expert for each token");
}

constexpr std::array kLlama4Names{
    TensorName{"ffn_gate_inp.", "feed_forward.router."},
    TensorName{"ffn_gate.", "feed_forward.gate_proj."},
    TensorName{"ffn_up.", "feed_forward.up_proj."},
    TensorName{"ffn_down.", "feed_forward.down_proj."},
    TensorName{"ffn_gate_exps.weight",
               "feed_forward.experts.gate_up_proj",
               {.transposed = true, .order = &firstRows, .timesRows = 2}},
    TensorName{"ffn_up_exps.weight",
               "feed_forward.experts.gate_up_proj",
               {.transposed = true, .order = &secondRows, .timesRows = 2}},
    TensorName{"ffn_down_exps.weight", "feed_forward.experts.down_proj", {.transposed = true}},
    TensorName{"ffn_gate_shexp.", "feed_forward.shared_expert.gate_proj."},
    TensorName{"ffn_up_shexp.", "feed_forward.shared_expert.up_proj."},
    TensorName{"ffn_down_shexp.", "feed_forward.shared_expert.down_proj."},
};
constexpr std::array kApertusNames{
    TensorName{"attn_norm.", "attention_layernorm."},
    TensorName{"ffn_norm.", "feedforward_layernorm."},
    TensorName{"xielu.", "mlp.act_fn."},
};
constexpr std::array kNanochatNames{
    TensorName{"ffn_up.", "mlp.fc1."},
    TensorName{"ffn_down.", "mlp.fc2."},
};
constexpr std::array kBitnetNames{
    TensorName{"attn_sub_norm.", "self_attn.attn_sub_norm."},
    TensorName{"ffn_sub_norm.", "mlp.ffn_sub_norm."},
};
constexpr TensorForm kNemotronPlusOne{.values = TensorForm::Values::PlusOne};
constexpr std::array kNemotronNames{
    TensorName{"attn_norm.weight", "input_layernorm.weight", kNemotronPlusOne},
    TensorName{"ffn_norm.weight", "post_attention_layernorm.weight", kNemotronPlusOne},
    TensorName{"output_norm.weight", "model.norm.weight", kNemotronPlusOne},
};
constexpr std::array kHunyuanDenseNames{
    TensorName{"attn_q_norm.", "self_attn.query_layernorm."},
    TensorName{"attn_k_norm.", "self_attn.key_layernorm."},
};
constexpr std::array kAttentionPostNorm{TensorName{"ffn_norm.", "post_attention_norm."}};

// Of rows with one name the first is the GGUF's.
constexpr std::array kFamilies{
    // Llama 1–3, TinyLlama, SmolLM, … In GGUF Mistral and Mixtral go by this name too.
    Family{.name = "llama",
           .transformer = "LlamaForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .wideExperts = true,
           .ggufNormalize = true,
           .gguf = &readLlamaGguf},
    Family{.name = "llama",
           .transformer = "MistralForCausalLM",
           .window = WindowRule::Always,
           .windowMissing = 4096},
    Family{.name = "llama",
           .transformer = "MixtralForCausalLM",
           .window = WindowRule::Always,
           .mixture = MixtureRule::Always,
           .wideExperts = true,
           .expertsNormalize = true},
    Family{.name = "mistral3",
           .transformer = "Ministral3ForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .window = WindowRule::Always,
           .folder = &readMinistral3,
           .gguf = &readMinistral3Gguf},
    Family{.name = "llama4",
           .transformer = "Llama4ForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .folderPairing = RopePairing::Interleaved,
           .headNorm = HeadNorm::Bare,
           .headNormAfterRope = true,
           .mixture = MixtureRule::Always,
           .wideExperts = true,
           .score = Routing::Score::Sigmoid,
           .names = kLlama4Names,
           .folder = &readLlama4,
           .gguf = &readLlama4Gguf},
    Family{.name = "smollm3",
           .transformer = "SmolLM3ForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .window = WindowRule::Switched,
           .folder = &readNoRope,
           .gguf = &eachFourthWithoutRope},
    Family{.name = "arcee",
           .transformer = "ArceeForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .feedForward = FeedForward::Plain,
           .activation = Activation::ReluSquared},
    Family{.name = "seed_oss",
           .transformer = "SeedOssForCausalLM",
           .ggufNames = kAttentionPostNorm,
           .folder = &readSeed},
    Family{.name = "apertus",
           .transformer = "ApertusForCausalLM",
           .headNorm = HeadNorm::Each,
           .feedForward = FeedForward::Plain,
           .activation = Activation::XIelu,
           .names = kApertusNames,
           .gguf = &readApertusGguf},
    Family{.name = "granite",
           .transformer = "GraniteForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .folder = &readMultipliers,
           .gguf = &readGraniteGguf},
    Family{.name = "nemotron",
           .transformer = "NemotronForCausalLM",
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::ReluSquared,
           .names = kNemotronNames},
    Family{.name = "bitnet",
           .transformer = "BitNetForCausalLM",
           .activation = Activation::ReluSquared,
           .names = kBitnetNames,
           .folder = &readBitnet,
           .gguf = &readBitnetGguf},
    Family{.name = "nanochat",
           .transformer = "NanoChatForCausalLM",
           .headNorm = HeadNorm::Bare,
           .headNormAfterRope = true,
           .feedForward = FeedForward::Plain,
           .activation = Activation::ReluSquared,
           .names = kNanochatNames,
           .folder = &readNanochat,
           .gguf = &refuseGguf},
    Family{.name = "ernie4_5",
           .transformer = "Ernie4_5ForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .folderPairing = RopePairing::Interleaved,
           .mixture = MixtureRule::Never},
    Family{.name = "hunyuan-dense",
           .transformer = "HunYuanDenseV1ForCausalLM",
           .headNorm = HeadNorm::Each,
           .headNormAfterRope = true,
           .mixture = MixtureRule::Never,
           .names = kHunyuanDenseNames},
};

} // namespace

std::span<const Family> llamaFamilies()
{
    return kFamilies;
}

} // namespace fireside
