#include "engine/core/error.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/tensor_names.h"

#include <array>

namespace fireside {
namespace {

constexpr std::array kPhiNames{
    TensorName{"output_norm.", "model.final_layernorm."},
    TensorName{"attn_output.", "self_attn.dense."},
    TensorName{"attn_q_norm.", "self_attn.q_layernorm."},
    TensorName{"attn_k_norm.", "self_attn.k_layernorm."},
    TensorName{"ffn_up.", "mlp.fc1."},
    TensorName{"ffn_down.", "mlp.fc2."},
};
/// Gate and up are one matrix in GGUF files as well.
constexpr std::array kGateAboveUp{
    TensorName{"ffn_gate.", "ffn_up.", {.order = &firstRows, .timesRows = 2}},
    TensorName{"ffn_up.", "ffn_up.", {.order = &secondRows, .timesRows = 2}},
};

void readPhi(const JsonKeys &keys, Config &c)
{
    c.attentionBias = true;
    c.ffnBias = true;
    if (keys.flag("qk_layernorm", false))
        c.headNorm = HeadNorm::Each;
}

void readPhiMoe(const JsonKeys &keys, Config &c)
{
    c.experts.score = Routing::Score::SparseMixer;
    c.experts.jitter = static_cast<float>(keys.real("router_jitter_noise", 0.01, 0, 1));
}

/// The usual converter leaves out the mixer's threshold, which all released models have alike.
void readPhiMoeGguf(const GgufKeys &keys, Config &c)
{
    requireGating(keys, c, Routing::Score::SoftmaxAll);
    c.experts.score = Routing::Score::SparseMixer;
    c.experts.jitter = static_cast<float>(keys.real("router_jitter_noise", 0.01, 0, 1));
}

constexpr std::array kPhiFamilies{
    Family{.name = "phi2",
           .transformer = "PhiForCausalLM",
           .norm = NormKind::Layer,
           .normPlaces = NormPlaces::Parallel,
           .normEps = 1e-5,
           .feedForward = FeedForward::Plain,
           .activation = Activation::GeluTanh,
           .mixture = MixtureRule::Never,
           .names = kPhiNames,
           .folder = &readPhi},
    Family{.name = "phi3",
           .transformer = "Phi3ForCausalLM",
           .yarnIsLongRope = true,
           .normEps = 1e-5,
           .window = WindowRule::Always,
           .mixture = MixtureRule::Never,
           .ggufNames = kGateAboveUp},
    Family{.name = "phimoe",
           .transformer = "PhimoeForCausalLM",
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .window = WindowRule::Always,
           .mixture = MixtureRule::Always,
           .wideExperts = true,
           .folder = &readPhiMoe,
           .gguf = &readPhiMoeGguf},
};

} // namespace

std::span<const Family> phiFamilies()
{
    return kPhiFamilies;
}

} // namespace fireside
