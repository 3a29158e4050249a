#include "app/settings/setting_values.h"

#include <QCoreApplication>
#include <QJsonArray>

namespace fireside {
namespace {

template <typename... Visitors>
struct Overloaded : Visitors...
{
    using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

} // namespace

QString translated(const char *text)
{
    return *text ? QCoreApplication::translate(Settings::kContext, text) : QString();
}

QStringList toStringList(const std::vector<std::string> &texts)
{
    QStringList list;
    for (const std::string &text : texts)
        list.append(QString::fromStdString(text));
    return list;
}

std::vector<std::string> toStrings(const QStringList &texts)
{
    std::vector<std::string> list;
    for (const QString &text : texts)
        list.push_back(text.toStdString());
    return list;
}

QVariant toVariant(const SettingValue &value)
{
    return std::visit(
        Overloaded{
            [](std::int64_t number) -> QVariant { return static_cast<qlonglong>(number); },
            [](const std::string &text) -> QVariant { return QString::fromStdString(text); },
            [](const std::vector<std::string> &list) -> QVariant { return toStringList(list); },
            [](auto plain) -> QVariant { return plain; }},
        value);
}

std::optional<SettingValue> fromVariant(const QVariant &stored, const SettingValue &like)
{
    if (!stored.isValid())
        return std::nullopt;
    bool ok = true;
    const SettingValue value = std::visit(
        Overloaded{
            [&](bool) -> SettingValue {
                const QString word = stored.toString();
                ok = word == QLatin1String("true") || word == QLatin1String("false");
                return word == QLatin1String("true");
            },
            [&](std::int64_t) -> SettingValue { return std::int64_t{stored.toLongLong(&ok)}; },
            [&](double) -> SettingValue { return stored.toDouble(&ok); },
            [&](const std::string &) -> SettingValue { return stored.toString().toStdString(); },
            [&](const std::vector<std::string> &) -> SettingValue {
                return toStrings(stored.toStringList());
            }},
        like);
    return ok ? std::optional(value) : std::nullopt;
}

QJsonValue toJson(const SettingValue &value)
{
    return std::visit(
        Overloaded{
            [](std::int64_t number) -> QJsonValue { return static_cast<qint64>(number); },
            [](const std::string &text) -> QJsonValue { return QString::fromStdString(text); },
            [](const std::vector<std::string> &list) -> QJsonValue {
                return QJsonArray::fromStringList(toStringList(list));
            },
            [](auto plain) -> QJsonValue { return plain; }},
        value);
}

std::optional<SettingValue> fromJson(const QJsonValue &stored, const SettingValue &like)
{
    return std::visit(
        Overloaded{[&](bool) -> std::optional<SettingValue> {
                       return stored.isBool() ? std::optional<SettingValue>(stored.toBool())
                                              : std::nullopt;
                   },
                   [&](std::int64_t old) -> std::optional<SettingValue> {
                       return std::int64_t{
                           stored.toInteger(old)}; // what is no whole number is mistyped
                   },
                   [&](double old) -> std::optional<SettingValue> { return stored.toDouble(old); },
                   [&](const std::string &) -> std::optional<SettingValue> {
                       return stored.isString()
                                  ? std::optional<SettingValue>(stored.toString().toStdString())
                                  : std::nullopt;
                   },
                   [&](const std::vector<std::string> &) -> std::optional<SettingValue> {
                       if (!stored.isArray())
                           return std::nullopt;
                       std::vector<std::string> list;
                       for (const QJsonValue &text : stored.toArray())
                           list.push_back(text.toString().toStdString());
                       return list;
                   }},
        like);
}

} // namespace fireside
