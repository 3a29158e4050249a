#include "shaders/ops/attention/transform_heads.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {

void run(Recorder &r, const op::TransformHeads &op)
{
    const Tensor &x = op.x, &out = op.out;
    const HeadTransform &transform = op.transform;
    const std::int64_t T = r.rows(), D = transform.headDim, heads = x.cols / D;
    if (T == 0)
        return;
    const std::optional<Rope> &rope = transform.rope;

    TransformHeadsPush push{};
    push.x = r.address(x);
    push.out_ = r.address(out);
    push.norm = vectorAddress(transform.norm);
    push.turns = turnTable(r, rope);
    push.positions = r.positions();
    push.xStride = checked32(x.stride);
    push.outStride = checked32(out.stride);
    push.eps = transform.eps;
    push.factor = rope ? rope->attentionFactor : 1.0f;
    push.rows = checked32(T);

    std::uint32_t flags = 0;
    flags |= isHalf(x) != 0 ? kInputHalf : 0;
    flags |= isHalf(out) != 0 ? kOutputHalf : 0;
    flags |= transform.norm != nullptr ? kNormed : 0;
    flags |= rope && rope->pairing == RopePairing::Interleaved ? kInterleaved : 0;
    flags |= op.to == HeadOrder::HeadMajor ? kHeadMajor : 0;
    const TransformHeadsConstants constants{.kThreads = threadsForHead(r, D),
                                            .kFlags = flags,
                                            .kHeadDim = checked32(D),
                                            .kPairs = checked32(pairsOf(rope)),
                                            .kFirst = firstTurning(rope)};
    const auto workOf = [&](std::int64_t rows) {
        const double numbers = static_cast<double>(rows * x.cols);
        return Work{4 * numbers, 8 * numbers};
    };
    forRows(r, 1, T, workOf(T), [&](std::int64_t first, std::int64_t count) {
        push.firstRow = checked32(first);
        r.dispatch("transform_heads", constants, push, {heads, count, 1}, {accessOf(x)},
                   {accessOf(out)}, workOf(count));
    });
}

} // namespace fireside::vulkan
