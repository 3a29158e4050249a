#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/families/recurrent_keys.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

constexpr std::array kLfmNames{
    TensorName{"output_norm.", "model.embedding_norm."},
    TensorName{"attn_norm.", "operator_norm."},
    TensorName{"ffn_norm.", "ffn_norm."},
    TensorName{"attn_q_norm.", "self_attn.q_layernorm."},
    TensorName{"attn_k_norm.", "self_attn.k_layernorm."},
    TensorName{"attn_output.", "self_attn.out_proj."},
    TensorName{"shortconv.conv.", "conv.conv."},
    TensorName{"shortconv.in_proj.", "conv.in_proj."},
    TensorName{"shortconv.out_proj.", "conv.out_proj."},
    TensorName{"ffn_gate_inp.", "feed_forward.gate."},
    TensorName{"exp_probs_b.bias", "feed_forward.expert_bias"},
    TensorName{"ffn_gate_exps.", "feed_forward.experts.*.w1."},
    TensorName{"ffn_down_exps.", "feed_forward.experts.*.w2."},
    TensorName{"ffn_up_exps.", "feed_forward.experts.*.w3."},
    TensorName{"ffn_gate.", "feed_forward.w1."},
    TensorName{"ffn_down.", "feed_forward.w2."},
    TensorName{"ffn_up.", "feed_forward.w3."},
};
constexpr std::array kLfmGgufNames{TensorName{"output_norm.", "token_embd_norm."}};

void readLfmLayers(const JsonKeys &keys, Config &c)
{
    c.taps = keys.optional("conv_L_cache", 3, 1, kMaxTaps);
    const std::vector<std::string> kinds = layerTypes(keys, c.layers);
    const nlohmann::json *attending = keys.find("full_attn_idxs");
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const bool listed = attending != nullptr && attending->is_array() &&
                            std::find(attending->begin(), attending->end(), i) != attending->end();
        const std::string kind = !kinds.empty() ? kinds[static_cast<std::size_t>(i)]
                                 : listed || attending == nullptr ? "full_attention"
                                                                  : "conv";
        if (kind == "conv")
            c.layer(i).mixer = Mixer::ShortConvolution;
        else if (kind != "full_attention")
            throwUnsupported(keys.where("layer_types") +
                             ": not supported: " + fireside::quoted(kind));
    }
}

void readLfm2(const JsonKeys &keys, Config &c)
{
    readLfmLayers(keys, c);
    if (keys.flag("block_auto_adjust_ff_dim", true)) {
        const double factor = keys.real("block_ffn_dim_multiplier", 1, 1e-3, 1e3);
        const std::int64_t multiple = keys.optional("block_multiple_of", 256, 1, kMaxFfn);
        const std::int64_t whole = keys.optional("block_ff_dim", c.ffn, 1, kMaxFfn);
        const auto wanted = static_cast<std::int64_t>(factor * static_cast<double>(2 * whole / 3));
        c.ffn = (wanted + multiple - 1) / multiple * multiple;
        for (LayerConfig &l : c.each)
            l.ffn = c.ffn;
    }
}

void readLfm2Moe(const JsonKeys &keys, Config &c)
{
    readLfmLayers(keys, c);
    c.experts.normalize = keys.flag("norm_topk_prob", true);
    c.experts.choiceBias = keys.flag("use_expert_bias", true);
    c.experts.scale = static_cast<float>(keys.real("routed_scaling_factor", 1, 0, kMaxScale));
}

void readLfmGguf(const GgufKeys &keys, Config &c)
{
    c.taps = keys.require("shortconv.l_cache", 1, kMaxTaps);
    readRecurrentLayersGguf(keys, Mixer::ShortConvolution, c);
}

constexpr std::array kLfmFamilies{
    Family{.name = "lfm2",
           .transformer = "Lfm2ForCausalLM",
           .ropeBase = 1e6,
           .normEps = 1e-5,
           .headNorm = HeadNorm::Each,
           .mixture = MixtureRule::Never,
           .names = kLfmNames,
           .ggufNames = kLfmGgufNames,
           .folder = &readLfm2,
           .gguf = &readLfmGguf},
    Family{.name = "lfm2moe",
           .transformer = "Lfm2MoeForCausalLM",
           .ropeBase = 1e6,
           .normEps = 1e-5,
           .headNorm = HeadNorm::Each,
           .mixture = MixtureRule::Always,
           .ggufNormalize = true,
           .score = Routing::Score::Sigmoid,
           .names = kLfmNames,
           .ggufNames = kLfmGgufNames,
           .folder = &readLfm2Moe,
           .gguf = &readLfmGguf},
};

} // namespace

std::span<const Family> lfmFamilies()
{
    return kLfmFamilies;
}

} // namespace fireside
