#include "shaders/ops/attention/softmax.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {

void run(Recorder &r, const op::Softmax &op)
{
    const Tensor &x = op.x, &out = op.out;
    const Tensor *const visible = op.visible ? &*op.visible : nullptr;
    if (x.rows == 0 || x.cols == 0)
        return;
    SoftmaxPush push{};
    push.x = r.address(x);
    push.out_ = r.address(out);
    push.visible = visible != nullptr ? r.address(*visible) : 0;
    push.xStride = checked32(x.stride);
    push.outStride = checked32(out.stride);
    push.visibleStride = visible != nullptr ? checked32(visible->stride) : 0;
    push.cols = checked32(x.cols);
    push.scale = op.scale;
    const SoftmaxConstants constants{.kThreads = threadsForHead(r, x.cols),
                                     .kInputHalf = isHalf(x),
                                     .kOutputHalf = isHalf(out),
                                     .kVisible = visible != nullptr};
    const auto workOf = [&](std::int64_t rows) {
        const double numbers = static_cast<double>(rows * x.cols);
        return Work{8 * numbers, 16 * numbers};
    };
    forRows(r, 0, x.rows, workOf(x.rows), [&](std::int64_t first, std::int64_t count) {
        push.firstRow = checked32(first);
        const Workgroups groups{count, 1, 1};
        if (visible != nullptr)
            r.dispatch("softmax", constants, push, groups, {accessOf(x), accessOf(*visible)},
                       {accessOf(out)}, workOf(count));
        else
            r.dispatch("softmax", constants, push, groups, {accessOf(x)}, {accessOf(out)},
                       workOf(count));
    });
}

} // namespace fireside::vulkan
