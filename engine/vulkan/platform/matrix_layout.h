#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace fireside::vulkan {

class LogicalDevice;
struct PhysicalDevice;

/// Whether the device has matrices of 16 × 8 × 16.
bool hasNarrowMatrix(const PhysicalDevice &device);

/// Whether the elements of such matrices lie in the threads of a subgroup as
/// shaders/common/matrix_direct.glsl counts on, in one of its orders: found out by asking the
/// device. Which of them is nobody's promise, so it is asked anew whenever a device is opened.
std::optional<std::uint32_t> matrixOrder(LogicalDevice &device);

/// For reports of what was found: the elements of some threads.
std::string matrixLayoutText(LogicalDevice &device);

} // namespace fireside::vulkan
