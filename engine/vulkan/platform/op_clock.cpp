#include "engine/vulkan/platform/op_clock.h"

#include "engine/vulkan/platform/result.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

constexpr std::uint32_t kQueries = 4096; // later marks of a recording are not timed
constexpr std::uint32_t kReset = 128;    // so many at once

} // namespace

OpClock::OpClock(Gpu &gpu)
    : m_gpu(gpu)
{}

OpClock::~OpClock()
{
    if (!m_gpu.device.abandoned())
        m_gpu.device.functions().DestroyQueryPool(m_gpu.device.handle(), m_pool, nullptr);
}

void OpClock::reset(bool timed)
{
    const PhysicalDevice &physical = m_gpu.device.physical();
    m_timed = timed && physical.timestampBits > 0 && physical.properties.limits.timestampPeriod > 0;
    m_marks.clear();
    m_calls.clear();
}

void OpClock::countCall(const char *op)
{
    ++timeOf(m_calls, op).calls;
}

void OpClock::write(VkCommandBuffer commands, const Mark &mark)
{
    const auto query = static_cast<std::uint32_t>(m_marks.size());
    if (m_timed && query < kQueries) {
        const DeviceFunctions &vk = m_gpu.device.functions();
        if (m_pool == VK_NULL_HANDLE) {
            VkQueryPoolCreateInfo info{};
            info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
            info.queryType = VK_QUERY_TYPE_TIMESTAMP;
            info.queryCount = kQueries;
            check("vkCreateQueryPool",
                  vk.CreateQueryPool(m_gpu.device.handle(), &info, nullptr, &m_pool));
        }
        if (query % kReset == 0)
            vk.CmdResetQueryPool(commands, m_pool, query, kReset);
        vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, m_pool, query);
    }
    m_marks.push_back(mark);
}

void OpClock::start(VkCommandBuffer commands, std::size_t segment)
{
    m_segment = segment;
    write(commands, {nullptr, segment, 0});
}

void OpClock::mark(VkCommandBuffer commands, const char *op, std::int64_t dispatches)
{
    write(commands, {op, m_segment, dispatches});
}

std::vector<double> OpClock::collect(std::size_t segments, std::vector<OpTime> &times) const
{
    for (const OpTime &call : m_calls)
        timeOf(times, call.op).calls += call.calls;
    std::size_t count = 0;
    while (count < m_marks.size() && m_marks[count].segment < segments)
        ++count;
    const std::size_t timed = std::min<std::size_t>(count, kQueries);
    std::vector<std::uint64_t> stamps(m_timed && m_pool != VK_NULL_HANDLE ? timed : 0);
    if (!stamps.empty() && m_gpu.device.functions().GetQueryPoolResults(
                               m_gpu.device.handle(), m_pool, 0, static_cast<std::uint32_t>(timed),
                               stamps.size() * sizeof(stamps[0]), stamps.data(), sizeof(stamps[0]),
                               VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
        stamps.clear();

    const std::uint32_t bits = m_gpu.device.physical().timestampBits;
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const double tick = 1e-9 * double{m_gpu.device.physical().properties.limits.timestampPeriod};
    std::vector<double> took(segments, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
        const Mark &mark = m_marks[i];
        if (mark.op == nullptr)
            continue;
        OpTime &time = timeOf(times, mark.op);
        time.dispatches += mark.dispatches;
        if (i >= stamps.size())
            continue;
        const double seconds = tick * static_cast<double>((stamps[i] - stamps[i - 1]) & mask);
        time.seconds += seconds;
        took[mark.segment] += seconds;
    }
    return took;
}

} // namespace fireside::vulkan
