#include "shaders/ops/rows/pool.h"

#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

namespace fireside::vulkan {

static_assert(kPoolFirst == static_cast<std::uint32_t>(Pooling::First) &&
              kPoolMean == static_cast<std::uint32_t>(Pooling::Mean) &&
              kPoolLast == static_cast<std::uint32_t>(Pooling::Last));

void run(Recorder &r, const op::Pool &op)
{
    const Tensor &x = op.x, &out = op.out;
    const Pooling pooling = op.pooling;
    const auto items = static_cast<std::int64_t>(r.items().size());
    if (items == 0 || x.cols == 0)
        return;
    const std::uint32_t threads =
        pooling == Pooling::Mean ? threadsFor(r, 256) : threadsFor(r, 32); // rows in parallel
    const PoolConstants constants{.kThreads = threads,
                                  .kPooling = static_cast<std::uint32_t>(pooling),
                                  .kXHalf = isHalf(x),
                                  .kOutHalf = isHalf(out)};
    const PoolPush push{.x = r.address(x),
                        .result = r.address(out),
                        .items = r.itemTable(),
                        .xStride = strideBytes(x),
                        .outStride = strideBytes(out),
                        .cols = count32(x.cols)};
    r.dispatch("pool", constants, push, {ceilDiv(x.cols, kPoolWidth), items, 1}, {accessOf(x)},
               {accessOf(out)}, {0, bytesOf(x) + bytesOf(out)});
}

} // namespace fireside::vulkan
