#include "engine/core/error.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/tensor_names.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

constexpr std::array kAfterNames{
    TensorName{"post_attention_norm.", "post_attention_layernorm."},
    TensorName{"post_ffw_norm.", "post_feedforward_layernorm."},
};
constexpr std::array kGlm4Names{
    TensorName{"post_attention_norm.", "post_self_attn_layernorm."},
    TensorName{"ffn_norm.", "post_attention_layernorm."},
    TensorName{"post_ffw_norm.", "post_mlp_layernorm."},
};
constexpr std::array kGlm4GgufNames{
    TensorName{"ffn_gate.", "ffn_up.", {.order = &firstRows, .timesRows = 2}},
    TensorName{"ffn_up.", "ffn_up.", {.order = &secondRows, .timesRows = 2}},
};

constexpr std::array kExaoneNames{
    TensorName{"token_embd.", "transformer.wte."},
    TensorName{"output_norm.", "transformer.ln_f."},
    TensorName{"attn_norm.", "ln_1."},
    TensorName{"ffn_norm.", "ln_2."},
    TensorName{"attn_q.", "attn.attention.q_proj."},
    TensorName{"attn_k.", "attn.attention.k_proj."},
    TensorName{"attn_v.", "attn.attention.v_proj."},
    TensorName{"attn_output.", "attn.attention.out_proj."},
    TensorName{"ffn_gate.", "mlp.c_fc_0."},
    TensorName{"ffn_up.", "mlp.c_fc_1."},
    TensorName{"ffn_down.", "mlp.c_proj."},
};
constexpr std::array kChatGlmNames{
    TensorName{"token_embd.", "transformer.embedding.word_embeddings."},
    TensorName{"output_norm.", "transformer.encoder.final_layernorm."},
    TensorName{"output.", "transformer.output_layer."},
    TensorName{"attn_qkv.", "self_attention.query_key_value."},
    TensorName{"attn_output.", "self_attention.dense."},
    TensorName{"ffn_gate.", "mlp.dense_h_to_4h.", {.order = &firstRows, .timesRows = 2}},
    TensorName{"ffn_up.", "mlp.dense_h_to_4h.", {.order = &secondRows, .timesRows = 2}},
    TensorName{"ffn_down.", "mlp.dense_4h_to_h."},
};

/// The first OLMo's norms have no weights, and an eps of their own.
void readOlmo1(const JsonKeys &keys, Config &c)
{
    c.normWeights = false;
    c.normEps = 1e-5f;
    c.clampQkv = static_cast<float>(keys.real("clip_qkv", 0, 0, kMaxScale));
}

void readOlmo1Gguf(const GgufKeys & /*keys*/, Config &c)
{
    c.normWeights = false;
}

/// What its code can do besides, no released model does.
void readChatGlm(const JsonKeys &keys, Config &c)
{
    struct Switch
    {
        const char *key;
        bool expected;
    };
    for (const Switch &s : {Switch{"rmsnorm", true}, Switch{"post_layer_norm", true},
                            Switch{"multi_query_attention", true}, Switch{"original_rope", true},
                            Switch{"apply_residual_connection_post_layernorm", false}})
        if (keys.flag(s.key, s.expected) != s.expected)
            throwUnsupported(keys.where(s.key) +
                             ": not supported: " + (s.expected ? "false" : "true"));
    c.attentionBias = keys.flag("add_qkv_bias", true);
    RopeSettings rope;
    rope.headDim = c.headDim;
    rope.rotary = c.headDim / 2;
    rope.base = 10000 * keys.real("rope_ratio", 1, 1e-6, 1e6);
    rope.contextTrained = rope.originalContext = c.contextTrained;
    c.rope = makeRope(rope, RopePairing::Interleaved);
}

/// OLMo 3: layers with a window are not scaled.
void readOlmoGguf(const GgufKeys &keys, Config &c)
{
    RopeSettings local = readGgufRope(keys, c);
    local.base = keys.real("rope.freq_base_swa", local.base, 1e-3, 1e12);
    local.scaling = RopeSettings::Scaling::None;
    local.attentionFactor = 1;
    c.localRope = makeRope(local, RopePairing::HalfSplit);
    for (LayerConfig &l : c.each)
        if (l.window > 0)
            l.rope = RopeUse::Local;
}

/// In files of models with pictures the pairs are halves.
void readGlm4Gguf(const GgufKeys &keys, Config &c)
{
    if (keys.has("rope.dimension_sections"))
        c.rope.pairing = RopePairing::HalfSplit;
}

/// Only layers with a window know positions.
void ropeInWindowsOnly(Config &c)
{
    for (LayerConfig &l : c.each)
        if (l.window == 0)
            l.rope = RopeUse::None;
}

void readExaone4(const JsonKeys &keys, Config &c)
{
    if (keys.has("sliding_window"))
        ropeInWindowsOnly(c);
}

