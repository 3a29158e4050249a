#include "shaders/ops/rows/short_convolution.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/ops/rows/plain_weight.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <algorithm>
#include <string>

namespace fireside::vulkan {

namespace {

// Rows of an item per thread where there are many: enough to read each input about once.
constexpr std::int64_t kChunk = 32;
constexpr std::int64_t kMaxTaps = 64;

} // namespace

void requireSupported(const Recorder &r, const op::ShortConvolution &op)
{
    if (op.weight.cols > kMaxTaps)
        throwUnsupported("shortConvolution on Vulkan over " + std::to_string(op.weight.cols) +
                         " rows (at most " + std::to_string(kMaxTaps) + ")");
    plainWeightType(op.kName, asVulkan(op.weight));
    if (r.rows() > 0 && op.weight.cols > 1)
        r.states(op.kName, statePart(op));
}

void run(Recorder &r, const op::ShortConvolution &op)
{
    const Tensor &x = op.x, &out = op.out;
    const Weight &weight = op.weight, *const bias = op.bias;
    const std::int64_t channels = x.cols, taps = weight.cols;
    const auto items = static_cast<std::int64_t>(r.items().size());
    if (x.rows == 0 || channels == 0)
        return;

    std::int64_t longest = 0;
    for (const BatchItem &item : r.items())
        longest = std::max(longest, item.rows);
    // Only the first chunk reads the state, and it must have done so before the state is written.
    const std::int64_t chunk = std::max(kChunk, taps);
    const bool oneChunk = longest <= chunk;

    const VulkanWeight &planes = asVulkan(weight);
    const std::uint32_t type = plainWeightType(op.kName, planes);
    const auto constants = [&](std::uint32_t threads, std::uint32_t writes) {
        return ShortConvolutionConstants{.kThreads = threads,
                                         .kTaps = count32(taps),
                                         .kWrites = writes,
                                         .kWeightType = type,
                                         .kHasBias = bias != nullptr,
                                         .kXHalf = isHalf(x),
                                         .kOutHalf = isHalf(out)};
    };
    const ShortConvolutionPush push{.x = r.address(x),
                                    .weight = planes.address,
                                    .bias = vectorAddress(bias),
                                    .result = r.address(out),
                                    .items = r.itemTable(),
                                    .caches = taps > 1 ? r.states(op.kName, statePart(op)) : 0,
                                    .xStride = strideBytes(x),
                                    .weightStride = plainWeightStride(planes),
                                    .stateOffset = count32(op.stateOffset),
                                    .outStride = strideBytes(out),
                                    .channels = count32(channels),
                                    .chunk = count32(chunk)};
    const std::uint32_t threads = threadsFor(r, channels, 64); // more groups for few channels
    const Workgroups groups{ceilDiv(channels, threads), ceilDiv(longest, chunk), items};
    const Access state = r.stateAccess(statePart(op));
    const Work work{static_cast<double>(taps * x.rows * channels), bytesOf(x) + bytesOf(out)};
    if (oneChunk) {
        r.dispatch("short_convolution", constants(threads, kConvolutionBoth), push, groups,
                   {accessOf(x), state}, {accessOf(out), state}, work);
        return;
    }
    r.dispatch("short_convolution", constants(threads, kConvolutionOutputs), push, groups,
               {accessOf(x), state}, {accessOf(out)}, work);
    r.dispatch("short_convolution", constants(threads, kConvolutionState), push,
               {groups.x, 1, groups.z}, {accessOf(x), state}, {state},
               {0, 8.0 * static_cast<double>(items * (taps - 1) * channels)});
}

} // namespace fireside::vulkan
