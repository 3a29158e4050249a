#include "engine/model/unread_settings.h"

#include "engine/core/error.h"
#include "engine/model/config.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/json_keys.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace fireside {
namespace {

using nlohmann::json;
using Words = std::span<const std::string_view>;

/// Beginnings of the words of keys that change what a model computes.
constexpr std::array<std::string_view, 23> kChanging{
    "rope",  "rotary", "mrope", "yarn",    "ntk",    "attn",       "attention",  "scal",
    "limit", "clip",   "clamp", "softcap", "window", "slid",       "swa",        "alibi",
    "theta", "qk",     "logit", "sink",    "mscale", "multiplier", "temperature"};
/// Words of keys that concern training, or how another program computes the same.
constexpr std::array<std::string_view, 20> kOfTraining{
    "dropout", "drop", "pdrop", "prob",   "init",           "initializer", "loss",
    "aux",     "keep", "flash", "kernel", "implementation", "autoset",     "bias",
    "output",  "fuse", "fused", "fusion", "gradient",       "fp32"};
/// Keys of config.json that say what the family or another key says already, or that concern
/// longer texts than the model was trained for.
constexpr std::array<std::string_view, 42> kSaidElsewhere{"_sliding_window_pattern",
                                                          "apply_query_key_layer_scaling",
                                                          "attention_head_dim",
                                                          "attn_config",
                                                          "attn_impl",
                                                          "block_norm_eps",
                                                          "cla_share_factor",
                                                          "full_attention_interval",
                                                          "full_attn_idxs",
                                                          "full_attn_mod",
                                                          "global_attn_every_n_layers",
                                                          "kv_channels",
                                                          "layer_norm_elementwise_affine",
                                                          "layer_norm_eps",
                                                          "layer_norm_epsilon",
                                                          "layernorm_epsilon",
                                                          "mamba_norm_before_gate",
                                                          "max_window_layers",
                                                          "moe_norm_min",
                                                          "multi_query_attention",
                                                          "norm_before_gate",
                                                          "norm_eps",
                                                          "norm_epsilon",
                                                          "original_rope",
                                                          "parallel_attn",
                                                          "post_layer_norm",
                                                          "qk_head_dim",
                                                          "qk_norm_type",
                                                          "reorder_and_upcast_attn",
                                                          "rescale_prenorm_residual",
                                                          "rms_norm",
                                                          "rms_norm_eps",
                                                          "rmsnorm",
                                                          "rope_local_base_freq",
                                                          "rope_scaling",
                                                          "scale_attn_weights",
                                                          "sliding_window_pattern",
                                                          "sliding_window_size",
                                                          "use_dynamic_ntk",
                                                          "use_logn_attn",
                                                          "use_rmsnorm",
                                                          "use_rotary_pos_emb"};
constexpr std::array<std::string_view, 3> kUnusedFlags{"use_sliding_window", "use_cla",
                                                       "use_mrope"};
/// Words that name what all families of the engine do.
constexpr std::array<std::string_view, 8> kUsualForms{
    "layernorm", "layer_norm", "low_precision_layernorm", "rms", "rmsnorm",
    "rms_norm",  "torch",      "multihead_attention"};
/// Whether heads of queries and keys are normed, which the family knows.
constexpr std::array<std::string_view, 4> kHeadNorms{"qk_norm", "use_qk_norm", "qk_layernorm",
                                                     "use_qk_layernorm"};
/// Of a rotary embedding: each of its types reads its own, and `mrope_…` concerns pictures.
constexpr std::array<std::string_view, 17> kOfRope{"attention_factor",
                                                   "beta_fast",
                                                   "beta_slow",
                                                   "factor",
                                                   "finetuned",
                                                   "high_freq_factor",
                                                   "long_factor",
                                                   "low_freq_factor",
                                                   "mrope_interleaved",
                                                   "mrope_section",
                                                   "mscale",
                                                   "mscale_all_dim",
                                                   "original_max_position_embeddings",
                                                   "rope_type",
                                                   "short_factor",
                                                   "truncate",
                                                   "type"};

/// What GGUF files hold that changes results though its words do not say so.
constexpr std::array<std::string_view, 6> kChangingGguf{
    "swiglu_clamp_exp",   "swiglu_clamp_shexp",        "moe_latent_size",
    "moe_every_n_layers", "interleave_moe_layer_step", "hyper_connection.count"};
constexpr std::array<std::string_view, 14> kSaidElsewhereGguf{
    "attention.layer_norm_epsilon",
    "attention.layer_norm_rms_epsilon",
    "attention.sliding_window_pattern",
    "attention.value_length_swa",
    "full_attention_interval",
    "rope.dimension_sections",
    "rope.mrope_section",
    "rope.scaling.finetuned",
    "rope.scaling.original_context_length",
    "rope.scaling.yarn_attn_factor",
    "rope.scaling.yarn_beta_fast",
    "rope.scaling.yarn_beta_slow",
    "rope.scaling.yarn_ext_factor",
    "rope.scaling.yarn_log_multiplier"};
/// What reads pictures or sound, in files that hold a whole model with several kinds of input.
constexpr std::array<std::string_view, 5> kOtherInputKeys{"vision.", "audio.", "mm.", "clip.",
                                                          "projector."};

bool isAny(std::string_view word, Words words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool beginsWithAny(std::string_view word, Words words)
{
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view begin) { return word.starts_with(begin); });
}

