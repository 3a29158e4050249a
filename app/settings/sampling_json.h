#pragma once
#include "app/settings/sampling_layers.h"

#include <QJsonObject>

// Choices of sampling as they are stored.
namespace fireside {

QJsonObject toJson(const SettingValues &values);
/// Unknown keys and what is not accepted are left out.
SettingValues settingValuesFrom(const QJsonObject &json);

/// What was changed by its keys, and the preset beside it.
QJsonObject toJson(const SamplingChoice &choice);
/// Also of chats from before choices were kept apart, which hold every setting: there only what is
/// not the default was chosen.
SamplingChoice samplingChoiceFrom(const QJsonObject &json);

} // namespace fireside
