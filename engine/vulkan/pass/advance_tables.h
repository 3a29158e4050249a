#pragma once
#include "engine/backend/ops/advance.h"
#include "engine/vulkan/weights/vulkan_buffer.h"

#include <memory>

namespace fireside::vulkan {

/// What a pass chose, and from what. T rows, k candidates each.
struct ChosenIds
{
    std::span<const std::int32_t> chosen; // [T]
    std::span<const std::int32_t> ids;    // [T, k]
    std::span<const float> logits;        // [T, k], or empty
};

/// What advance() reads and writes beyond the pass's tables: how ids are chosen, and a ring of what
/// the last passes chose, in memory of the host. Takes its memory when it is first used, and stays
/// where it is from then on.
class AdvanceTables
{
public:
    explicit AdvanceTables(std::shared_ptr<Gpu> gpu)
        : m_gpu(std::move(gpu))
    {}
    /// For the passes to come, of so many rows; nothing may be running that reads it.
    void write(const NextIds &next, std::int64_t rows);
    /// Records the copy of what write() put into staging memory.
    void recordCopy(VkCommandBuffer commands) const;

    VkDeviceAddress state() const; // Error(Internal) before the first write()
    VkDeviceAddress results() const;
    /// How many passes the draws are enough for.
    std::int64_t passes() const { return m_passes; }
    /// What the pass-th one since write() chose; it has been waited for.
    ChosenIds chosen(std::int64_t pass, std::int64_t rows, std::int64_t k) const;

private:
    std::shared_ptr<Gpu> m_gpu;
    std::unique_ptr<Allocation> m_staging, m_state, m_results;
    std::int64_t m_passes = 0;
};

} // namespace fireside::vulkan
