#include "engine/vulkan/ops/matmul/gemv_few.h"

#include "engine/vulkan/pass/row_dispatch.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "shaders/ops/matmul/gemv_few.h"

#include <array>

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
    if (steps > kMaxSteps || x.rows > can.maxGroups[1])
        return false;
    const bool fours = rowsFitFours(r, {&x}) && vectorAddress(input.norm) % 16 == 0;
    const std::array<std::uint32_t, 7> constants = {threads,
                                                    count32(steps),
                                                    can.minSubgroup,
                                                    isHalf(x),
                                                    isHalf(target.out),
                                                    fours ? 1u : 0u,
                                                    input.norm != nullptr ? 1u : 0u};
    const GemvFewPush push{weight.address,
                           r.address(x),
                           vectorAddress(input.norm),
                           r.address(target.out),
                           vectorAddress(target.bias),
                           count32(weight.rows),
                           count32(x.cols),
                           count32(x.stride),
                           count32(target.out.stride),
                           input.eps};
    const double products = static_cast<double>(x.rows * weight.rows * x.cols);
    r.dispatch(weightShader("gemv_few", weight.storage), constants, push, {weight.rows, x.rows, 1},
               {accessOf(x)}, {accessOf(target.out)}, {products, products * 4});
    return true;
}

} // namespace fireside::vulkan
