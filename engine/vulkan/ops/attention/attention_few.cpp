#include "engine/vulkan/ops/attention/attention_few.h"

#include "engine/vulkan/pass/recorder.h"
#include "shaders/ops/attention/attention.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

namespace fireside::vulkan {
namespace {

// The first that fits is taken.
struct FewForm
{
    std::int64_t maxKeys;  // of a cache
    bool alone;            // one item of one row
    std::int64_t slots;    // of a group, bounded by registers
    std::int64_t keysEach; // of a team at a time, bounded by registers too
    std::int64_t groupsEach, fewestKeys;
};
constexpr FewForm kFewForms[] = {
    // Few keys are over before a group has run through its code: heads apart make that shorter, and
    // there are fewer splits to reduce.
    {2048, true, 1, 16, 3, 256},
    {std::numeric_limits<std::int64_t>::max(), false, 8, 8, 2, kSplitStep},
};
constexpr std::int64_t kFewThreads = 128;
constexpr std::int64_t kMaxFewShared = 32768;

std::int64_t powerFrom(std::int64_t n)
{
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

} // namespace

std::optional<FewKernel> fewKernel(const Capabilities &can, const AttentionShape &shape,
                                   std::uint32_t keyType, std::int64_t slots, std::int64_t items,
                                   std::int64_t keys)
{
    const std::int64_t D = shape.headDim, Dv = shape.values(), widest = std::max(D, Dv);
    FewKernel kernel{};
    kernel.threads = std::max<std::int64_t>(kFewThreads, can.maxSubgroup);
    kernel.lanes =
        std::min(std::int64_t{std::bit_floor(can.minSubgroup)}, powerFrom(ceilDiv(widest, 8)));
    const std::int64_t chunks = powerFrom(ceilDiv(widest, 8 * kernel.lanes)); // of a thread
    if (chunks > 2 || kernel.threads > std::int64_t{can.maxWorkgroupSize})
        return std::nullopt;
    // Software has few threads, which would convert every key once for each head.
    const bool alone = items == 1 && slots == shape.heads / shape.kvHeads && !can.software;
    const FewForm &form =
        *std::find_if(std::begin(kFewForms), std::end(kFewForms),
                      [&](const FewForm &f) { return keys <= f.maxKeys && (alone || !f.alone); });
    const std::int64_t most = std::max<std::int64_t>(1, form.slots / chunks);
    kernel.slots = powerFrom(ceilDiv(slots, ceilDiv(slots, most)));
    kernel.groupsEach = form.groupsEach;
    kernel.fewestKeys = form.fewestKeys;
    // Many items have groups enough to hide reads, when these are small.
    const std::int64_t units =
        chunks * (keyType == 0 ? 2 : 1) * (kernel.slots > 4 || items > 1 ? 2 : 1);
    kernel.keysEach = std::max<std::int64_t>(2, form.keysEach / units);
    const std::int64_t teams = kernel.threads / kernel.lanes;
    const std::int64_t pairs = kernel.keysEach * kernel.slots / 2;
    kernel.room = std::max({kernel.threads * (pairs + 2), ((kernel.slots + 1) * D + Dv + 1) / 2,
                            teams * ceilDiv(Dv, 4) * 2});
    const std::int64_t bytes = 8 * (kernel.room + teams * pairs + teams * kernel.slots) + 4;
    if (bytes > std::min<std::int64_t>(can.sharedMemory, kMaxFewShared))
        return std::nullopt;
    return kernel;
}

} // namespace fireside::vulkan
