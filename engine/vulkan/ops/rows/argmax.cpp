#include "shaders/ops/rows/argmax.h"
#include "shaders/common/not_finite.h"

#include "engine/backend/not_finite.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

namespace fireside::vulkan {

static_assert(static_cast<std::int32_t>(kNotFiniteId) == kNotFinite);

void run(Recorder &r, const op::Argmax &op)
{
    const Tensor &x = op.x, &ids = op.ids;
    if (x.rows == 0)
        return;
    const bool fours = rowsFitFours(r, {&x});
    const std::int64_t units = fours ? x.cols / 4 : x.cols;
    const std::uint32_t threads = threadsFor(r, units);
    // Long rows that would leave most of the device idle are read by several workgroups each; a
    // split has at least 8 units for each thread.
    const std::int64_t idle = r.capabilities().computeUnits / x.rows;
    const std::int64_t splits =
        std::clamp<std::int64_t>(units / (8 * threads), 1, std::max<std::int64_t>(idle, 1));

    const std::size_t before = r.mark();
    Tensor candidates;
    if (splits > 1)
        candidates = r.scratch(1, x.rows * 2 * splits, DType::I32);
    ArgmaxPush push{.x = r.address(x),
                    .ids = r.address(ids),
                    .candidates = splits > 1 ? r.address(candidates) : 0,
                    .xStride = strideBytes(x),
                    .idsStride = strideBytes(ids),
                    .rows = count32(x.rows),
                    .cols = count32(x.cols),
                    .splits = count32(splits)};
    const ArgmaxConstants constants{.kThreads = threads, .kXHalf = isHalf(x), .kFours = fours};
    r.dispatch("argmax", constants, push, foldedWorkgroups(r, x.rows * splits), {accessOf(x)},
               {accessOf(splits > 1 ? candidates : ids)}, {0, bytesOf(x)});
    if (splits > 1) {
        push.x = push.candidates;
        push.xStride = count32(splits * 8);
        push.cols = push.splits;
        push.splits = 1;
        const ArgmaxConstants second{.kThreads = threadsFor(r, splits), .kFromCandidates = 1};
        r.dispatch("argmax", second, push, foldedWorkgroups(r, x.rows), {accessOf(candidates)},
                   {accessOf(ids)}, {0, bytesOf(candidates)});
    }
    r.release(before);
}

} // namespace fireside::vulkan
