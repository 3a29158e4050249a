#pragma once
#include "engine/vulkan/pass/pass.h"

#include <memory>
#include <span>

namespace fireside::vulkan {

/// Brings results to the host. Small kept ones are copied within their pass into a mirror; the rest
/// takes a submission of its own.
class Readback
{
public:
    explicit Readback(std::shared_ptr<Gpu> gpu);

    /// Records the copies of a pass's kept tensors, those that are worth it.
    void record(Pass &pass, VkCommandBuffer commands);
    /// The tensor's elements, row after row. Nothing may be running. When a kept tensor had to be
    /// fetched, later recordings mirror its slot, and `pass` is worth recording anew.
    void read(const Tensor &x, Pass *pass, std::span<std::byte> bytes, bool &recordAnew);

private:
    std::shared_ptr<Gpu> m_gpu;
    std::unique_ptr<Allocation> m_mirror;
    std::unique_ptr<Allocation> m_fetched;
    std::array<bool, 8> m_wanted{}; // slots that were read although they are not tiny
};

} // namespace fireside::vulkan
