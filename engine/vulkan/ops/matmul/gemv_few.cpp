#include "engine/vulkan/ops/matmul/gemv_few.h"

#include "engine/vulkan/pass/row_dispatch.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "shaders/ops/matmul/gemv_few.h"

namespace fireside::vulkan {
namespace {

/// Units of weights that a thread may hold.
constexpr std::int64_t kMaxSteps = 16;

} // namespace

bool linearGemvFew(Recorder &r, const LinearInput &input, const LinearTarget &target)
{
    const Tensor &x = input.x;
    const Capabilities &can = r.capabilities();
    const VulkanWeight &weight = asVulkan(*target.weight);
    // Other kernels give more threads to each row of the weight than these few need.
    if (weight.rows > 4 * std::int64_t{can.computeUnits} ||
        !r.hasShader(weightShader("gemv_few", weight.storage)))
        return false;
    const std::int64_t units = ceilDiv(x.cols, weight.storage == DType::F32 ? 4 : 8);
    // Two units to a thread: with fewer threads each waits for more, with more there is more to add
    // up.
    const std::uint32_t threads = threadsFor(r, can.software ? 1 : units / 2, 512);
    const std::int64_t steps = ceilDiv(units, threads);
    if (steps > kMaxSteps || x.rows > can.maxWorkgroups[1])
        return false;
    const bool fours = rowsFitFours(r, {&x}) && vectorAddress(input.norm) % 16 == 0;
    const GemvFewConstants constants{.kThreads = threads,
                                     .kSteps = count32(steps),
                                     .kSmallestSubgroup = can.minSubgroup,
                                     .kXHalf = isHalf(x),
                                     .kYHalf = isHalf(target.out),
                                     .kFours = fours,
                                     .kNorm = input.norm != nullptr};
    const GemvFewPush push{.weight = weight.address,
                           .x = r.address(x),
                           .norm = vectorAddress(input.norm),
                           .y = r.address(target.out),
                           .bias = vectorAddress(target.bias),
                           .rows = count32(weight.rows),
                           .cols = count32(x.cols),
                           .xStride = count32(x.stride),
                           .yStride = count32(target.out.stride),
                           .eps = input.eps};
    const double products = static_cast<double>(x.rows * weight.rows * x.cols);
    r.dispatch(weightShader("gemv_few", weight.storage), constants, push, {weight.rows, x.rows, 1},
               {accessOf(x)}, {accessOf(target.out)}, {products, products * 4});
    return true;
}

} // namespace fireside::vulkan
