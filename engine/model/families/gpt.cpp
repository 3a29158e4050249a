#include "engine/core/error.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/tensor_names.h"

#include <array>
#include <cmath>

namespace fireside {
namespace {

constexpr TensorForm kTransposed{.transposed = true};
constexpr TensorForm kByKvHead{.order = &qkvByKvHead};

constexpr std::array kGpt2Names{
    TensorName{"token_embd.", "transformer.wte."},
    TensorName{"position_embd.", "transformer.wpe."},
    TensorName{"output_norm.", "transformer.ln_f."},
    TensorName{"attn_norm.", "ln_1."},
    TensorName{"ffn_norm.", "ln_2."},
    TensorName{"attn_qkv.weight", "attn.c_attn.weight", kTransposed},
    TensorName{"attn_qkv.bias", "attn.c_attn.bias"},
    TensorName{"attn_output.weight", "attn.c_proj.weight", kTransposed},
    TensorName{"attn_output.bias", "attn.c_proj.bias"},
    TensorName{"ffn_up.weight", "mlp.c_fc.weight", kTransposed},
    TensorName{"ffn_up.bias", "mlp.c_fc.bias"},
    TensorName{"ffn_down.weight", "mlp.c_proj.weight", kTransposed},
    TensorName{"ffn_down.bias", "mlp.c_proj.bias"},
};
constexpr std::array kBigCodeNames{
    TensorName{"token_embd.", "transformer.wte."},
    TensorName{"position_embd.", "transformer.wpe."},
    TensorName{"output_norm.", "transformer.ln_f."},
    TensorName{"attn_norm.", "ln_1."},
    TensorName{"ffn_norm.", "ln_2."},
    TensorName{"attn_qkv.", "attn.c_attn.", kByKvHead},
    TensorName{"attn_output.", "attn.c_proj."},
    TensorName{"ffn_up.", "mlp.c_fc."},
    TensorName{"ffn_down.", "mlp.c_proj."},
};
constexpr std::array kStarCoder2Names{
    TensorName{"ffn_up.", "mlp.c_fc."},
    TensorName{"ffn_down.", "mlp.c_proj."},
};
constexpr std::array kStableLmNames{
    TensorName{"attn_q_norm.", "self_attn.q_layernorm.norms.*."},
    TensorName{"attn_k_norm.", "self_attn.k_layernorm.norms.*."},
};
constexpr std::array kNeoXNames{
    TensorName{"token_embd.", "gpt_neox.embed_in."},
    TensorName{"output_norm.", "gpt_neox.final_layer_norm."},
    TensorName{"output.", "embed_out."},
    TensorName{"attn_qkv.", "attention.query_key_value.", kByKvHead},
    TensorName{"attn_output.", "attention.dense."},
    TensorName{"ffn_up.", "mlp.dense_h_to_4h."},
    TensorName{"ffn_down.", "mlp.dense_4h_to_h."},
};
constexpr std::array kBloomNames{
    TensorName{"token_embd.", "transformer.word_embeddings."},
    TensorName{"token_embd_norm.", "transformer.word_embeddings_layernorm."},
    TensorName{"output_norm.", "transformer.ln_f."},
    TensorName{"attn_qkv.", "self_attention.query_key_value.", kByKvHead},
    TensorName{"attn_output.", "self_attention.dense."},
    TensorName{"ffn_up.", "mlp.dense_h_to_4h."},
    TensorName{"ffn_down.", "mlp.dense_4h_to_h."},
};
constexpr std::array kFalconNames{
    TensorName{"token_embd.", "transformer.word_embeddings."},
    TensorName{"output_norm.", "transformer.ln_f."},
    TensorName{"attn_norm.", "ln_attn."},
    TensorName{"attn_norm.", "input_layernorm."},
    TensorName{"ffn_norm.", "ln_mlp."},
    TensorName{"ffn_norm.", "post_attention_layernorm."},
    TensorName{"attn_qkv.", "self_attention.query_key_value.", kByKvHead},
    TensorName{"attn_output.", "self_attention.dense."},
    TensorName{"ffn_up.", "mlp.dense_h_to_4h."},
    TensorName{"ffn_down.", "mlp.dense_4h_to_h."},
};
constexpr std::array kFalconGgufNames{
    TensorName{"attn_norm.", "attn_norm_2."},
    TensorName{"attn_norm.", "attn_norm."},
    TensorName{"ffn_norm.", "attn_norm."},
};
constexpr std::array kMptNames{
    TensorName{"token_embd.", "transformer.wte."},
    TensorName{"output_norm.", "transformer.norm_f."},
    TensorName{"attn_norm.", "norm_1."},
    TensorName{"ffn_norm.", "norm_2."},
    TensorName{"attn_qkv.", "attn.Wqkv."},
    TensorName{"attn_output.", "attn.out_proj."},
    TensorName{"attn_q_norm.", "attn.q_ln."},
    TensorName{"attn_k_norm.", "attn.k_ln."},
    TensorName{"ffn_up.", "ffn.up_proj."},
    TensorName{"ffn_down.", "ffn.down_proj."},
};
constexpr std::array kOptNames{
    TensorName{"token_embd.", "model.decoder.embed_tokens."},
    TensorName{"position_embd.", "model.decoder.embed_positions."},
    TensorName{"output_norm.", "model.decoder.final_layer_norm."},
    TensorName{"attn_norm.", "self_attn_layer_norm."},
    TensorName{"ffn_norm.", "final_layer_norm."},
    TensorName{"attn_output.", "self_attn.out_proj."},
    TensorName{"ffn_up.", "fc1."},
    TensorName{"ffn_down.", "fc2."},
};

void learnedPositionsGguf(const GgufKeys & /*keys*/, Config &c)
{
    c.positions = c.contextTrained;
}

void readGpt2(const JsonKeys &keys, Config &c)
{
    c.positions = c.contextTrained;
    if (keys.flag("scale_attn_by_inverse_layer_idx", false))
        throwUnsupported(keys.where("scale_attn_by_inverse_layer_idx") + ": not supported: true");
    if (!keys.flag("scale_attn_weights", true))
        c.attentionScale = 1;
}

void readBigCode(const JsonKeys &keys, Config &c)
{
    readGpt2(keys, c);
    c.kvHeads = keys.flag("multi_query", true) ? 1 : c.heads;
    for (LayerConfig &l : c.each)
        l.kvHeads = c.kvHeads;
}

void readNeoX(const JsonKeys &keys, Config &c)
{
    c.attentionBias = keys.flag("attention_bias", true);
    if (!keys.flag("use_parallel_residual", true))
        c.normPlaces = NormPlaces::Before;
}

void readNeoXGguf(const GgufKeys &keys, Config &c)
{
    if (!keys.flag("use_parallel_residual", true))
        c.normPlaces = NormPlaces::Before;
}

void readBloom(const JsonKeys &keys, Config &c)
{
    c.embeddingNorm = true;
    c.alibiMaxBias = 8;
    if (keys.flag("apply_residual_connection_post_layernorm", false))
        throwUnsupported(keys.where("apply_residual_connection_post_layernorm") +
                         ": not supported: true");
}

void readBloomGguf(const GgufKeys & /*keys*/, Config &c)
{
    c.embeddingNorm = true;
    c.alibiMaxBias = 8;
}

void readFalcon(const JsonKeys &keys, Config &c)
{
    const bool modern = keys.flag("new_decoder_architecture", false);
    if (keys.flag("alibi", false)) {
        c.alibiMaxBias = 8;
        c.alibiScale = 1 / std::sqrt(static_cast<float>(c.headDim));
        for (LayerConfig &l : c.each)
            l.rope = RopeUse::None;
    }
    if (!modern)
        c.kvHeads = keys.flag("multi_query", true) ? 1 : c.heads;
    for (LayerConfig &l : c.each)
        l.kvHeads = c.kvHeads;
    const std::int64_t norms = keys.optional("num_ln_in_parallel_attn", modern ? 2 : 1, 1, 2);
    if (!modern && !keys.flag("parallel_attn", true))
        c.normPlaces = NormPlaces::Before;
    else
        c.normPlaces = modern && norms == 2 ? NormPlaces::ParallelTwo : NormPlaces::Parallel;
}

void readFalconGguf(const GgufKeys &keys, Config &c)
{
    c.normPlaces = keys.gguf().findTensor("blk.0.attn_norm_2.weight") != nullptr
                       ? NormPlaces::ParallelTwo
                       : NormPlaces::Parallel;
}

void readMpt(const JsonKeys &keys, Config &c)
{
    c.ffn = 4 * c.hidden; // whatever expansion_ratio says
    for (LayerConfig &l : c.each)
        l.ffn = c.ffn;
    c.alibiMaxBias = 8;
    if (!keys.has("attn_config"))
        return;
    const JsonKeys attention = keys.inside("attn_config");
    c.alibiMaxBias = static_cast<float>(attention.real("alibi_bias_max", 8, 0, 1e3));
    c.clampQkv = static_cast<float>(attention.real("clip_qkv", 0, 0, kMaxScale));
    c.attentionScale = static_cast<float>(attention.real("softmax_scale", 0, 0, kMaxScale));
    if (!attention.flag("alibi", true))
        throwUnsupported(attention.where("alibi") + ": not supported: false");
    if (attention.flag("qk_ln", false))
        c.headNorm = HeadNorm::Row;
}

void readMptGguf(const GgufKeys &keys, Config &c)
{
    const Gguf &gguf = keys.gguf();
    if (gguf.findTensor("blk.0.attn_q_norm.weight") != nullptr)
        c.headNorm = HeadNorm::Row;
    if (gguf.findTensor("position_embd.weight") != nullptr)
        c.positions = c.contextTrained;
    if (gguf.findTensor("blk.0.ffn.act.scales") != nullptr)
        throwUnsupported(gguf.path().string() +
                         ": tensor 'blk.0.ffn.act.scales': not supported: scaled activations");
}

/// OPT has no form in the format.
void refuseOptGguf(const GgufKeys &keys, Config & /*config*/)
{
    throwUnsupported(keys.gguf().path().string() + ": not supported: OPT in a GGUF file");
}

void readOpt(const JsonKeys &keys, Config &c)
{
    c.positions = c.contextTrained;
    c.positionOffset = 2;
    c.attentionBias = c.ffnBias = keys.flag("enable_bias", true);
    if (!keys.flag("do_layer_norm_before", true))
        throwUnsupported(keys.where("do_layer_norm_before") + ": not supported: false");
    if (keys.optional("word_embed_proj_dim", c.hidden, 1, kMaxHidden) != c.hidden)
        throwUnsupported(keys.where("word_embed_proj_dim") +
                         ": not supported: an embedding of another width");
}

void readStableLm(const JsonKeys &keys, Config &c)
{
    c.attentionBias = keys.flag("use_qkv_bias", false);
    if (keys.flag("use_parallel_residual", false))
        c.normPlaces = NormPlaces::Parallel;
    if (keys.flag("qk_layernorm", false))
        c.headNorm = HeadNorm::EachOwn;
}

void readStableLmGguf(const GgufKeys &keys, Config &c)
{
    if (keys.flag("use_parallel_residual", false))
        c.normPlaces = NormPlaces::Parallel;
    if (keys.gguf().findTensor("blk.0.attn_q_norm.weight") != nullptr)
        c.headNorm = HeadNorm::EachOwn;
}

/// ALiBi is that of the models called Falcon-RW.
constexpr Family kFalcon{.name = "falcon",
                         .transformer = "FalconForCausalLM",
                         .norm = NormKind::Layer,
                         .normEps = 1e-5,
                         .feedForward = FeedForward::Plain,
                         .activation = Activation::GeluErf,
                         .mixture = MixtureRule::Never,
                         .names = kFalconNames,
                         .ggufNames = kFalconGgufNames,
                         .layerPrefix = "transformer.h.",
                         .defaults = R"({"max_position_embeddings": 2048})",
                         .folder = &readFalcon,
                         .gguf = &readFalconGguf};

constexpr std::array kGptFamilies{
    Family{.name = "gpt2",
           .transformer = "GPT2LMHeadModel",
           .rope = RopeUse::None,
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kGpt2Names,
           .layerPrefix = "transformer.h.",
           .folder = &readGpt2,
           .gguf = &learnedPositionsGguf},
    Family{.name = "starcoder",
           .transformer = "GPTBigCodeForCausalLM",
           .rope = RopeUse::None,
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kBigCodeNames,
           .layerPrefix = "transformer.h.",
           .folder = &readBigCode,
           .gguf = &learnedPositionsGguf},
    Family{.name = "starcoder2",
           .transformer = "Starcoder2ForCausalLM",
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .window = WindowRule::Always,
           .feedForward = FeedForward::Plain,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kStarCoder2Names},
    Family{.name = "gptneox",
           .transformer = "GPTNeoXForCausalLM",
           .norm = NormKind::Layer,
           .normPlaces = NormPlaces::ParallelTwo,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::GeluErf,
           .mixture = MixtureRule::Never,
           .names = kNeoXNames,
           .layerPrefix = "gpt_neox.layers.",
           .folder = &readNeoX,
           .gguf = &readNeoXGguf},
    Family{.name = "bloom",
           .transformer = "BloomForCausalLM",
           .rope = RopeUse::None,
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kBloomNames,
           .layerPrefix = "transformer.h.",
           .folder = &readBloom,
           .gguf = &readBloomGguf},
    kFalcon,
    sameAs(kFalcon, "RWForCausalLM"), // its older name
    Family{.name = "mpt",
           .transformer = "MptForCausalLM",
           .rope = RopeUse::None,
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::GeluErf,
           .mixture = MixtureRule::Never,
           .names = kMptNames,
           .layerPrefix = "transformer.blocks.",
           .folder = &readMpt,
           .gguf = &readMptGguf},
    Family{.name = "opt",
           .transformer = "OPTForCausalLM",
           .rope = RopeUse::None,
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::Relu,
           .mixture = MixtureRule::Never,
           .names = kOptNames,
           .layerPrefix = "model.decoder.layers.",
           .folder = &readOpt,
           .gguf = &refuseOptGguf},
    Family{.name = "stablelm",
           .transformer = "StableLmForCausalLM",
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .mixture = MixtureRule::Never,
           .names = kStableLmNames,
           .folder = &readStableLm,
           .gguf = &readStableLmGguf},
};

} // namespace

std::span<const Family> gptFamilies()
{
    return kGptFamilies;
}

} // namespace fireside
