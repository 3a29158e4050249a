#include "app/settings/sampling_json.h"

#include "app/settings/setting_values.h"

namespace fireside {
namespace {

const QString kLayeredKey = QStringLiteral("layered"), kPresetKey = QStringLiteral("preset"),
              kPresetNameKey = QStringLiteral("name"), kPresetValuesKey = QStringLiteral("values");

} // namespace

QJsonObject toJson(const SettingValues &values)
{
    QJsonObject json;
    for (const auto &[key, value] : values)
        json[QString::fromStdString(key)] = toJson(value);
    return json;
}

SettingValues settingValuesFrom(const QJsonObject &json)
{
    const SamplingSettings defaults;
    SettingValues values;
    for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table()) {
        const QJsonValue stored = json[QLatin1String(setting.key)];
        if (stored.isUndefined())
            continue;
        const auto value = fromJson(stored, setting.read(defaults));
        if (value && isAccepted(setting, *value))
            values[setting.key] = *value;
    }
    return values;
}

QJsonObject toJson(const SamplingChoice &choice)
{
    QJsonObject json = toJson(choice.own);
    json[kLayeredKey] = true;
    if (!choice.preset.empty())
        json[kPresetKey] = QJsonObject{{kPresetNameKey, QString::fromStdString(choice.preset)},
                                       {kPresetValuesKey, toJson(choice.presetValues)}};
    return json;
}

SamplingChoice samplingChoiceFrom(const QJsonObject &json)
{
    SamplingChoice choice;
    choice.own = settingValuesFrom(json);
    if (!json[kLayeredKey].toBool())
        return SamplingChoice(with({}, choice.own));
    const QJsonObject preset = json[kPresetKey].toObject();
    choice.preset = preset[kPresetNameKey].toString().toStdString();
    if (!choice.preset.empty())
        choice.presetValues = settingValuesFrom(preset[kPresetValuesKey].toObject());
    return choice;
}

} // namespace fireside
