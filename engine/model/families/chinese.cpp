#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/tensor_names.h"

#include <array>

namespace fireside {
namespace {

constexpr std::array kInternLm2Names{
    TensorName{"token_embd.", "model.tok_embeddings."},
    TensorName{"output.", "output."},
    TensorName{"attn_norm.", "attention_norm."},
    TensorName{"ffn_norm.", "ffn_norm."},
    TensorName{"attn_qkv.", "attention.wqkv.", {.order = &qkvByKvHead}},
    TensorName{"attn_output.", "attention.wo."},
    TensorName{"ffn_gate.", "feed_forward.w1."},
    TensorName{"ffn_up.", "feed_forward.w3."},
    TensorName{"ffn_down.", "feed_forward.w2."},
};

constexpr std::array kBaichuanNames{TensorName{"attn_qkv.", "self_attn.W_pack."}};

void turnToAlibi(Config &c)
{
    c.alibiMaxBias = 8;
    for (LayerConfig &l : c.each)
        l.rope = RopeUse::None;
}

void readInternLm3(const JsonKeys &keys, Config &c)
{
    c.attentionBias = keys.flag("qkv_bias", false);
}

/// The larger models have ALiBi; what they are said to be made for has another name.
void readBaichuan(const JsonKeys &keys, Config &c)
{
    if (!keys.has("max_position_embeddings"))
        turnToAlibi(c);
    constexpr std::int64_t kSecondsVocabulary = 125696;
    if (keys.has("z_loss_weight") || c.vocabulary == kSecondsVocabulary)
        c.outputForm = OutputForm::UnitRows;
}

/// Files do not say it: 7B has 32 layers, 13B 40.
void readBaichuanGguf(const GgufKeys & /*keys*/, Config &c)
{
    if (c.layers == 40)
        turnToAlibi(c);
}

void readPangu(const JsonKeys &keys, Config &c)
{
    c.attentionBias = keys.flag("bias", true);
}

constexpr Family kBaichuan{.name = "baichuan",
                           .transformer = "BaichuanForCausalLM",
                           .ggufPairing = RopePairing::Interleaved,
                           .mixture = MixtureRule::Never,
                           .names = kBaichuanNames,
                           .folder = &readBaichuan,
                           .gguf = &readBaichuanGguf};

constexpr std::array kChineseFamilies{
    Family{.name = "internlm2",
           .transformer = "InternLM2ForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .mixture = MixtureRule::Never,
           .names = kInternLm2Names},
    Family{.name = "llama",
           .transformer = "InternLM3ForCausalLM",
           .mixture = MixtureRule::Never,
           .folder = &readInternLm3},
    kBaichuan,
    sameAs(kBaichuan, "BaiChuanForCausalLM"), // 1, 7B
    Family{.name = "xverse",
           .transformer = "XverseForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .mixture = MixtureRule::Never},
    // Its config.json says RMS, its code is another.
    Family{.name = "orion",
           .transformer = "OrionForCausalLM",
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .mixture = MixtureRule::Never},
    Family{.name = "pangu-embedded",
           .transformer = "PanguEmbeddedForCausalLM",
           .normEps = 1e-5,
           .mixture = MixtureRule::Never,
           .folder = &readPangu},
};

} // namespace

std::span<const Family> chineseFamilies()
{
    return kChineseFamilies;
}

} // namespace fireside
