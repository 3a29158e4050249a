#pragma once
#include "engine/vulkan/platform/gpu.h"
#include "engine/vulkan/platform/op_times.h"

#include <cstdint>
#include <vector>

namespace fireside::vulkan {

/// Device times of the ops of one recording, from timestamps at the ops' ends. Without timestamps
/// of the device only calls and dispatches are counted. Owner of the query pool.
class OpClock
{
public:
    explicit OpClock(Gpu &gpu);
    ~OpClock();
    OpClock(const OpClock &) = delete;
    OpClock &operator=(const OpClock &) = delete;

    void reset(bool timed); // nothing recorded; untimed: calls and dispatches only
    void countCall(const char *op);
    /// Records the start of a submission.
    void start(VkCommandBuffer commands, std::size_t segment);
    /// Records the end of `dispatches` dispatches of an op in the current submission.
    void mark(VkCommandBuffer commands, const char *op, std::int64_t dispatches);

    /// After the first `segments` submissions have run: adds what each op took to `times`, and says
    /// how long each submission took (0: unknown).
    std::vector<double> collect(std::size_t segments, std::vector<OpTime> &times) const;

private:
    struct Mark
    {
        const char *op = nullptr; // null: the start of a submission
        std::size_t segment = 0;
        std::int64_t dispatches = 0;
    };
    void write(VkCommandBuffer commands, const Mark &mark);

    Gpu &m_gpu;
    bool m_timed;                        // the device has timestamps
    VkQueryPool m_pool = VK_NULL_HANDLE; // once something is recorded
    std::vector<Mark> m_marks;           // query i is the time of mark i
    std::vector<OpTime> m_calls;
    std::size_t m_segment = 0;
};

} // namespace fireside::vulkan
