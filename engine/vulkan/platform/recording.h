#pragma once
#include "engine/vulkan/platform/op_clock.h"

#include <functional>
#include <span>
#include <vector>

namespace fireside::vulkan {

/// The command buffers of one pass: first the one that brings the pass's tables, then segments that
/// run in order. Can be submitted many times, also without waiting in between. Owner; must not be
/// reset or destroyed while it runs.
class Recording
{
public:
    explicit Recording(Gpu &gpu);
    ~Recording();
    Recording(const Recording &) = delete;
    Recording &operator=(const Recording &) = delete;

    void reset(bool timed = false); // back to no command buffers
    /// Starts the next command buffer; the first one is that of the tables.
    VkCommandBuffer begin();
    void end(); // ends the one that was begun
    bool open() const { return m_open; }
    VkCommandBuffer current() const { return m_buffers[m_used - 1]; }

    VkCommandBuffer tables() const { return m_buffers[0]; }
    std::size_t segments() const { return m_used == 0 ? 0 : m_used - 1; }
    VkCommandBuffer segment(std::size_t index) const { return m_buffers[index + 1]; }

    /// What the host does when all segments so far are done, before the next one is submitted. May
    /// throw; each run of the recording does it.
    void addHostWork(std::function<void()> work) { m_hostWork.push_back({segments(), work}); }
    /// That before a segment; null: none.
    const std::function<void()> *hostWork(std::size_t segment) const;
    bool hasHostWork() const { return !m_hostWork.empty(); }

    OpClock &clock() { return m_clock; }
    /// Whether the device turned out so slow that a submission of this takes far too long.
    bool cutTooCoarsely() const;
    std::vector<double> nominal; // of each segment: see Throughput
    double factor = 1;           // the throughput's, when this was cut into segments
    double lastSeconds = 0;      // how long the last run of a single segment took; 0: not known

private:
    Gpu &m_gpu;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    std::vector<VkCommandBuffer> m_buffers; // used ones first
    std::size_t m_used = 0;
    bool m_open = false;
    struct HostWork
    {
        std::size_t segment = 0;
        std::function<void()> work;
    };
    std::vector<HostWork> m_hostWork;
    OpClock m_clock;
};

/// Makes everything before in the queue visible to everything after: shaders, or copies too.
void fullBarrier(const LogicalDevice &device, VkCommandBuffer commands, bool copies);
/// Makes what shaders wrote visible to all that follows in the queue, and to the host.
void endBarrier(const LogicalDevice &device, VkCommandBuffer commands);
/// Makes what was copied visible to the host.
void hostBarrier(const LogicalDevice &device, VkCommandBuffer commands);

} // namespace fireside::vulkan
