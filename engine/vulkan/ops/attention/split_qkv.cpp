#include "shaders/ops/attention/split_qkv.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {

void splitQkv(Recorder &r, const Tensor &qkv, QkvLayout layout, const AttentionShape &shape,
              const Tensor &q, const Tensor &k, const Tensor &v)
{
    constexpr const char *kOp = "splitQkv";
    const std::int64_t H = shape.heads, Hkv = shape.kvHeads, D = shape.headDim;
    const std::int64_t Dv = shape.values(), T = qkv.rows;
    if (Hkv < 1 || H % Hkv != 0)
        throwHeads(kOp, std::to_string(H) + " heads over " + std::to_string(Hkv) + " kv heads");
    expectShape(kOp, "qkv", T, H * D + Hkv * (D + Dv), qkv);
    expectShape(kOp, "q", T, H * D, q);
    expectShape(kOp, "k", T, Hkv * D, k);
    expectShape(kOp, "v", T, Hkv * Dv, v);
    expectActivation(kOp, "qkv", qkv);
    expectActivation(kOp, "q", q);
    expectActivation(kOp, "k", k);
    expectActivation(kOp, "v", v);
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
    push.perKvHead = layout == QkvLayout::PerKvHead ? 1 : 0;
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
