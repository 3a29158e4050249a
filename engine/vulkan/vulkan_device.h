#pragma once
#include "engine/vulkan/platform/gpu.h"
#include "engine/vulkan/weights/uploader.h"

namespace fireside::vulkan {

/// A GPU as a device: weights and caches in its memory, passes in its queue.
class VulkanDevice final : public Device
{
public:
    VulkanDevice(std::shared_ptr<Gpu> gpu, DeviceReport report);
    ~VulkanDevice() override;

    const DeviceReport &report() const override { return m_report; }
    std::unique_ptr<Buffer> allocate(std::size_t bytes, std::string_view what,
                                     MemoryPurpose purpose) override;
    std::vector<std::unique_ptr<Buffer>> allocateAll(std::span<const std::size_t> bytes,
                                                     std::string_view what,
                                                     MemoryPurpose purpose) override;
    std::unique_ptr<Weight> addWeight(const WeightSource &source) override;
    void finishWeights(std::stop_token stop) override;
    void copy(const Buffer &from, std::size_t fromOffset, Buffer &to, std::size_t toOffset,
              std::size_t bytes) override;
    void copy(std::span<const BufferCopy> copies) override;
    void read(std::span<const BufferRead> parts) override;
    void write(std::span<const BufferWrite> parts) override;
    void zero(std::span<Buffer *const> buffers) override;
    std::unique_ptr<Commands> commands(std::size_t scratchBytes, std::int64_t maxRows) override;
    bool supports(DType weightType) const override;
    bool mayExpandLatent() const override;
    DeviceMemory memoryNow() const override { return m_gpu->memory.now(); }

private:
    std::shared_ptr<Gpu> m_gpu;
    DeviceReport m_report;
    WeightBlocks m_blocks;
    Uploader m_uploader;
};

/// Whether matrices of this type can be used: the build has the shader that multiplies them.
bool weightSupported(DType type);

} // namespace fireside::vulkan
