#pragma once
#include "engine/backend/backend.h"
#include "engine/vulkan/platform/gpu.h"

#include <span>

namespace fireside::vulkan {

/// Parts of a GPU's buffers to the host and back, through memory that both reach, a piece at a
/// time. Complete on return. Error(Internal) where a part lies outside of its buffer.
void readBuffers(const std::shared_ptr<Gpu> &gpu, std::span<const BufferRead> parts);
void writeBuffers(const std::shared_ptr<Gpu> &gpu, std::span<const BufferWrite> parts);

} // namespace fireside::vulkan
