#include "shaders/ops/rows/selective_scan.h"

#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/ops/rows/plain_weight.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {

namespace {

constexpr std::int64_t kMaxStates = 128;    // numbers of a channel are kept in registers
constexpr std::int64_t kStagedPairs = 1024; // of b and c in shared memory: 8 KiB

} // namespace

void requireSupported(const Recorder &r, const op::SelectiveScan &op)
{
    if (op.a.cols > kMaxStates)
        throwUnsupported("selectiveScan on Vulkan for states of " + std::to_string(op.a.cols) +
                         " numbers (at most " + std::to_string(kMaxStates) + ")");
    plainWeightType(op.kName, asVulkan(op.a));
    if (r.rows() > 0)
        r.states(op.kName, statePart(op));
}

void run(Recorder &r, const op::SelectiveScan &op)
{
    const Tensor &x = op.x, &dt = op.dt, &b = op.b, &c = op.c, &out = op.out;
    const std::int64_t T = r.rows(), channels = x.cols, states = b.cols;
    const auto items = static_cast<std::int64_t>(r.items().size());
    if (T == 0 || channels == 0 || states == 0)
        return;
    const VulkanWeight &a = asVulkan(op.a);
    const std::uint32_t threads = threadsFor(r, channels, 32); // channels are all there is
    const std::int64_t staged = std::clamp<std::int64_t>(kStagedPairs / states, 1, 64);
    const SelectiveScanConstants constants{.kThreads = threads,
                                           .kStates = count32(states),
                                           .kStaged = count32(staged),
                                           .kAType = plainWeightType(op.kName, a),
                                           .kXHalf = isHalf(x),
                                           .kDtHalf = isHalf(dt),
                                           .kBHalf = isHalf(b),
                                           .kCHalf = isHalf(c),
                                           .kOutHalf = isHalf(out),
                                           .kHasBias = op.dtBias != nullptr};
    const SelectiveScanPush push{.x = r.address(x),
                                 .dt = r.address(dt),
                                 .dtBias = vectorAddress(op.dtBias),
                                 .a = a.address,
                                 .b = r.address(b),
                                 .c = r.address(c),
                                 .d = vectorAddress(&op.d),
                                 .result = r.address(out),
                                 .items = r.itemTable(),
                                 .caches = r.states(op.kName, statePart(op)),
                                 .xStride = strideBytes(x),
                                 .dtStride = strideBytes(dt),
                                 .bStride = strideBytes(b),
                                 .cStride = strideBytes(c),
                                 .outStride = strideBytes(out),
                                 .aStride = plainWeightStride(a),
                                 .channels = count32(channels),
                                 .stateOffset = count32(op.stateOffset)};
    const Access state = r.stateAccess(statePart(op));
    r.dispatch("selective_scan", constants, push, {ceilDiv(channels, threads), items, 1},
               {accessOf(x), accessOf(dt), accessOf(b), accessOf(c), state}, {state, accessOf(out)},
               {8.0 * static_cast<double>(T * channels * states),
                8.0 * static_cast<double>(items * channels * states) + bytesOf(x) + bytesOf(dt) +
                    bytesOf(out)});
}

} // namespace fireside::vulkan