void readExaone4Gguf(const GgufKeys & /*keys*/, Config &c)
{
    if (std::any_of(c.each.begin(), c.each.end(),
                    [](const LayerConfig &l) { return l.window > 0; }))
        ropeInWindowsOnly(c);
}

void readCohere(const JsonKeys &keys, Config &c)
{
    c.logitScale = static_cast<float>(keys.real("logit_scale", 0.0625, 1e-6, kMaxScale));
    if (keys.flag("use_qk_norm", false))
        c.headNorm = HeadNorm::EachOwn;
}

void readCohereGguf(const GgufKeys &keys, Config &c)
{
    c.logitScale = static_cast<float>(keys.real("logit_scale", 1, 1e-6, kMaxScale));
    if (keys.gguf().findTensor("blk.0.attn_q_norm.weight") != nullptr)
        c.headNorm = HeadNorm::EachOwn;
}

void readCohere2(const JsonKeys &keys, Config &c)
{
    readCohere(keys, c);
    ropeInWindowsOnly(c);
}

void readCohere2Gguf(const GgufKeys &keys, Config &c)
{
    readCohereGguf(keys, c);
    ropeInWindowsOnly(c);
}

constexpr Family kChatGlm{.name = "chatglm",
                          .transformer = "ChatGLMModel",
                          .ggufPairing = RopePairing::Interleaved,
                          .folderPairing = RopePairing::Interleaved,
                          .normEps = 1e-5,
                          .mixture = MixtureRule::Never,
                          .names = kChatGlmNames,
                          .ggufNames = kGlm4GgufNames,
                          .layerPrefix = "transformer.encoder.layers.",
                          .folder = &readChatGlm};

constexpr std::array kOlmoFamilies{
    Family{.name = "olmo",
           .transformer = "OlmoForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .mixture = MixtureRule::Never,
           .folder = &readOlmo1,
           .gguf = &readOlmo1Gguf},
    Family{.name = "olmo2",
           .transformer = "Olmo2ForCausalLM",
           .normPlaces = NormPlaces::After,
           .normEps = 1e-5,
           .headNorm = HeadNorm::Row,
           .windowPeriod = 4,
           .mixture = MixtureRule::Never,
           .names = kAfterNames,
           .gguf = &readOlmoGguf},
    Family{.name = "olmo2",
           .transformer = "Olmo3ForCausalLM",
           .normPlaces = NormPlaces::After,
           .normEps = 1e-5,
           .headNorm = HeadNorm::Row,
           .window = WindowRule::ByLayer,
           .windowMissing = 4096,
           .windowPeriod = 4,
           .mixture = MixtureRule::Never,
           .names = kAfterNames},
    Family{.name = "exaone",
           .transformer = "ExaoneForCausalLM",
           .normEps = 1e-5,
           .mixture = MixtureRule::Never,
           .names = kExaoneNames,
           .layerPrefix = "transformer.h."},
    Family{.name = "exaone4",
           .transformer = "Exaone4ForCausalLM",
           .normPlaces = NormPlaces::After,
           .normEps = 1e-5,
           .headNorm = HeadNorm::Each,
           .window = WindowRule::ByLayer,
           .windowPeriod = 4,
           .mixture = MixtureRule::Never,
           .names = kAfterNames,
           .folder = &readExaone4,
           .gguf = &readExaone4Gguf},
    Family{.name = "command-r",
           .transformer = "CohereForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .folderPairing = RopePairing::Interleaved,
           .norm = NormKind::Layer,
           .normPlaces = NormPlaces::Parallel,
           .normEps = 1e-5,
           .mixture = MixtureRule::Never,
           .folder = &readCohere,
           .gguf = &readCohereGguf},
    Family{.name = "cohere2",
           .transformer = "Cohere2ForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .folderPairing = RopePairing::Interleaved,
           .norm = NormKind::Layer,
           .normPlaces = NormPlaces::Parallel,
           .normEps = 1e-5,
           .window = WindowRule::ByLayer,
           .windowMissing = 4096,
           .windowPeriod = 4,
           .mixture = MixtureRule::Never,
           .folder = &readCohere2,
           .gguf = &readCohere2Gguf},
    kChatGlm,
    sameAs(kChatGlm, "ChatGLMForConditionalGeneration"),
    Family{.name = "chatglm",
           .transformer = "GlmForCausalLM",
           .folderPairing = RopePairing::Interleaved,
           .normEps = 1.5625e-07,
           .mixture = MixtureRule::Never,
           .defaults =
               R"({"partial_rotary_factor": 0.5, "head_dim": 128, "attention_bias": true})"},
    Family{.name = "glm4",
           .transformer = "Glm4ForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .folderPairing = RopePairing::Interleaved,
           .normPlaces = NormPlaces::Around,
           .mixture = MixtureRule::Never,
           .names = kGlm4Names,
           .ggufNames = kGlm4GgufNames,
           .gguf = &readGlm4Gguf},
};

} // namespace

std::span<const Family> olmoFamilies()
{
    return kOlmoFamilies;
}

} // namespace fireside
