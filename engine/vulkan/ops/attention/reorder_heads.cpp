#include "shaders/ops/attention/reorder_heads.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {

void run(Recorder &r, const op::ReorderHeads &op)
{
    const Tensor &x = op.x, &out = op.out;
    const bool headMajor = op.to == HeadOrder::HeadMajor;
    const Tensor &tokens = headMajor ? x : out; // [T, H·D]
    const std::int64_t T = tokens.rows, heads = op.heads, D = tokens.cols / heads;
    if (T == 0 || D == 0)
        return;
    ReorderHeadsPush push{};
    push.x = r.address(x);
    push.out_ = r.address(out);
    push.xStride = checked32(x.stride);
    push.outStride = checked32(out.stride);
    push.headDim = checked32(D);
    push.rows = checked32(T);
    push.toHeadMajor = headMajor ? 1 : 0;
    const ReorderHeadsConstants constants{
        .kThreads = threadsForHead(r, D), .kInputHalf = isHalf(x), .kOutputHalf = isHalf(out)};
    const auto workOf = [&](std::int64_t rows) {
        const double numbers = static_cast<double>(rows * heads * D);
        return Work{numbers, 8 * numbers};
    };
    forRows(r, 1, T, workOf(T), [&](std::int64_t first, std::int64_t count) {
        push.firstRow = checked32(first);
        r.dispatch("reorder_heads", constants, push, {heads, count, 1}, {accessOf(x)},
                   {accessOf(out)}, workOf(count));
    });
}

} // namespace fireside::vulkan
