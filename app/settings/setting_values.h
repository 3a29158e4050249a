#pragma once
#include "app/settings/setting.h"

#include <QJsonObject>
#include <QStringList>
#include <QVariant>

#include <optional>

// Values of settings as Qt stores and shows them.
namespace fireside {

/// A text of a Setting in the language of the window.
QString translated(const char *text);

QStringList toStringList(const std::vector<std::string> &texts);
std::vector<std::string> toStrings(const QStringList &texts);

QVariant toVariant(const SettingValue &value);
/// A value of the same kind as `like`; none where it cannot be read as such.
std::optional<SettingValue> fromVariant(const QVariant &stored, const SettingValue &like);
QJsonValue toJson(const SettingValue &value);
std::optional<SettingValue> fromJson(const QJsonValue &stored, const SettingValue &like);

/// A group as it is stored with a chat and in the record of a reply.
template <typename Group>
QJsonObject toJson(const Group &group)
{
    QJsonObject json;
    for (const SettingOf<Group> &setting : Group::table())
        json[QLatin1String(setting.key)] = toJson(setting.read(group));
    return json;
}

/// Missing and mistyped members keep the value in `fallback`; numbers are brought into range.
template <typename Group>
Group groupFromJson(const QJsonObject &json, const Group &fallback = {})
{
    Group group = fallback;
    for (const SettingOf<Group> &setting : Group::table()) {
        if (const auto value = fromJson(json[QLatin1String(setting.key)], setting.read(fallback)))
            setting.write(group, *value);
    }
    return accepted(group);
}

} // namespace fireside
