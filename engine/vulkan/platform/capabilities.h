#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fireside::vulkan {

struct PhysicalDevice;

// The optional features by the names that VulkanOptions::without and the build use.
inline constexpr std::string_view kCooperativeMatrix = "cooperative matrix";
inline constexpr std::string_view kIntegerDot = "integer dot";

/// What kernels choose by: properties the device reports, less what VulkanOptions::without took
/// away and what the build could not compile. Never a vendor's name.
struct Capabilities
{
    std::uint32_t subgroupSize = 32;                  // the usual one
    std::uint32_t minSubgroup = 32, maxSubgroup = 32; // a pipeline may get any of these
    bool subgroupShuffle = false;         // threads of a subgroup can read each other's values
    bool fullSubgroups = false;           // pipelines can ask for a size and for full subgroups
    std::uint32_t sharedMemory = 16384;   // bytes per group
    std::uint32_t maxWorkgroupSize = 128; // threads per group
    std::uint32_t maxWorkgroups[3] = {65535, 65535, 65535};
    std::uint32_t computeUnits = 16; // multiprocessors, where reported; else a guess
    bool alikePasses = false;        // VulkanOptions
    bool software = false;
    bool float16 = false;    // arithmetic in F16
    bool integerDot = false; // 4×8-bit dot products in hardware
    /// F16 · F16 → F32 matrices of one subgroup, KHR_cooperative_matrix; 0: none.
    std::uint32_t matrixM = 0, matrixN = 0, matrixK = 0;
    bool cooperativeMatrix() const { return matrixM > 0; }
    /// There are 16 × 8 × 16, too, and threads may put elements in by themselves: the order of
    /// shaders/common/matrix_direct.glsl in which they lie.
    std::optional<std::uint32_t> matrixOrder;
};

Capabilities capabilitiesOf(const PhysicalDevice &device, std::span<const std::string> without);
/// For the report: "basic, cooperative matrix, built without integer dot".
std::string variantsText(const PhysicalDevice &device, const Capabilities &capabilities);

} // namespace fireside::vulkan
