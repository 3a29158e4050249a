#pragma once
#include "engine/model/json_keys.h"
#include "engine/model/rope_frequencies.h"

namespace fireside {

/// The rotary settings of a config.json in both of its forms: the older rope_theta and rope_scaling
/// {"type" or "rope_type": …}, the newer rope_parameters {"rope_theta", "rope_type", …}.
/// headDim and contextTrained are set by the caller before.
void readRopeSettings(const JsonKeys &keys, RopeSettings &settings);
/// The same from one object of settings; what it lacks is taken from `keys`, where it lies.
/// scaled: it may name a scaling.
void readRopePart(const JsonKeys &part, const JsonKeys &keys, bool scaled, RopeSettings &settings);

} // namespace fireside