/// Whether the key belongs to a kind that changes results.
bool changesResults(std::string_view key)
{
    bool changes = false;
    while (!key.empty()) {
        const std::size_t end = std::min(key.find_first_of("._"), key.size());
        const std::string_view word = key.substr(0, end);
        key.remove_prefix(std::min(end + 1, key.size()));
        if (isAny(word, kOfTraining))
            return false;
        changes = changes || word.find("norm") != std::string_view::npos ||
                  beginsWithAny(word, kChanging);
    }
    return changes;
}

bool usesRope(const Config &c)
{
    return std::any_of(c.each.begin(), c.each.end(), [](const LayerConfig &l) {
        const bool attends = l.mixer == Mixer::Attention || l.mixer == Mixer::Latent ||
                             l.mixer == Mixer::AttentionAndMamba2;
        return attends && l.rope != RopeUse::None;
    });
}

std::int64_t rotaryOf(const Config &c)
{
    return static_cast<std::int64_t>(2 * c.rope.inverseFrequencies.size());
}

bool isOfPositions(std::string_view key)
{
    return key.find("rope") != std::string_view::npos ||
           key.find("rotary") != std::string_view::npos ||
           key.find("theta") != std::string_view::npos;
}

/// Values with which a setting changes nothing.
bool isNeutral(const json &value)
{
    if (value.is_boolean())
        return !value.get<bool>();
    if (value.is_number())
        return value.get<double>() == 0 || value.get<double>() == 1;
    if (value.is_string())
        return value.get<std::string>().empty() || isAny(value.get<std::string>(), kUsualForms);
    if (value.is_array())
        return std::all_of(value.begin(), value.end(), isNeutral);
    return value.empty(); // null, {}
}

/// A window that no layer has, or that is as long as the context.
bool coversContext(const JsonKeys &keys, const json &value, const Config &c)
{
    const json *types = keys.find("layer_types");
    if (types != nullptr && types->is_array() &&
        std::find(types->begin(), types->end(), "sliding_attention") == types->end())
        return true;
    const json *on = keys.find("use_sliding_window");
    if (on != nullptr && *on == false)
        return true;
    return value.is_number() && value.get<double>() >= static_cast<double>(c.contextTrained);
}

