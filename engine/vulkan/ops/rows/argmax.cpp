#include "shaders/ops/rows/argmax.h"
#include "shaders/common/not_finite.h"

#include "engine/backend/not_finite.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

namespace fireside::vulkan {

static_assert(static_cast<std::int32_t>(kNotFiniteId) == kNotFinite);

void argmax(Recorder &r, const Tensor &x, const Tensor &ids)
{
    expectActivation("argmax", "x", x);
    expectIds("argmax", "ids", x.rows, 1, ids);
    if (x.rows == 0)
        return;
    const bool fours = rowsFitFours(r, {&x});
    const std::int64_t units = fours ? x.cols / 4 : x.cols;
    const std::uint32_t threads = threadsFor(r, units);
    // Long rows that would leave most of the device idle are read by several groups each; a part
    // has at least 8 units for each thread.
    const std::int64_t idle = r.capabilities().computeUnits / x.rows;
    const std::int64_t parts =
        std::clamp<std::int64_t>(units / (8 * threads), 1, std::max<std::int64_t>(idle, 1));

    const std::size_t before = r.mark();
    Tensor candidates;
    if (parts > 1)
        candidates = r.scratch(1, x.rows * 2 * parts, DType::I32);
    ArgmaxPush push{r.address(x),    r.address(ids),   parts > 1 ? r.address(candidates) : 0,
                    strideBytes(x),  strideBytes(ids), count32(x.rows),
                    count32(x.cols), count32(parts)};
    const std::uint32_t constants[] = {threads, isHalf(x), fours, 0};
    r.dispatch("argmax", constants, push, foldedGroups(r, x.rows * parts), {accessOf(x)},
               {accessOf(parts > 1 ? candidates : ids)}, {0, bytesOf(x)});
    if (parts > 1) {
        push.x = push.candidates;
        push.xStride = count32(parts * 8);
        push.cols = push.parts;
        push.parts = 1;
        const std::uint32_t second[] = {threadsFor(r, parts), 0, 0, 1};
        r.dispatch("argmax", second, push, foldedGroups(r, x.rows), {accessOf(candidates)},
                   {accessOf(ids)}, {0, bytesOf(candidates)});
    }
    r.release(before);
}

} // namespace fireside::vulkan
