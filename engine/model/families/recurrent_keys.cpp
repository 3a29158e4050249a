#include "engine/model/families/recurrent_keys.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/config_source.h"

namespace fireside {
namespace {

using nlohmann::json;

/// A number, or infinity in either of the forms that Python writes.
float limitOf(const JsonKeys &keys, const char *key, const json &value)
{
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    if (value.is_number()) {
        const bool beyond =
            value.get<double>() > static_cast<double>(std::numeric_limits<float>::max());
        return beyond ? kInfinite : value.get<float>();
    }
    const json *text =
        value.is_object() && value.contains("__float__") ? &value["__float__"] : &value;
    if (text->is_string() && text->get<std::string>() == "Infinity")
        return kInfinite;
    throwBadInput(keys.where(key) + " holds " + value.dump() + ", expected two numbers");
}

void readStepLimits(const JsonKeys &keys, Config &c)
{
    const char *const key = keyOf(keys, {"time_step_limit", "mamba_dt_limit"});
    const json *limits = keys.find(key);
    if (!limits)
        return;
    if (!limits->is_array() || limits->size() != 2)
        throwBadInput(keys.where(key) + " is not two numbers");
    c.stateSpace.stepMin = limitOf(keys, key, (*limits)[0]);
    c.stateSpace.stepMax = limitOf(keys, key, (*limits)[1]);
    if (!(c.stateSpace.stepMin <= c.stateSpace.stepMax))
        throwBadInput(keys.where(key) + " is " + limits->dump() + ", which leaves nothing");
}

} // namespace

const Mamba2Keys kPrefixedMamba2{"mamba_n_heads",
                                 "mamba_d_head",
                                 "mamba_d_state",
                                 "mamba_n_groups",
                                 "mamba_d_conv",
                                 "mamba_d_ssm",
                                 128,
                                 0,
                                 256,
                                 1};

void readMamba2(const JsonKeys &keys, const Mamba2Keys &names, Config &c)
{
    StateSpaceConfig &s = c.stateSpace;
    s.heads = keys.optional(names.heads, names.headsMissing, 1, kMaxFfn);
    s.states = keys.optional(names.states, names.statesMissing, 1, kMaxStates);
    s.groups = keys.optional(names.groups, names.groupsMissing, 1, s.heads);
    c.taps = keys.optional(names.taps, 4, 1, kMaxTaps);
    const std::int64_t expand = keys.optional(keyOf(keys, {"mamba_expand", "expand"}), 2, 1, 1024);
    const bool said = keys.has(names.headDim) && keys.find(names.headDim)->is_number();
    const std::int64_t headDim =
        said ? keys.require(names.headDim, 1, kMaxFfn) : names.headDimMissing;
    s.width = headDim > 0 ? s.heads * headDim : expand * c.hidden;
    if (names.width != nullptr)
        s.width = keys.optional(names.width, s.width, 1, kMaxFfn);
    if (s.width > kMaxFfn || s.width % s.heads != 0 ||
        (headDim > 0 && s.heads * headDim != s.width))
        throwBadInput(keys.where(names.heads) + ": a width of " + std::to_string(s.width) +
                      " does not divide into " + std::to_string(s.heads) + " heads of " +
                      std::to_string(headDim));
    readStepLimits(keys, c);
}

void readStateSpaceGguf(const GgufKeys &keys, Config &c)
{
    StateSpaceConfig &s = c.stateSpace;
    c.taps = keys.require("ssm.conv_kernel", 1, kMaxTaps);
    s.width = keys.require("ssm.inner_size", 1, kMaxFfn);
    s.states = keys.require("ssm.state_size", 1, kMaxStates);
    s.stepRank = s.heads = keys.require("ssm.time_step_rank", 1, kMaxFfn);
    s.groups = keys.optional("ssm.group_count", 1, 1, kMaxFfn);
    s.normGroups = s.groups;
}

void readRecurrentLayersGguf(const GgufKeys &keys, Mixer mixer, Config &c)
{
    const auto heads = keys.perLayer("attention.head_count_kv", c.layers, 0, kMaxHeads);
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (heads[i] == 0)
            c.each[i].mixer = mixer;
}

void readSparseLayersGguf(const GgufKeys &keys, Config &c)
{
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const std::string router = "blk." + std::to_string(i) + ".ffn_gate_inp.weight";
        c.layer(i).feedForward = c.experts.count > 0 && keys.gguf().findTensor(router) != nullptr
                                     ? FeedForward::Mixture
                                     : FeedForward::Gated;
    }
}

std::vector<std::string> layerKinds(const JsonKeys &keys, std::int64_t layers)
{
    std::vector<std::string> kinds =
        layerTypes(keys, layers, keyOf(keys, {"layer_types", "layers_block_type"}));
    for (std::string &kind : kinds) {
        if (kind == "mamba")
            kind = "linear_attention";
        if (kind == "attention")
            kind = "full_attention";
    }
    return kinds;
}

void readMixers(const JsonKeys &keys, Mixer linear, Config &c)
{
    const std::vector<std::string> kinds = layerKinds(keys, c.layers);
    const std::int64_t interval = keys.optional("full_attention_interval", 4, 1, kMaxLayers);
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const std::string kind = !kinds.empty()            ? kinds[static_cast<std::size_t>(i)]
                                 : (i + 1) % interval == 0 ? "full_attention"
                                                           : "linear_attention";
        if (kind == "linear_attention")
            c.layer(i).mixer = linear;
        else if (kind != "full_attention")
            throwUnsupported(keys.where(keyOf(keys, {"layer_types", "layers_block_type"})) +
                             ": not supported: " + fireside::quoted(kind));
    }
}

void readDelta(const JsonKeys &keys, Config &c)
{
    DeltaConfig &d = c.delta;
    c.taps = keys.optional("linear_conv_kernel_dim", 4, 1, kMaxTaps);
    d.keyHeads = keys.optional("linear_num_key_heads", 16, 1, kMaxHeads);
    d.heads = keys.optional("linear_num_value_heads", 32, 1, kMaxHeads);
    d.keyDim = keys.optional("linear_key_head_dim", 128, 1, kMaxHeadDim);
    d.valueDim = keys.optional("linear_value_head_dim", 128, 1, kMaxHeadDim);
    d.normEps = c.normEps;
}

void requireSilu(const JsonKeys &keys, const char *key)
{
    if (activationOf(keys, key, Activation::SiLU) != Activation::SiLU)
        throwUnsupported(keys.where(key) + ": not supported: " + fireside::quoted(keys.text(key)) +
                         " in a recurrent layer");
}

} // namespace fireside
