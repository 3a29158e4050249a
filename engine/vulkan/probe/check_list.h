#pragma once
#include "engine/backend/device_report.h"

#include <string_view>

namespace fireside::vulkan {

// Names of the checks that every device shares; the requirements stand between Device and SelfTest.
namespace check_name {
inline constexpr std::string_view kBuilt = "Built with Vulkan";
inline constexpr std::string_view kLoader = "Vulkan loader";
inline constexpr std::string_view kInstance = "Vulkan 1.2";
inline constexpr std::string_view kAddressSpace = "Address space";
inline constexpr std::string_view kDriver = "Driver";
inline constexpr std::string_view kDevice = "Device";
inline constexpr std::string_view kSelfTest = "Self-test";
inline constexpr std::string_view kKernels = "Model kernels";
} // namespace check_name

/// The checks of one device, top check first; those not judged stay NotReached.
class CheckList
{
public:
    CheckList(); // every check, none reached

    void pass(std::string_view name, std::string detail);
    void fail(std::string_view name, std::string detail, std::string rawError, std::string advice);

    const DeviceCheck *firstFailure() const; // nullptr when nothing failed
    /// The first failure as a sentence: what was found, the raw error in brackets, what to do.
    std::string reason() const;
    const std::vector<DeviceCheck> &checks() const { return m_checks; }

private:
    DeviceCheck &find(std::string_view name);
    std::vector<DeviceCheck> m_checks;
};

} // namespace fireside::vulkan
