#include "engine/model/folder_keys.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/config_source.h"
#include "engine/model/rope_config.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace fireside {
namespace {

using nlohmann::json;

struct ActivationName
{
    std::string_view name;
    Activation activation;
};
constexpr std::array kActivations{
    ActivationName{"silu", Activation::SiLU},
    ActivationName{"swish", Activation::SiLU},
    ActivationName{"swiglu", Activation::SiLU}, // Nomic
    ActivationName{"gelu", Activation::GeluErf},
    ActivationName{"gelu_pytorch_tanh", Activation::GeluTanh},
    ActivationName{"gelu_new", Activation::GeluTanh},
    ActivationName{"gelu_fast", Activation::GeluTanh},
    ActivationName{"quick_gelu", Activation::QuickGelu},
    ActivationName{"relu", Activation::Relu},
    ActivationName{"relu2", Activation::ReluSquared},
    ActivationName{"xielu", Activation::XIelu},
};

/// The list under a key, of `layers` texts.
void checkList(const JsonKeys &keys, const char *key, const json &list, std::int64_t layers)
{
    const bool texts = list.is_array() && std::all_of(list.begin(), list.end(),
                                                      [](const json &e) { return e.is_string(); });
    if (!texts || list.size() < static_cast<std::size_t>(layers))
        throwBadInput(keys.where(key) + " is no list of " + std::to_string(layers) + " texts");
}

void readPlainOnly(const JsonKeys &keys, Config &c)
{
    const json *only = keys.find("mlp_only_layers");
    if (!only)
        return;
    if (!only->is_array())
        throwBadInput(keys.where("mlp_only_layers") + " is no list");
    for (const json &layer : *only) {
        if (!layer.is_number_unsigned() || layer.get<std::uint64_t>() >= c.each.size())
            throwBadInput(keys.where("mlp_only_layers") + " names a layer that is none of " +
                          std::to_string(c.layers));
        c.each[layer.get<std::size_t>()].feedForward = FeedForward::Gated;
    }
}

bool hasRopesByType(const JsonKeys &keys)
{
    const json *form = keys.find("rope_parameters");
    return form != nullptr && form->is_object() && form->contains("full_attention");
}

/// Of the layers with windows or of the others.
RopeSettings settingsOf(const Config &c, const Family &family, bool windowed)
{
    const auto layer = std::find_if(c.each.begin(), c.each.end(), [&](const LayerConfig &l) {
        return (l.window > 0) == windowed;
    });
    RopeSettings s;
    s.base = family.ropeBase;
    s.yarnIsLongRope = family.yarnIsLongRope;
    s.headDim = layer == c.each.end() ? c.headDim : layer->headDim;
    if (c.latent.rank > 0)
        s.headDim = c.latent.rotaryDim;
    s.contextTrained = c.contextTrained;
    return s;
}

} // namespace

const char *keyOf(const JsonKeys &keys, std::initializer_list<const char *> names)
{
    const auto it =
        std::find_if(names.begin(), names.end(), [&](const char *name) { return keys.has(name); });
    return it != names.end() ? *it : *names.begin();
}

std::int64_t sameForAll(const JsonKeys &keys, const char *key, std::int64_t low, std::int64_t high)
{
    const json *list = keys.find(key);
    if (list == nullptr || !list->is_array())
        return keys.require(key, low, high);
    const bool same = !list->empty() && std::all_of(list->begin(), list->end(), [&](const json &n) {
        return n.is_number_unsigned() && n == list->front();
    });
    if (!same)
        throwUnsupported(keys.where(key) + ": not supported: different numbers for layers");
    const auto value = list->front().get<std::uint64_t>();
    if (value < static_cast<std::uint64_t>(low) || value > static_cast<std::uint64_t>(high))
        throwBadInput(keys.where(key) + " is " + std::to_string(value) + ", expected " +
                      std::to_string(low) + " to " + std::to_string(high));
    return static_cast<std::int64_t>(value);
}

