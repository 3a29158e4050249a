#include "shaders/ops/attention/transform_heads.h"

#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {

void transformHeads(Recorder &r, const Tensor &x, const HeadTransform &transform, HeadOrder to,
                    const Tensor &out)
{
    constexpr const char *kOp = "transformHeads";
    const std::int64_t T = r.rows(), D = transform.headDim;
    if (D < 1 || x.cols % D != 0)
        throwHeads(kOp, "heads of " + std::to_string(D) + " channels in rows of " +
                            std::to_string(x.cols));
    const std::int64_t heads = x.cols / D;
    expectShape(kOp, "x", T, heads * D, x);
    if (to == HeadOrder::TokenMajor)
        expectShape(kOp, "out", T, heads * D, out);
    else
        expectShape(kOp, "out", heads * T, D, out);
    expectActivation(kOp, "x", x);
    expectActivation(kOp, "out", out);
    expectRope(kOp, transform.rope, D);
    if (T == 0)
        return;
    const Rope *rope = transform.rope;

    TransformHeadsPush push{};
    push.x = r.address(x);
    push.out_ = r.address(out);
    push.norm = vectorAddress(kOp, transform.norm, D);
    push.turns = turnTable(r, rope);
    push.positions = r.positions();
    push.xStride = checked32(x.stride);
    push.outStride = checked32(out.stride);
    push.eps = transform.eps;
    push.factor = rope != nullptr ? rope->attentionFactor : 1.0f;
    push.rows = checked32(T);

    std::uint32_t flags = 0;
    flags |= isHalf(x) != 0 ? kInputHalf : 0;
    flags |= isHalf(out) != 0 ? kOutputHalf : 0;
    flags |= transform.norm != nullptr ? kNormed : 0;
    flags |= rope != nullptr && rope->pairing == RopePairing::Interleaved ? kInterleaved : 0;
    flags |= to == HeadOrder::HeadMajor ? kHeadMajor : 0;
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
