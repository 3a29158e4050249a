#pragma once
#include "engine/model/config.h"
#include "engine/model/family.h"
#include "engine/model/json_keys.h"
#include "engine/model/rope_frequencies.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the readers of config.json share: keys that several classes write, in their different words.
namespace fireside {

/// The object that describes the text model: the whole, or of a model with other kinds of input as
/// well its part, to which some of the whole's keys apply. With the family's word for what is
/// missing.
nlohmann::json textConfig(const nlohmann::json &whole, std::string_view defaults);

/// The first of several names that is there; the first of all where none is.
const char *keyOf(const JsonKeys &keys, std::initializer_list<const char *> names);

/// An integer, or a list with the same one for every layer.
std::int64_t sameForAll(const JsonKeys &keys, const char *key, std::int64_t low, std::int64_t high);

/// Of `layer_types` one for each layer; empty where there is no such list.
std::vector<std::string> layerTypes(const JsonKeys &keys, std::int64_t layers,
                                    const char *key = "layer_types");

/// An activation by its name in transformers; nullopt: not known.
std::optional<Activation> activationNamed(std::string_view name);
/// The same under a key.
Activation activationOf(const JsonKeys &keys, const char *key, Activation missing);

/// Layers that `mlp_layer_types`, `first_k_dense_replace`, `decoder_sparse_step` or
/// `mlp_only_layers` say to have a plain feed-forward instead of a mixture.
void readDenseLayers(const JsonKeys &keys, Config &config);

/// An integer for all layers, or a list with one for each.
std::vector<std::int64_t> perLayer(const JsonKeys &keys, const char *key, std::int64_t layers,
                                   std::int64_t low, std::int64_t high);

/// What `per_layer_config` says of single layers, each under its number: sizes of heads and of the
/// feed-forward.
void readPerLayer(const JsonKeys &keys, Config &config);

/// The last `num_kv_shared_layers` layers read the keys and values of the last layer of their kind
/// before them, with a window or without.
void shareKv(Config &config, std::int64_t shared, const std::string &where);

/// What DeepSeek V3 and its followers write of their mixture: groups, scale, shared experts.
void readSharedExperts(const JsonKeys &keys, Config &config);

/// Granite's multipliers of embedding, residuals, scores and logits.
void readMultipliers(const JsonKeys &keys, Config &config);

/// DeepSeek's multi-head latent attention.
void readLatent(const JsonKeys &keys, Config &config);

/// The rotary embedding, or one for the layers with windows and one for the others, where
/// `rope_parameters` has one for each kind of `layer_types` or there is a base for local layers.
/// The settings of the rotary embedding of layers without windows.
RopeSettings mainRopeSettings(const JsonKeys &keys, const Family &family, const Config &config);
void readRopes(const JsonKeys &keys, const Family &family, Config &config);

} // namespace fireside