std::vector<std::string> layerTypes(const JsonKeys &keys, std::int64_t layers, const char *key)
{
    const json *list = keys.find(key);
    if (!list)
        return {};
    checkList(keys, key, *list, layers);
    std::vector<std::string> types;
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i)
        types.push_back((*list)[i].get<std::string>());
    return types;
}

std::optional<Activation> activationNamed(std::string_view name)
{
    const auto *const it = std::find_if(kActivations.begin(), kActivations.end(),
                                        [&](const ActivationName &a) { return a.name == name; });
    return it == kActivations.end() ? std::nullopt : std::optional(it->activation);
}

Activation activationOf(const JsonKeys &keys, const char *key, Activation missing)
{
    if (!keys.has(key))
        return missing;
    const std::string name = keys.text(key);
    const auto known = activationNamed(name);
    if (!known)
        throwUnsupported(keys.where(key) + ": not supported: " + fireside::quoted(name));
    return *known;
}

void readDenseLayers(const JsonKeys &keys, Config &c)
{
    const std::int64_t step = keys.optional("decoder_sparse_step", 1, 1, kMaxLayers);
    const std::int64_t first =
        keys.optional(keyOf(keys, {"first_k_dense_replace", "num_dense_layers"}), 0, 0, kMaxLayers);
    const std::vector<std::string> types = layerTypes(keys, c.layers, "mlp_layer_types");
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const bool dense = types.empty() ? i < first || (i + 1) % step != 0
                                         : types[static_cast<std::size_t>(i)] == "dense";
        if (dense)
            c.layer(i).feedForward = FeedForward::Gated;
    }
    readPlainOnly(keys, c);
}

std::vector<std::int64_t> perLayer(const JsonKeys &keys, const char *key, std::int64_t layers,
                                   std::int64_t low, std::int64_t high)
{
    const json *value = keys.find(key);
    const auto count = static_cast<std::size_t>(layers);
    if (value == nullptr || !value->is_array())
        return std::vector<std::int64_t>(count, keys.require(key, low, high));
    std::vector<std::int64_t> numbers;
    for (const json &entry : *value) {
        if (!entry.is_number_integer() || entry.get<double>() < static_cast<double>(low) ||
            entry.get<double>() > static_cast<double>(high))
            throwBadInput(keys.where(key) + " holds what is no integer from " +
                          std::to_string(low) + " to " + std::to_string(high));
        numbers.push_back(entry.get<std::int64_t>());
    }
    if (numbers.size() != count)
        throwBadInput(keys.where(key) + " has " + std::to_string(numbers.size()) + " numbers for " +
                      std::to_string(layers) + " layers");
    return numbers;
}

void readPerLayer(const JsonKeys &keys, Config &c)
{
    if (!keys.has("per_layer_config"))
        return;
    const JsonKeys layers = keys.inside("per_layer_config");
    for (const auto &[number, value] : layers.object().items()) {
        std::size_t index = c.each.size();
        std::from_chars(number.data(), number.data() + number.size(), index);
        if (std::to_string(index) != number || index >= c.each.size())
            throwBadInput(layers.where(number.c_str()) + " names a layer that is none of " +
                          std::to_string(c.layers));
        const JsonKeys own = layers.inside(number.c_str());
        LayerConfig &l = c.each[index];
        for (const auto &[key, ignored] : own.object().items())
            if (key == "head_dim")
                l.headDim = own.require("head_dim", 2, kMaxHeadDim);
            else if (key == "num_attention_heads")
                l.heads = own.require("num_attention_heads", 1, kMaxHeads);
            else if (key == "num_key_value_heads")
                l.kvHeads = own.require("num_key_value_heads", 1, kMaxHeads);
            else if (key == "intermediate_size")
                l.ffn = own.require("intermediate_size", 1, kMaxFfn);
            else
                throwUnsupported(own.where(key.c_str()) + ": not supported: of a single layer");
    }
}

