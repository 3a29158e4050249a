#include "shaders/ops/rows/top_k.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {

void requireSupported(const Recorder & /*r*/, const op::TopK &op)
{
    if (const std::int64_t k = op.values.cols; k > kMaxTopK)
        throwUnsupported("topK on Vulkan for k = " + std::to_string(k) + " (at most " +
                         std::to_string(kMaxTopK) + ")");
}

void run(Recorder &r, const op::TopK &op)
{
    const Tensor &x = op.x, &values = op.values, &ids = op.ids;
    const std::int64_t k = values.cols;
    if (x.rows == 0 || k == 0)
        return;
    const bool fours = rowsFitFours(r, {&x});
    const std::int64_t units = fours ? x.cols / 4 : x.cols;
    // As in argmax; what all splits keep should be a small share of what they read.
    const std::int64_t idle = r.capabilities().computeUnits / x.rows;
    const std::int64_t splits = std::clamp<std::int64_t>(
        x.cols / std::max<std::int64_t>(4096, 8 * k), 1, std::clamp<std::int64_t>(idle, 1, 64));

    const std::uint32_t threads = threadsFor(r, units / splits, 1024), few = threadsFor(r, 256);

    const std::size_t before = r.mark();
    Tensor candidates;
    if (splits > 1)
        candidates = r.scratch(1, x.rows * 2 * splits * k, DType::I32);
    TopKPush push{.x = r.address(x),
                  .values = r.address(values),
                  .ids = r.address(ids),
                  .candidates = splits > 1 ? r.address(candidates) : 0,
                  .xStride = strideBytes(x),
                  .valuesStride = strideBytes(values),
                  .idsStride = strideBytes(ids),
                  .rows = count32(x.rows),
                  .cols = count32(x.cols),
                  .splits = count32(splits)};
    // Hardly more than k elements are above the k-th of so many.
    const bool byThread = 2 * k <= threads;
    const TopKConstants constants{.kThreads = threads,
                                  .kXHalf = isHalf(x),
                                  .kFours = fours,
                                  .kCount = count32(k),
                                  .kByThread = byThread,
                                  .kRoom = count32(byThread ? 2 * k + 64 : k)};
    const Work work{0, 4 * bytesOf(x)};
    if (splits == 1) {
        r.dispatch("top_k", constants, push, foldedWorkgroups(r, x.rows), {accessOf(x)},
                   {accessOf(values), accessOf(ids)}, work);
    } else {
        r.dispatch("top_k", constants, push, foldedWorkgroups(r, x.rows * splits), {accessOf(x)},
                   {accessOf(candidates)}, work);
        push.x = push.candidates;
        push.xStride = count32(splits * k * 8);
        push.cols = count32(splits * k);
        push.splits = 1;
        const TopKConstants second{
            .kThreads = few, .kFromCandidates = 1, .kCount = count32(k), .kRoom = count32(k)};
        r.dispatch("top_k", second, push, foldedWorkgroups(r, x.rows), {accessOf(candidates)},
                   {accessOf(values), accessOf(ids)}, {0, 4 * bytesOf(candidates)});
    }
    r.release(before);
}

} // namespace fireside::vulkan
