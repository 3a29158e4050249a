#pragma once
#include <optional>
#include <string>

namespace fireside {

/// What settings and the command line say of one device: "vulkan:0", "vulkan:1=8",
/// "vulkan:1=8-0.5", "cpu=-2" (its id, what Fireside may take of it, what stays free there).
struct DeviceChoice
{
    std::string id;                // of its report
    std::optional<double> limit{}; // GB; 0: the device is not used
    double reserve = 0;            // GB
    bool operator==(const DeviceChoice &) const = default;

    static constexpr double kMost = 999'999; // GB
    bool used() const { return !limit || *limit > 0; }
};

/// nullopt for what is not like that.
std::optional<DeviceChoice> parseDeviceChoice(const std::string &text);
bool isDeviceChoice(const std::string &text);
/// To a hundredth of a GB.
std::string toText(const DeviceChoice &choice);

} // namespace fireside
