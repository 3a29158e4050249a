#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"

#include <array>

namespace fireside {
namespace {

void readQwen2(const JsonKeys & /*keys*/, Config &c)
{
    c.attentionBias = true;
}

void readQwen2Moe(const JsonKeys &keys, Config &c)
{
    c.attentionBias = keys.flag("qkv_bias", true);
    c.experts.sharedFfn = keys.require("shared_expert_intermediate_size", 1, kMaxFfn);
    c.experts.sharedGate = true;
}

void readQwen2MoeGguf(const GgufKeys & /*keys*/, Config &c)
{
    c.experts.sharedGate = c.experts.sharedFfn > 0;
}

/// Beyond the length of its training the first Qwen scales queries and frequencies anew: not here.
/// Each of the two matrices of its feed-forward is half as wide as said.
void halveFeedForward(Config &c)
{
    c.ffn /= 2;
    for (LayerConfig &l : c.each)
        l.ffn /= 2;
}

void readQwen(const JsonKeys &keys, Config &c)
{
    halveFeedForward(c);
    c.attentionBias = true;
    c.contextTrained = keys.optional("seq_length", c.contextTrained, 1, kMaxContext);
    if (!keys.flag("scale_attn_weights", true))
        c.attentionScale = 1;
}

void readQwenGguf(const GgufKeys & /*keys*/, Config &c)
{
    halveFeedForward(c);
    c.attentionBias = true;
}

constexpr std::array kQwenNames{
    TensorName{"token_embd.", "transformer.wte."},
    TensorName{"output_norm.", "transformer.ln_f."},
    TensorName{"attn_norm.", "ln_1."},
    TensorName{"ffn_norm.", "ln_2."},
    TensorName{"attn_qkv.", "attn.c_attn."},
    TensorName{"attn_output.", "attn.c_proj."},
    TensorName{"ffn_up.", "mlp.w1."},
    TensorName{"ffn_gate.", "mlp.w2."},
    TensorName{"ffn_down.", "mlp.c_proj."},
};
constexpr std::array kMimoNames{
    TensorName{"nextn.eh_proj.", "input_proj."},
    TensorName{"nextn.enorm.", "token_layernorm."},
    TensorName{"nextn.hnorm.", "hidden_layernorm."},
};

/// The text model of a GGUF file that is made for pictures as well: of text alone the positions in
/// three directions are the same number.
constexpr Family textOf(std::string_view name, HeadNorm headNorm, MixtureRule mixture)
{
    Family family{.name = name, .transformer = ""};
    family.headNorm = headNorm;
    family.mixture = mixture;
    family.ggufNormalize = mixture == MixtureRule::Always;
    return family;
}

constexpr std::array kQwenFamilies{
    textOf("qwen2vl", HeadNorm::None, MixtureRule::Never),
    textOf("qwen25vl", HeadNorm::None, MixtureRule::Never), // Ollama's
    textOf("qwen3vl", HeadNorm::Each, MixtureRule::Never),
    textOf("qwen3vlmoe", HeadNorm::Each, MixtureRule::Always),
    Family{.name = "qwen",
           .transformer = "QWenLMHeadModel",
           .mixture = MixtureRule::Never,
           .names = kQwenNames,
           .layerPrefix = "transformer.h.",
           .folder = &readQwen,
           .gguf = &readQwenGguf},
    Family{.name = "qwen2",
           .transformer = "Qwen2ForCausalLM",
           .window = WindowRule::Switched,
           .mixture = MixtureRule::Never,
           .folder = &readQwen2},
    Family{.name = "qwen2",
           .transformer = "MiMoForCausalLM", // Xiaomi's
           .window = WindowRule::Switched,
           .mixture = MixtureRule::Never,
           .names = kMimoNames,
           .draftPrefix = "model.mtp_layers.",
           .draftHiddenFirst = true,
           .folder = [](const JsonKeys &keys,
                        Config &c) { c.attentionBias = keys.flag("attention_bias", true); }},
    Family{.name = "qwen2moe",
           .transformer = "Qwen2MoeForCausalLM",
           .window = WindowRule::Switched,
           .mixture = MixtureRule::Always,
           .folder = &readQwen2Moe,
           .gguf = &readQwen2MoeGguf},
    Family{.name = "qwen3",
           .transformer = "Qwen3ForCausalLM",
           .headDim = 128,
           .headNorm = HeadNorm::Each,
           .window = WindowRule::Switched,
           .mixture = MixtureRule::Never},
    Family{.name = "qwen3moe",
           .transformer = "Qwen3MoeForCausalLM",
           .headDim = 128,
           .headNorm = HeadNorm::Each,
           .window = WindowRule::Switched,
           .mixture = MixtureRule::Always,
           .ggufNormalize = true},
};

} // namespace

std::span<const Family> qwenFamilies()
{
    return kQwenFamilies;
}

} // namespace fireside
