#include "shaders/ops/attention/split_qkv.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {

void run(Recorder &r, const op::SplitQkv &op)
{
    const Tensor &qkv = op.qkv, &q = op.q, &k = op.k, &v = op.v;
    const std::int64_t H = op.shape.heads, Hkv = op.shape.kvHeads, D = op.shape.headDim;
    const std::int64_t Dv = op.shape.values(), T = qkv.rows;
    if (T == 0)
        return;
    SplitQkvPush push{};
    push.qkv = r.address(qkv);
    push.q = r.address(q);
    push.k = r.address(k);
    push.v = r.address(v);
    push.qkvStride = checked32(qkv.stride);
    push.qStride = checked32(q.stride);
    push.kStride = checked32(k.stride);
    push.vStride = checked32(v.stride);
    push.heads = checked32(H);
    push.kvHeads = checked32(Hkv);
    push.headDim = checked32(D);
    push.valueDim = checked32(Dv);
    push.perKvHead = op.layout == QkvLayout::PerKvHead ? 1 : 0;
    const SplitQkvConstants constants{.kThreads = threadsForHead(r, std::max(D, Dv)),
                                      .kInputHalf = isHalf(qkv),
                                      .kQueryOutHalf = isHalf(q),
                                      .kKeyOutHalf = isHalf(k),
                                      .kValueOutHalf = isHalf(v)};
    const auto workOf = [&](std::int64_t rows) {
        const double numbers = static_cast<double>(rows * qkv.cols);
        return Work{numbers, 8 * numbers};
    };
    forRows(r, 1, T, workOf(T), [&](std::int64_t first, std::int64_t count) {
        push.firstRow = checked32(first);
        r.dispatch("split_qkv", constants, push, {H + 2 * Hkv, count, 1}, {accessOf(qkv)},
                   {accessOf(q), accessOf(k), accessOf(v)}, workOf(count));
    });
}

} // namespace fireside::vulkan
