#pragma once
#include "app/runtime/engine_types.h"
#include "app/settings/device_choice.h"

#include <QList>
#include <QString>

#include <string>
#include <vector>

namespace fireside {

/// A device in the list of those to use.
struct DeviceRow
{
    DeviceChoice choice; // its limit is kept while it is not used
    QString name;        // as people know it
    bool used = true;
    bool present = true; // this computer has it
    bool isCpu = false;  // always used, always last
    bool operator==(const DeviceRow &) const = default;
};

/// A setting of devices (PlacementSettings::devices) as rows: those named in their order, then the
/// computer's other graphics processors, then the CPU.
QList<DeviceRow> deviceRows(const std::vector<std::string> &setting,
                            const QList<DeviceStatus> &devices);

/// And back: nothing where all is as it would be without.
std::vector<std::string> deviceSetting(const QList<DeviceRow> &rows,
                                       const QList<DeviceStatus> &devices);

} // namespace fireside
