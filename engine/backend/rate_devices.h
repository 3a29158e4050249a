#pragma once
#include "engine/backend/device_report.h"
#include "engine/backend/machine_rates.h"

#include <functional>
#include <span>

namespace fireside {

class SpeedStore;

/// Keeps the rates of each device that can be chosen and has none yet, as `measure` finds them.
/// Where it fails, for whatever reason, that device's stay unknown and the others get theirs;
/// loading says what is wrong with it. Error: Cancelled.
void rateDevices(std::span<const DeviceReport> devices, SpeedStore &speeds,
                 const std::function<MachineRates(const DeviceReport &)> &measure);

} // namespace fireside
