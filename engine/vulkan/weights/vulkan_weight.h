#pragma once
#include "engine/backend/memory.h"
#include "engine/tensor/planes.h"
#include "engine/vulkan/platform/api.h"
#include "shaders/quant/planes.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace fireside::vulkan {

static_assert(kPlaneStart == kPlaneAlignment);

/// The table that lies before the planes of a type whose codes are numbers of entries, as its
/// decoder in shaders/quant/ takes it; whole units of kPlaneAlignment. Empty for other types.
std::span<const std::byte> tableOf(DType type);

/// Takes rows [firstRow, firstRow + count) of a weight (its depth counts as more rows) apart into
/// planes. `out` points to where each plane's part for these rows begins. Thread-safe.
void layOut(DType type, const std::byte *rows, std::int64_t cols, std::int64_t count,
            const std::array<std::byte *, 4> &out);

class Upload; // uploader.h
class MemoryPiece;

/// A weight as planes in device memory. Vectors (one row: norms, biases) lie as F32 whatever their
/// type in the file, so that ops read them as plain numbers.
class VulkanWeight final : public Weight
{
public:
    VulkanWeight();
    ~VulkanWeight() override;

    DType storage = DType::F32;  // how it lies here
    VkDeviceAddress address = 0; // of the table or the first plane
    std::int64_t groups = 0;     // of 32 elements, all rows and depths together
    std::shared_ptr<MemoryPiece> memory;
    std::shared_ptr<Upload> upload; // how its contents come; ended when the weight goes

    WeightRef ref() const { return {address, static_cast<std::uint32_t>(groups)}; }
    std::uint32_t groupsPerRow() const
    {
        return static_cast<std::uint32_t>(groups / (rows * depth));
    }
};

/// Error(Internal) naming the tensor when it is not on a Vulkan device.
const VulkanWeight &asVulkan(const Weight &weight);

} // namespace fireside::vulkan
