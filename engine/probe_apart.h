#pragma once
#include "engine/backend/device_report.h"

#include <chrono>
#include <filesystem>
#include <vector>

// Graphics drivers run inside of the program that uses them, and can crash or hang when they are
// first touched. So drivers that this computer has not shown to be safe are probed in a process of
// their own.
namespace fireside {

struct ApartProbe
{
    /// A program whose main() asks serveProbe() first; by default the running one.
    std::filesystem::path program = "/proc/self/exe";
    /// Where it is remembered which drivers were probed safely, which costs nothing the next time;
    /// empty: nowhere.
    std::filesystem::path cacheFolder{};
    std::chrono::milliseconds limit{20000}; // for all devices together
};

/// The CPU first, then what probeVulkan() says. Where the driver ended or held up the other
/// process, one unavailable report with the reason. Never throws for a driver's sake.
std::vector<DeviceReport> probeDevices(const ApartProbe &how);

/// In the other process, before anything else: probes, says what it found, and returns true, after
/// which main() is to end. False: this process was not started to probe.
bool serveProbe(int argc, char **argv);

/// What drivers there are, as far as it can be told without touching one: changes whenever one is
/// installed, updated or chosen by the environment.
std::string driverFingerprint();

} // namespace fireside
