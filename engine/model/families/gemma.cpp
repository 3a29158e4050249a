#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"

#include <array>
#include <cmath>

namespace fireside {
namespace {

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

void readGemma2(const JsonKeys &keys, Config &c)
{
    scaleEmbedding(c);
    c.attentionScale =
        1 / std::sqrt(static_cast<float>(keys.real("query_pre_attn_scalar", 256, 1, kMaxScale)));
    c.attentionSoftcap = static_cast<float>(keys.real("attn_logit_softcapping", 0, 0, kMaxScale));
    c.logitSoftcap = static_cast<float>(keys.real("final_logit_softcapping", 0, 0, kMaxScale));
}

/// Files do not say the scale of scores: that of the largest model is another.
void scaleScores(Config &c, std::int64_t layersOfLargest)
{
    const std::int64_t of = c.layers == layersOfLargest ? c.hidden / c.heads : c.headDim;
    c.attentionScale = 1 / std::sqrt(static_cast<float>(of));
}

void readGemma2Gguf(const GgufKeys &keys, Config &c)
{
    if (!keys.has("attention.sliding_window"))
        for (std::int64_t i = 0; i < c.layers; i += 2)
            c.layer(i).window = 4096;
    scaleEmbedding(c);
    scaleScores(c, 46);
}

void readGemma3Gguf(const GgufKeys &keys, Config &c)
{
    scaleEmbedding(c);
    scaleScores(c, 62);
    RopeSettings local;
    local.headDim = local.rotary = c.headDim;
    local.base = keys.real("rope.freq_base_swa", 10000, 1e-3, 1e12);
    local.contextTrained = c.contextTrained;
    c.localRope = makeRope(local, RopePairing::HalfSplit);
    for (LayerConfig &l : c.each)
        if (l.window > 0)
            l.rope = RopeUse::Local;
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
           .folder = &readGemma2,
           .gguf = &readGemma3Gguf},
};

} // namespace

std::span<const Family> gemmaFamilies()
{
    return kGemmaFamilies;
}

} // namespace fireside
