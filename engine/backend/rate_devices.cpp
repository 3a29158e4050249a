#include "engine/backend/rate_devices.h"

#include "engine/backend/speed_store.h"
#include "engine/core/error.h"

#include <exception>

namespace fireside {

void rateDevices(std::span<const DeviceReport> devices, SpeedStore &speeds,
                 const std::function<MachineRates(const DeviceReport &)> &measure)
{
    for (const DeviceReport &report : devices) {
        if (!report.available || report.software || speeds.rates(report))
            continue;
        try {
            speeds.setRates(report, measure(report));
        } catch (const Error &error) {
            if (error.kind() == ErrorKind::Cancelled)
                throw;
        } catch (const std::exception &) { // no memory, no thread: says nothing of the others
        }
    }
}

} // namespace fireside
