#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/families/recurrent_keys.h"

#include <array>

// NVIDIA's Nemotron-H: each layer is one block, which mixes tokens or is a feed-forward.
namespace fireside {
namespace {

constexpr std::array kNemotronHNames{
    TensorName{"attn_norm.", "norm."},
    TensorName{"ffn_norm.", "norm."},
    TensorName{"attn_q.", "mixer.q_proj."},
    TensorName{"attn_k.", "mixer.k_proj."},
    TensorName{"attn_v.", "mixer.v_proj."},
    TensorName{"attn_output.", "mixer.o_proj."},
    TensorName{"ffn_up.", "mixer.up_proj."},
    TensorName{"ffn_down.", "mixer.down_proj."},
    TensorName{"ffn_gate_inp.", "mixer.gate."},
    TensorName{"exp_probs_b.bias", "mixer.gate.e_score_correction_bias"},
    TensorName{"ffn_up_exps.", "mixer.experts.*.up_proj."},
    TensorName{"ffn_down_exps.", "mixer.experts.*.down_proj."},
    TensorName{"ffn_up_shexp.", "mixer.shared_experts.up_proj."},
    TensorName{"ffn_down_shexp.", "mixer.shared_experts.down_proj."},
};
constexpr std::array kNemotronHGgufNames{TensorName{"ffn_norm.", "attn_norm."}};
constexpr Mamba2Keys kNemotronHKeys{"mamba_num_heads",
                                    "mamba_head_dim",
                                    "ssm_state_size",
                                    "n_groups",
                                    "conv_kernel",
                                    nullptr,
                                    128,
                                    64,
                                    128,
                                    8};

/// A list of kinds, or a text: M, E, * and -.
std::vector<std::string> blockKinds(const JsonKeys &keys, const Config &c)
{
    const std::string pattern = keys.text("hybrid_override_pattern");
    std::vector<std::string> kinds = layerKinds(keys, c.layers);
    for (std::size_t i = 0; kinds.size() < c.each.size(); ++i)
        switch (i < pattern.size() ? pattern[i] : ' ') {
        case 'M':
            kinds.emplace_back("linear_attention");
            break;
        case 'E':
            kinds.emplace_back("moe");
            break;
        case '*':
            kinds.emplace_back("full_attention");
            break;
        case '-':
            kinds.emplace_back("mlp");
            break;
        default:
            throwUnsupported(keys.where("hybrid_override_pattern") +
                             ": not supported: " + fireside::quoted(pattern));
        }
    return kinds;
}

void readBlocks(const JsonKeys &keys, Config &c)
{
    const std::vector<std::string> kinds = blockKinds(keys, c);
    for (std::size_t i = 0; i < c.each.size(); ++i) {
        LayerConfig &l = c.each[i];
        l.mixer = Mixer::None;
        l.feedForward = FeedForward::None;
        if (kinds[i] == "linear_attention")
            l.mixer = Mixer::Mamba2;
        else if (kinds[i] == "full_attention")
            l.mixer = Mixer::Attention;
        else if (kinds[i] == "mlp")
            l.feedForward = FeedForward::Plain;
        else if (kinds[i] == "moe" && c.experts.count > 0)
            l.feedForward = FeedForward::Mixture;
        else
            throwUnsupported(keys.where("layers_block_type") +
                             ": not supported: " + fireside::quoted(kinds[i]));
    }
}

void readNemotronH(const JsonKeys &keys, Config &c)
{
    requireSilu(keys, "mamba_hidden_act");
    readMamba2(keys, kNemotronHKeys, c);
    c.stateSpace.normGroups = c.stateSpace.groups;
    if (keys.has("moe_latent_size"))
        throwUnsupported(keys.where("moe_latent_size") +
                         ": not supported: experts between two matrices");
    if (c.experts.count > 0) {
        readSharedExperts(keys, c);
        c.experts.gated = false;
        c.experts.normalize = keys.flag("norm_topk_prob", true);
        if (keys.optional("n_shared_experts", 1, 0, kMaxExperts) > 0)
            c.experts.sharedFfn =
                keys.optional("moe_shared_expert_intermediate_size", 7688, 1, kMaxFfn);
    }
    readBlocks(keys, c);
}

void readNemotronHGguf(const GgufKeys &keys, Config &c)
{
    readStateSpaceGguf(keys, c);
    c.experts.gated = false;
    c.experts.groupByBestTwo = true;
    const auto heads = keys.perLayer("attention.head_count_kv", c.layers, 0, kMaxHeads);
    const auto ffn = keys.perLayer("feed_forward_length", c.layers, 0, kMaxFfn);
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const auto at = static_cast<std::size_t>(i);
        LayerConfig &l = c.layer(i);
        const bool attends = !heads.empty() && heads[at] > 0, feeds = !ffn.empty() && ffn[at] > 0;
        const std::string router = "blk." + std::to_string(i) + ".ffn_gate_inp.weight";
        l.mixer = attends ? Mixer::Attention : feeds ? Mixer::None : Mixer::Mamba2;
        l.feedForward = attends || !feeds ? FeedForward::None
                        : c.experts.count > 0 && keys.gguf().findTensor(router) != nullptr
                            ? FeedForward::Mixture
                            : FeedForward::Plain;
    }
}

constexpr std::array kNemotronHFamilies{
    Family{.name = "nemotron_h",
           .transformer = "NemotronHForCausalLM",
           .rope = RopeUse::None,
           .headDim = 128,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::ReluSquared,
           .ggufNormalize = true,
           .score = Routing::Score::Sigmoid,
           .groupByBestTwo = true,
           .choiceBias = true,
           .names = kNemotronHNames,
           .ggufNames = kNemotronHGgufNames,
           .layerPrefix = "backbone.layers.",
           .folder = &readNemotronH,
           .gguf = &readNemotronHGguf},
    Family{.name = "nemotron_h_moe",
           .transformer = "NemotronHForCausalLM",
           .rope = RopeUse::None,
           .headDim = 128,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::ReluSquared,
           .ggufNormalize = true,
           .score = Routing::Score::Sigmoid,
           .groupByBestTwo = true,
           .choiceBias = true,
           .names = kNemotronHNames,
           .ggufNames = kNemotronHGgufNames,
           .layerPrefix = "backbone.layers.",
           .folder = &readNemotronH,
           .gguf = &readNemotronHGguf},
};

} // namespace

std::span<const Family> nemotronHFamilies()
{
    return kNemotronHFamilies;
}

} // namespace fireside
