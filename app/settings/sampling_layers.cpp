#include "app/settings/sampling_layers.h"

namespace fireside {

SamplingChoice::SamplingChoice(const SamplingSettings &settings)
    : own(differences({}, settings))
{}

void SamplingChoice::choose(const std::string &name, const SettingValues &values)
{
    preset = name;
    presetValues = values;
    for (const auto &[key, value] : values)
        own.erase(key);
}

SettingValues SamplingChoice::values() const
{
    SettingValues all = own;
    all.insert(presetValues.begin(), presetValues.end()); // where there is none yet
    return all;
}

SettingValues recommendedValues(const RecommendedSampling &r)
{
    SettingValues values;
    const auto real = [&](const char *key, const std::optional<double> &value) {
        if (value)
            values[key] = *value;
    };
    const auto whole = [&](const char *key, const std::optional<int> &value) {
        if (value)
            values[key] = std::int64_t{*value};
    };
    real("temperature", r.temperature);
    whole("topK", r.topK);
    real("topP", r.topP);
    real("minP", r.minP);
    real("typicalP", r.typicalP);
    real("repeatPenalty", r.repeatPenalty);
    whole("repeatWindow", r.repeatWindow);
    real("xtcProbability", r.xtcProbability);
    real("xtcThreshold", r.xtcThreshold);
    if (r.mirostat)
        values["mirostat"] = *r.mirostat == 0 ? std::string("off") : std::to_string(*r.mirostat);
    real("mirostatTarget", r.mirostatTarget);
    real("mirostatRate", r.mirostatRate);
    return values;
}

void addChoice(SamplingLayers &layers, const SamplingChoice &choice, bool ofChat)
{
    using enum SamplingSource;
    layers.push_back({ofChat ? ChatPreset : Preset, choice.preset, choice.presetValues});
    layers.push_back({ofChat ? Chat : AllChats, {}, choice.own});
}

SamplingSettings with(SamplingSettings settings, const SettingValues &values)
{
    for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table()) {
        const auto value = values.find(setting.key);
        if (value != values.end() && value->second.index() == setting.read(settings).index() &&
            isAccepted(setting, value->second))
            setting.write(settings, value->second);
    }
    return settings;
}

SamplingSettings resolved(const SamplingLayers &layers)
{
    SamplingSettings settings;
    for (const SamplingLayer &layer : layers)
        settings = with(std::move(settings), layer.values);
    return settings;
}

const SamplingLayer *sourceOf(const SamplingLayers &layers, std::string_view key)
{
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
        if (layer->values.contains(key))
            return &*layer;
    return nullptr;
}

SettingValues differences(const SamplingSettings &from, const SamplingSettings &to)
{
    SettingValues values;
    for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table()) {
        SettingValue value = setting.read(to);
        if (value != setting.read(from))
            values[setting.key] = std::move(value);
    }
    return values;
}

} // namespace fireside