void shareKv(Config &c, std::int64_t shared, const std::string &where)
{
    const std::int64_t first = c.layers - shared;
    for (std::int64_t i = first; i < c.layers; ++i) {
        const bool windowed = c.layer(i).window > 0;
        std::int64_t from = first - 1;
        while (from >= 0 && (c.layer(from).window > 0) != windowed)
            --from;
        if (from < 0)
            throwBadInput(where + " is " + std::to_string(shared) + ", which leaves layer " +
                          std::to_string(i) + " no keys and values to read");
        c.layer(i).kvFrom = from;
    }
}

void readSharedExperts(const JsonKeys &keys, Config &c)
{
    ExpertConfig &e = c.experts;
    e.scale = static_cast<float>(
        keys.real(keyOf(keys, {"routed_scaling_factor", "router_scaling_factor", "route_scale"}), 1,
                  0, kMaxScale));
    e.groups = keys.optional(keyOf(keys, {"n_group", "num_expert_group"}), 1, 1, e.count);
    e.usedGroups = keys.optional("topk_group", 1, 1, e.groups);
    e.sharedFfn = e.ffn * keys.optional(keyOf(keys, {"n_shared_experts", "num_shared_experts",
                                                     "moe_num_shared_experts"}),
                                        0, 0, kMaxExperts);
}

void readMultipliers(const JsonKeys &keys, Config &c)
{
    const auto number = [&](const char *key) {
        return static_cast<float>(keys.real(key, 1, 1e-6, kMaxScale));
    };
    c.embeddingScale = number("embedding_multiplier");
    c.residualScale = number("residual_multiplier");
    c.attentionScale = number("attention_multiplier");
    c.logitScale = 1 / number("logits_scaling");
}

void readLatent(const JsonKeys &keys, Config &c)
{
    LatentConfig &l = c.latent;
    l.queryRank = keys.optional("q_lora_rank", 0, 0, kMaxHidden);
    l.rank = keys.require("kv_lora_rank", 1, kMaxHidden);
    l.plainDim = keys.require("qk_nope_head_dim", 1, kMaxHeadDim);
    l.rotaryDim = keys.require("qk_rope_head_dim", 2, kMaxHeadDim);
    l.valueDim = keys.require("v_head_dim", 1, kMaxHeadDim);
    if (l.rotaryDim % 2 != 0)
        throwBadInput(keys.where("qk_rope_head_dim") + " is " + std::to_string(l.rotaryDim) +
                      ", expected an even number");
}

RopeSettings mainRopeSettings(const JsonKeys &keys, const Family &family, const Config &c)
{
    RopeSettings s = settingsOf(c, family, false);
    if (hasRopesByType(keys))
        readRopePart(keys.inside("rope_parameters").inside("full_attention"), keys, true, s);
    else
        readRopeSettings(keys, s);
    return s;
}

void readRopes(const JsonKeys &keys, const Family &family, Config &c)
{
    const RopePairing pairing = family.folderPairing;
    if (hasRopesByType(keys)) {
        const JsonKeys parts = keys.inside("rope_parameters");
        for (const auto &[type, value] : parts.object().items())
            if (type != "full_attention" && type != "sliding_attention" && value.is_object())
                throwUnsupported(parts.where(type.c_str()) + ": not supported: other layers");
        const auto ropeOf = [&](const char *type) {
            RopeSettings s = settingsOf(c, family, std::string_view(type) == "sliding_attention");
            readRopePart(parts.inside(type), keys, true, s);
            return makeRope(s, pairing);
        };
        c.rope = ropeOf("full_attention");
        if (parts.has("sliding_attention"))
            c.localRope = ropeOf("sliding_attention");
    } else {
        setRope(mainRopeSettings(keys, family, c), pairing, c);
        if (keys.has("rope_local_base_freq")) {
            RopeSettings local = settingsOf(c, family, true);
            local.rotary = local.headDim;
            local.base = keys.real("rope_local_base_freq", 10000, 1e-3, 1e12);
            c.localRope = makeRope(local, pairing);
        }
    }
    if (c.localRope.inverseFrequencies.empty())
        return;
    for (LayerConfig &l : c.each)
        if (l.window > 0 && l.rope == RopeUse::Main)
            l.rope = RopeUse::Local;
}

} // namespace fireside
