#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/families/recurrent_keys.h"
#include "engine/model/folder_keys.h"
#include "engine/model/tensor_names.h"

#include <array>
#include <cmath>

// Attention beside Mamba, in layers of their own or in the same.
namespace fireside {
namespace {

constexpr TensorForm kGateHalf{.order = &firstRows, .timesRows = 2};
constexpr TensorForm kUpHalf{.order = &secondRows, .timesRows = 2};

constexpr std::array kGraniteHybridNames{
    TensorName{"ffn_gate_inp.", "block_sparse_moe.router.layer."},
    TensorName{"ffn_gate_exps.", "block_sparse_moe.input_linear.", kGateHalf},
    TensorName{"ffn_up_exps.", "block_sparse_moe.input_linear.", kUpHalf},
    TensorName{"ffn_down_exps.", "block_sparse_moe.output_linear."},
    TensorName{"ffn_gate_shexp.", "shared_mlp.input_linear.", kGateHalf},
    TensorName{"ffn_up_shexp.", "shared_mlp.input_linear.", kUpHalf},
    TensorName{"ffn_down_shexp.", "shared_mlp.output_linear."},
    TensorName{"ffn_gate.", "shared_mlp.input_linear.", kGateHalf},
    TensorName{"ffn_up.", "shared_mlp.input_linear.", kUpHalf},
    TensorName{"ffn_down.", "shared_mlp.output_linear."},
};
float scaleOf(const JsonKeys &keys, const char *key)
{
    return static_cast<float>(keys.real(key, 1, -kMaxScale, kMaxScale));
}

/// Layers whose number leaves `offset` when divided by `period`.
bool isPeriodic(const JsonKeys &keys, const char *period, std::int64_t periodMissing,
                const char *offset, std::int64_t offsetMissing, std::int64_t layer)
{
    const std::int64_t every = keys.optional(period, periodMissing, 1, kMaxLayers);
    return layer % every == keys.optional(offset, offsetMissing, 0, kMaxLayers);
}

void readJamba(const JsonKeys &keys, Config &c)
{
    StateSpaceConfig &s = c.stateSpace;
    requireSilu(keys, "hidden_act");
    s.innerNorms = StateSpaceConfig::InnerNorms::Weighted;
    s.width = keys.optional("mamba_expand", 2, 1, 1024) * c.hidden;
    s.states = keys.optional("mamba_d_state", 16, 1, kMaxStates);
    const bool said = keys.has("mamba_dt_rank") && keys.find("mamba_dt_rank")->is_number();
    s.stepRank = said ? keys.require("mamba_dt_rank", 1, kMaxFfn) : (c.hidden + 15) / 16;
    c.taps = keys.optional("mamba_d_conv", 4, 1, kMaxTaps);
    for (std::int64_t i = 0; i < c.layers; ++i) {
        if (!isPeriodic(keys, "attn_layer_period", 8, "attn_layer_offset", 4, i))
            c.layer(i).mixer = Mixer::Mamba;
        if (!isPeriodic(keys, "expert_layer_period", 2, "expert_layer_offset", 1, i) ||
            c.experts.count == 1)
            c.layer(i).feedForward = FeedForward::Gated;
    }
}

void readJambaGguf(const GgufKeys &keys, Config &c)
{
    readStateSpaceGguf(keys, c);
    c.stateSpace.innerNorms = StateSpaceConfig::InnerNorms::Weighted;
    readRecurrentLayersGguf(keys, Mixer::Mamba, c);
    readSparseLayersGguf(keys, c);
}

void readFalconH1(const JsonKeys &keys, Config &c)
{
    requireSilu(keys, "hidden_act");
    Mamba2Keys names = kPrefixedMamba2;
    if (keys.object().contains(names.width) && !keys.has(names.width))
        names.width = nullptr;
    readMamba2(keys, names, c);
    using GatedNorm = StateSpaceConfig::GatedNorm;
    c.stateSpace.norm = !keys.flag("mamba_rms_norm", false)         ? GatedNorm::None
                        : keys.flag("mamba_norm_before_gate", true) ? GatedNorm::NormFirst
                                                                    : GatedNorm::GateFirst;
    c.stateSpace.normGroups = c.stateSpace.groups;
    c.embeddingScale = scaleOf(keys, "embedding_multiplier");
    c.logitScale = scaleOf(keys, "lm_head_multiplier");
    BranchScales &s = c.scales;
    s.attentionIn = scaleOf(keys, "attention_in_multiplier");
    s.attentionOut = scaleOf(keys, "attention_out_multiplier");
    s.scanIn = scaleOf(keys, "ssm_in_multiplier");
    s.scanOut = scaleOf(keys, "ssm_out_multiplier");
    // The keys' factor goes into the scores.
    c.attentionScale = scaleOf(keys, "key_multiplier") / std::sqrt(static_cast<float>(c.headDim));
    if (keys.has("mlp_multipliers")) {
        const auto factors = keys.reals("mlp_multipliers", 2, -kMaxScale, kMaxScale);
        s.gate = static_cast<float>(factors[0]);
        s.down = static_cast<float>(factors[1]);
    }
    if (keys.has("ssm_multipliers")) {
        const auto factors =
            keys.reals("ssm_multipliers", s.scanParts.size(), -kMaxScale, kMaxScale);
        for (std::size_t i = 0; i < factors.size(); ++i)
            s.scanParts[i] = static_cast<float>(factors[i]);
    }
}

/// The norm before the feed-forward has no suffix in converted files.
constexpr std::array kFalconH1GgufNames{
    TensorName{"ffn_norm.weight", "ffn_norm"},
    TensorName{"ffn_norm.weight", "ffn_norm.weight"},
};

/// The factors lie in the weights.
void readFalconH1Gguf(const GgufKeys &keys, Config &c)
{
    readStateSpaceGguf(keys, c);
    if (keys.gguf().findTensor("blk.0.ssm_norm.weight") == nullptr)
        c.stateSpace.norm = StateSpaceConfig::GatedNorm::None;
}

void readGraniteHybrid(const JsonKeys &keys, Config &c)
{
    requireSilu(keys, "hidden_act");
    Mamba2Keys names = kPrefixedMamba2;
    names.width = nullptr;
    readMamba2(keys, names, c);
    readMultipliers(keys, c);
    c.experts.sharedFfn = keys.optional("shared_intermediate_size", 1024, 0, kMaxFfn);
    const std::string positions = keys.text("position_embedding_type");
    if (!positions.empty() && positions != "rope" && positions != "nope")
        throwUnsupported(keys.where("position_embedding_type") +
                         ": not supported: " + fireside::quoted(positions));
    const std::vector<std::string> kinds = layerKinds(keys, c.layers);
    for (LayerConfig &l : c.each) {
        if (positions != "rope")
            l.rope = RopeUse::None;
        l.ffn = c.experts.count == 0 ? c.experts.sharedFfn : l.ffn;
        l.mixer = kinds.empty() ? Mixer::Mamba2 : l.mixer;
    }
    if (!kinds.empty())
        readMixers(keys, Mixer::Mamba2, c);
}

void readGraniteHybridGguf(const GgufKeys &keys, Config &c)
{
    readStateSpaceGguf(keys, c);
    readRecurrentLayersGguf(keys, Mixer::Mamba2, c);
    c.logitScale = 1 / static_cast<float>(keys.real("logit_scale", 1, 1e-6, kMaxScale));
    if (c.experts.count > 0)
        c.experts.score = Routing::Score::SoftmaxChosen;
    if (!keys.flag("rope.scaling.finetuned", false))
        for (LayerConfig &l : c.each)
            l.rope = RopeUse::None;
}

constexpr std::array kHybridFamilies{
    Family{.name = "jamba",
           .transformer = "JambaForCausalLM",
           .rope = RopeUse::None,
           .wideExperts = true,
           .folder = &readJamba,
           .gguf = &readJambaGguf},
    Family{.name = "falcon-h1",
           .transformer = "FalconH1ForCausalLM",
           .mixer = Mixer::AttentionAndMamba2,
           .normEps = 1e-5,
           .mixture = MixtureRule::Never,
           .ggufNames = kFalconH1GgufNames,
           .folder = &readFalconH1,
           .gguf = &readFalconH1Gguf},
    Family{.name = "granitehybrid",
           .transformer = "GraniteMoeHybridForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .wideExperts = true,
           .score = Routing::Score::SoftmaxChosen,
           .names = kGraniteHybridNames,
           .folder = &readGraniteHybrid,
           .gguf = &readGraniteHybridGguf},
};

} // namespace

std::span<const Family> hybridFamilies()
{
    return kHybridFamilies;
}

} // namespace fireside
