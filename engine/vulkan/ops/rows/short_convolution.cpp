#include "shaders/ops/rows/short_convolution.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <algorithm>
#include <string>

namespace fireside::vulkan {

namespace {

std::uint32_t weightType(const VulkanWeight &weight)
{
    switch (weight.storage) {
    case DType::F32:
        return kWeightFloats;
    case DType::F16:
        return kWeightHalves;
    case DType::BF16:
        return kWeightBrainFloats;
    default:
        throwUnsupported("shortConvolution on Vulkan with the " +
                         std::string(info(weight.dtype).name) + " weight " + weight.name);
    }
}

// Rows of an item per thread where there are many: enough to read each input about once.
constexpr std::int64_t kChunk = 32;
constexpr std::int64_t kMaxTaps = 64;

} // namespace

void requireSupported(const Recorder & /*r*/, const op::ShortConvolution &op)
{
    if (op.weight.cols > kMaxTaps)
        throwUnsupported("shortConvolution on Vulkan over " + std::to_string(op.weight.cols) +
                         " rows (at most " + std::to_string(kMaxTaps) + ")");
    weightType(asVulkan(op.weight));
}

void run(Recorder &r, const op::ShortConvolution &op)
{
    const Tensor &x = op.x, &state = op.state, &out = op.out;
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
    const std::uint32_t weightStride = channels == 1 ? 0 : planes.groupsPerRow() * 32;
    const std::uint32_t type = weightType(planes);
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
                                    .state = taps > 1 ? r.address(state) : 0,
                                    .result = r.address(out),
                                    .items = r.itemTable(),
                                    .xStride = strideBytes(x),
                                    .weightStride = weightStride,
                                    .stateStride = strideBytes(state),
                                    .outStride = strideBytes(out),
                                    .channels = count32(channels),
                                    .chunk = count32(chunk)};
    const std::uint32_t threads = threadsFor(r, channels, 64); // more groups for few channels
    const Workgroups groups{ceilDiv(channels, threads), ceilDiv(longest, chunk), items};
    const Work work{static_cast<double>(taps * x.rows * channels), bytesOf(x) + bytesOf(out)};
    if (oneChunk) {
        r.dispatch("short_convolution", constants(threads, kConvolutionBoth), push, groups,
                   {accessOf(x), accessOf(state)}, {accessOf(out), accessOf(state)}, work);
        return;
    }
    r.dispatch("short_convolution", constants(threads, kConvolutionOutputs), push, groups,
               {accessOf(x), accessOf(state)}, {accessOf(out)}, work);
    r.dispatch("short_convolution", constants(threads, kConvolutionState), push,
               {groups.x, 1, groups.z}, {accessOf(x), accessOf(state)}, {accessOf(state)},
               {0, 2 * bytesOf(state)});
}

} // namespace fireside::vulkan
