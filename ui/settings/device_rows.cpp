#include "ui/settings/device_rows.h"

#include <algorithm>

namespace fireside {
namespace {

bool isOffered(const DeviceStatus &device)
{
    return device.kind == QLatin1String("cpu") || device.available;
}

bool isBounded(const DeviceRow &row)
{
    return row.choice.limit.has_value() || row.choice.reserve > 0;
}

const DeviceStatus *find(const QList<DeviceStatus> &devices, const std::string &id)
{
    const auto it = std::find_if(devices.begin(), devices.end(), [&](const DeviceStatus &device) {
        return device.id.toStdString() == id;
    });
    return it == devices.end() ? nullptr : &*it;
}

DeviceRow rowOf(const DeviceChoice &choice, const DeviceStatus *device)
{
    DeviceRow row{.choice = choice,
                  .name = device ? device->name : QString::fromStdString(choice.id),
                  .used = choice.used(),
                  .present = device != nullptr && isOffered(*device),
                  .isCpu = choice.id == "cpu"};
    if (row.isCpu)
        row.used = true;
    else if (!row.used)
        row.choice.limit.reset();
    return row;
}

} // namespace

QList<DeviceRow> deviceRows(const std::vector<std::string> &setting,
                            const QList<DeviceStatus> &devices)
{
    QList<DeviceRow> rows;
    const auto known = [&](const std::string &id) {
        return std::any_of(rows.begin(), rows.end(),
                           [&](const DeviceRow &row) { return row.choice.id == id; });
    };
    for (const std::string &text : setting) {
        const std::optional<DeviceChoice> choice = parseDeviceChoice(text);
        if (choice && !known(choice->id))
            rows.append(rowOf(*choice, find(devices, choice->id)));
    }
    const bool named = std::any_of(rows.begin(), rows.end(),
                                   [](const DeviceRow &row) { return !row.isCpu && row.used; });
    for (const DeviceStatus &device : devices) {
        const DeviceChoice choice{.id = device.id.toStdString()};
        if (!isOffered(device) || known(choice.id))
            continue;
        rows.append(rowOf(choice, &device));
        rows.last().used = rows.last().isCpu || !named;
    }
    std::stable_partition(rows.begin(), rows.end(),
                          [](const DeviceRow &row) { return !row.isCpu; });
    return rows;
}

std::vector<std::string> deviceSetting(const QList<DeviceRow> &rows,
                                       const QList<DeviceStatus> &devices)
{
    // Without a setting all are used, as the computer lists them.
    QList<DeviceRow> plain = deviceRows({}, devices);
    const bool asItIs =
        std::equal(rows.begin(), rows.end(), plain.begin(), plain.end(),
                   [](const DeviceRow &a, const DeviceRow &b) {
                       return a.choice.id == b.choice.id && (a.isCpu || (a.used && !isBounded(a)));
                   });
    std::vector<std::string> setting;
    for (const DeviceRow &row : rows) {
        if (row.isCpu ? !isBounded(row) : asItIs)
            continue;
        setting.push_back(row.used ? toText(row.choice)
                                   : toText({.id = row.choice.id, .limit = 0}));
    }
    return setting;
}

} // namespace fireside
