#pragma once
#include "app/settings/sampling_settings.h"
#include "engine/model/recommended_sampling.h"

#include <functional>
#include <map>
#include <string_view>

// How the settings of a reply come together: the program's defaults, what the model recommends,
// what holds for all chats and what for this one; each only where it says something. Of the two
// that a person decides each has a preset and what was changed after it was chosen.
namespace fireside {

/// Some settings of a group, by key.
using SettingValues = std::map<std::string, SettingValue, std::less<>>;

/// What a person decided, for all chats or for one. A preset's values are a copy: what becomes of
/// the preset changes no chat.
struct SamplingChoice
{
    std::string preset; // its name; empty: none
    SettingValues presetValues, own;

    SamplingChoice() = default;
    /// Everything that is not the program's default.
    SamplingChoice(const SamplingSettings &settings); // NOLINT: settings are a choice
    /// What was changed before gives way to what the preset says.
    void choose(const std::string &name, const SettingValues &values);
    SettingValues values() const; // of both
    bool operator==(const SamplingChoice &) const = default;
};

enum class SamplingSource { Model, Preset, AllChats, ChatPreset, Chat };

struct SamplingLayer
{
    SamplingSource source = SamplingSource::AllChats;
    std::string name; // of the model or preset
    SettingValues values;
};
using SamplingLayers = std::vector<SamplingLayer>; // later ones win

SettingValues recommendedValues(const RecommendedSampling &recommended);
void addChoice(SamplingLayers &layers, const SamplingChoice &choice, bool ofChat);
/// `settings` with these; unknown keys, and values of another kind or out of range, are passed
/// over.
SamplingSettings with(SamplingSettings settings, const SettingValues &values);
SamplingSettings resolved(const SamplingLayers &layers);
/// The last one that has a value of this key; nullptr: the program's default counts.
const SamplingLayer *sourceOf(const SamplingLayers &layers, std::string_view key);
/// What `to` has that `from` has not.
SettingValues differences(const SamplingSettings &from, const SamplingSettings &to);

} // namespace fireside
