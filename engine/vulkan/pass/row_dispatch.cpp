#include "engine/vulkan/pass/row_dispatch.h"

#include "engine/core/error.h"

#include <bit>
#include <string>

namespace fireside::vulkan {

bool rowsFit(const Recorder &r, std::int64_t bytes, std::initializer_list<const Tensor *> tensors)
{
    const auto fits = [&](const Tensor &t) {
        const std::int64_t size = elementBytes(t);
        return t.cols * size % bytes == 0 && (t.rows <= 1 || t.stride * size % bytes == 0) &&
               r.address(t) % static_cast<VkDeviceAddress>(bytes) == 0;
    };
    return std::all_of(tensors.begin(), tensors.end(),
                       [&](const Tensor *t) { return t == nullptr || fits(*t); });
}

bool rowsFitFours(const Recorder &r, std::initializer_list<const Tensor *> tensors)
{
    return std::all_of(tensors.begin(), tensors.end(), [&](const Tensor *t) {
        return t == nullptr || rowsFit(r, 4 * elementBytes(*t), {t});
    });
}

std::uint32_t threadsFor(const Recorder &r, std::int64_t units, std::uint32_t most)
{
    const std::uint32_t allowed = std::bit_floor(std::min(most, r.capabilities().maxWorkgroupSize));
    const auto wanted = static_cast<std::uint32_t>(std::clamp<std::int64_t>(units, 32, allowed));
    return std::min(std::bit_ceil(wanted), allowed);
}

std::int64_t lanesFor(const Recorder &r, std::int64_t units, std::int64_t most)
{
    const Capabilities &can = r.capabilities();
    if (!can.subgroupShuffle)
        return 1;
    std::int64_t lanes = 1;
    while (2 * lanes <= std::min<std::int64_t>(most, can.minSubgroup) && units % (2 * lanes) == 0)
        lanes *= 2;
    return lanes;
}

ScanSteps scanSteps(const Recorder &r, std::int64_t most)
{
    if (r.rows() == static_cast<std::int64_t>(r.items().size()))
        return {1, 1, 64};
    // Software compiles what is unrolled for longer than it runs.
    const bool software = r.capabilities().software;
    const std::int64_t together = software ? 2 : 4;
    return {count32(std::clamp<std::int64_t>(most / together, 1, 16 / together) * together),
            count32(together), software ? 64u : 128u};
}

Workgroups flatWorkgroups(const Recorder &r, std::int64_t units, std::uint32_t threads)
{
    return {std::min<std::int64_t>(ceilDiv(units, threads), r.capabilities().maxWorkgroups[0]), 1,
            1};
}

Workgroups foldedWorkgroups(const Recorder &r, std::int64_t count)
{
    const std::int64_t x = std::min<std::int64_t>(count, r.capabilities().maxWorkgroups[0]);
    return {x, x > 0 ? ceilDiv(count, x) : 0, 1};
}

void addHeads(const Tensor &x, const HeadColumns &columns, std::vector<Access> &accesses)
{
    if (x.rows != 1) {
        accesses.push_back(accessOf(x));
        return;
    }
    for (std::int64_t h = 0; h < columns.heads; ++h)
        accesses.push_back(accessOf(x.columns(h * columns.step, columns.cols)));
}

VkDeviceAddress vectorAddress(const Weight *weight)
{
    if (weight == nullptr)
        return 0;
    const VulkanWeight &vector = asVulkan(*weight);
    if (vector.storage != DType::F32)
        throwUnsupported("vector '" + weight->name + "' of type " + name(vector.storage));
    return vector.address;
}

} // namespace fireside::vulkan
