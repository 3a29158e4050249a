#include "engine/vulkan/pass/advance_tables.h"

#include "engine/core/error.h"
#include "shaders/ops/rows/advance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace fireside::vulkan {

void AdvanceTables::write(const NextIds &next, std::int64_t rows)
{
    if (!m_results) {
        constexpr const char *what = "passes ahead of the host";
        Memory &memory = m_gpu->memory;
        m_staging = memory.allocate(sizeof(AdvanceState), Memory::Use::Staging, what);
        m_state = memory.allocate(sizeof(AdvanceState), Memory::Use::Device, what);
        m_results = memory.allocate(std::size_t{kResultPasses} * kResultWords * sizeof(float),
                                    Memory::Use::Readback, what);
    }
    AdvanceState state{};
    state.temperature = next.temperature;
    state.lowest = next.minP > 0 ? next.temperature * std::log(next.minP)
                                 : -std::numeric_limits<float>::infinity();
    state.topP = next.topP;
    const std::size_t draws = std::min<std::size_t>(next.draws.size(), kMaxDraws);
    std::copy_n(next.draws.begin(), draws, state.draws);
    std::memcpy(m_staging->mapped(), &state, sizeof state);
    m_passes = next.temperature > 0
                   ? static_cast<std::int64_t>(draws) / std::max<std::int64_t>(1, rows)
                   : std::numeric_limits<std::int64_t>::max();
}

void AdvanceTables::recordCopy(VkCommandBuffer commands) const
{
    const VkBufferCopy region{0, 0, sizeof(AdvanceState)};
    m_gpu->device.functions().CmdCopyBuffer(commands, m_staging->buffer(), m_state->buffer(), 1,
                                            &region);
}

VkDeviceAddress AdvanceTables::state() const
{
    if (!m_state)
        throw Error(ErrorKind::Internal, "advance: the pass began without PassOptions::next");
    return m_state->address();
}

VkDeviceAddress AdvanceTables::results() const
{
    state();
    return m_results->address();
}

ChosenIds AdvanceTables::chosen(std::int64_t pass, std::int64_t rows, std::int64_t k) const
{
    const auto count = static_cast<std::size_t>(rows), all = static_cast<std::size_t>(rows * k);
    const std::byte *const from =
        m_results->mapped() +
        static_cast<std::size_t>(pass % kResultPasses) * kResultWords * sizeof(float);
    const auto *const ids = reinterpret_cast<const std::int32_t *>(from);
    const auto *const logits = reinterpret_cast<const float *>(from);
    return {{ids, count}, {ids + count, all}, {logits + count + all, k > 1 ? all : 0}};
}

} // namespace fireside::vulkan
