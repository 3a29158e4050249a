#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/families/recurrent_keys.h"

#include <array>

namespace fireside {
namespace {

constexpr std::array kMambaNames{TensorName{"attn_norm.", "norm."}};
constexpr Mamba2Keys kMamba2Keys{"num_heads", "head_dim", "state_size", "n_groups", "conv_kernel",
                                 nullptr,     128,        64,           128,        8};

void readMamba(const JsonKeys &keys, Config &c)
{
    StateSpaceConfig &s = c.stateSpace;
    const std::int64_t expand = keys.optional("expand", 2, 1, 1024);
    requireSilu(keys, "hidden_act");
    s.width = keys.optional("intermediate_size", expand * c.hidden, 1, kMaxFfn);
    s.states = keys.optional("state_size", 16, 1, kMaxStates);
    const bool said = keys.has("time_step_rank") && keys.find("time_step_rank")->is_number();
    s.stepRank = said ? keys.require("time_step_rank", 1, kMaxFfn) : (c.hidden + 15) / 16;
    c.taps = keys.optional("conv_kernel", 4, 1, kMaxTaps);
}

void readMambaGguf(const GgufKeys &keys, Config &c)
{
    readStateSpaceGguf(keys, c);
    if (keys.flag("ssm.dt_b_c_rms", false))
        c.stateSpace.innerNorms = StateSpaceConfig::InnerNorms::Bare;
}

void readPureMamba2(const JsonKeys &keys, Config &c)
{
    requireSilu(keys, "hidden_act");
    readMamba2(keys, kMamba2Keys, c);
}

constexpr std::array kMambaFamilies{
    Family{.name = "mamba",
           .transformer = "MambaForCausalLM",
           .rope = RopeUse::None,
           .mixer = Mixer::Mamba,
           .withoutAttention = true,
           .normEps = 1e-5,
           .feedForward = FeedForward::None,
           .mixture = MixtureRule::Never,
           .names = kMambaNames,
           .layerPrefix = "backbone.layers.",
           .folder = &readMamba,
           .gguf = &readMambaGguf},
    Family{.name = "mamba2",
           .transformer = "Mamba2ForCausalLM",
           .rope = RopeUse::None,
           .mixer = Mixer::Mamba2,
           .withoutAttention = true,
           .normEps = 1e-5,
           .feedForward = FeedForward::None,
           .mixture = MixtureRule::Never,
           .names = kMambaNames,
           .layerPrefix = "backbone.layers.",
           .folder = &readPureMamba2,
           .gguf = &readStateSpaceGguf},
};

} // namespace

std::span<const Family> mambaFamilies()
{
    return kMambaFamilies;
}

} // namespace fireside