bool isHarmless(const JsonKeys &keys, const std::string &key, const json &value, const Config &c)
{
    if (!changesResults(key) || isNeutral(value) || isAny(key, kSaidElsewhere) ||
        isAny(key, kUnusedFlags))
        return true;
    // textConfig() copies what lies in parts.
    for (const char *part : {"attn_config.", "ffn_config."})
        if (keys.wasRead(part + key))
            return true;
    if (isAny(key, kHeadNorms))
        return value == (c.headNorm != HeadNorm::None);
    if (key == "sliding_window")
        return coversContext(keys, value, c);
    if (key == "rotary_dim")
        return value == rotaryOf(c);
    if (key == "query_pre_attn_scalar") // Gemma 3n and 4 have it, and do not use it
        return c.architecture.starts_with("gemma");
    return isOfPositions(key) && !usesRope(c);
}

[[noreturn]] void refuse(const JsonKeys &keys, const std::string &key, const json &value)
{
    constexpr std::size_t kMaxShown = 60;
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > kMaxShown)
        text = text.substr(0, kMaxShown) + "…";
    throwUnsupported(keys.where(key.c_str()) + ": not supported by this architecture: " + text);
}

void refuseUnreadRope(const JsonKeys &rope)
{
    for (const auto &[key, value] : rope.object().items())
        if (value.is_object())
            refuseUnreadRope(rope.inside(key.c_str()));
        else if (!rope.wasRead(key) && !isNeutral(value) && !isAny(key, kOfRope))
            refuse(rope, key, value);
}

/// The keys of GGUF files whose value says what holds anyway.
bool isHarmless(const GgufKeys &keys, const std::string &key, const Config &c)
{
    const bool changes = changesResults(key) || isAny(key, kChangingGguf);
    if (!changes || isAny(key, kSaidElsewhereGguf) || beginsWithAny(key, kOtherInputKeys))
        return true;
    if (key.starts_with("expert_") && c.experts.count == 0)
        return true;
    if (isOfPositions(key) && !usesRope(c))
        return true;
    if (key == "attention.causal")
        return keys.flag("attention.causal", true) != c.encoder;
    if (key == "attention.sliding_window")
        return keys.real("attention.sliding_window", 0, 0, 1e18) >=
               static_cast<double>(c.contextTrained);
    if (key == "rope.freq_base_swa")
        return keys.real("rope.freq_base_swa", 0, 0, 1e12) ==
               keys.real("rope.freq_base", 10000, 0, 1e12);
    const GgufValue *value = keys.gguf().find(keys.prefix() + key);
    const auto is = [&](double number) {
        const auto *real = std::get_if<double>(value);
        const auto *natural = std::get_if<std::uint64_t>(value);
        const auto *whole = std::get_if<std::int64_t>(value);
        return (real && *real == number) || (natural && static_cast<double>(*natural) == number) ||
               (whole && static_cast<double>(*whole) == number);
    };
    const auto *flag = std::get_if<bool>(value);
    return is(0) || (is(1) && !isAny(key, kChangingGguf)) || (flag && !*flag);
}

} // namespace

void refuseUnreadSettings(const JsonKeys &keys, const Config &config)
{
    for (const auto &[key, value] : keys.object().items())
        if (!keys.wasRead(key) && !isHarmless(keys, key, value, config))
            refuse(keys, key, value);
    if (!usesRope(config))
        return;
    for (const char *rope : {"rope_parameters", "rope_scaling"})
        if (const json *part = keys.find(rope); part != nullptr && part->is_object()) {
            refuseUnreadRope(keys.inside(rope));
            return; // the second is not read beside the first
        }
}

void refuseUnreadSettings(const GgufKeys &keys, const Config &config)
{
    for (const auto &[name, value] : keys.gguf().metadata()) {
        if (!name.starts_with(keys.prefix()))
            continue;
        const std::string key(name.substr(keys.prefix().size()));
        if (!keys.wasRead(key) && !isHarmless(keys, key, config))
            throwUnsupported(keys.where(key.c_str()) + ": not supported by this architecture");
    }
}

} // namespace fireside
