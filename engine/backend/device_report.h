#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fireside {

enum class BackendKind { Auto, Cpu, Vulkan };
/// Case-insensitive; anything else is Error(BadInput) "unsupported backend 'x'".
BackendKind parseBackendKind(std::string_view word);
const char *toString(BackendKind kind); // "auto", "cpu", "vulkan"

/// One of the checks a device must pass; the first that fails is the reason.
struct DeviceCheck
{
    enum class Outcome { Passed, Failed, NotReached };
    std::string name; // "Vulkan loader"
    Outcome outcome = Outcome::NotReached;
    std::string detail;   // what was found: "libvulkan.so.1, Vulkan 1.3.239"
    std::string rawError; // the system's own words, e.g. "VK_ERROR_INCOMPATIBLE_DRIVER (-9)"
    std::string advice;   // what to do when it failed
};

/// What one device is and whether it can run a model. A rejected device stays listed with its
/// reason.
struct DeviceReport
{
    BackendKind kind = BackendKind::Cpu; // Cpu or Vulkan
    std::string id;                      // "cpu", "vulkan:0"; "vulkan" when no device was reached
    std::string name;                    // "NVIDIA H200", "AMD EPYC 9755"
    bool available = false;              // can run models
    bool software = false;               // a CPU that poses as a GPU (lavapipe, SwiftShader)
    bool unifiedMemory = false;          // shares system RAM
    std::string reason; // one sentence a person can act on; also says why it *is* usable
    std::vector<DeviceCheck> checks;          // in their order
    std::optional<std::uint64_t> memoryTotal; // bytes; of the device's own heap, or system RAM
    std::optional<std::uint64_t>
        memoryFree; // bytes usable now (VK_EXT_memory_budget where present)
    std::vector<std::pair<std::string, std::string>> properties; // shown in the details, in order
};

/// Devices of one name get a number each, "NVIDIA H200 (1)", so that a person can choose between
/// them.
void tellApart(std::vector<DeviceReport> &devices);
/// What a device is called without that.
const std::string &modelOf(const DeviceReport &device);

} // namespace fireside
