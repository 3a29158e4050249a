#include "shaders/ops/matmul/batched_product.h"
#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <algorithm>
#include <string>

namespace fireside::vulkan {
namespace {

/// What `batch` matrices [rows, cols] at this distance take up, from the tensor's begin on.
Access batchAccess(const Tensor &t, std::int64_t batch, std::int64_t distance, std::int64_t rows,
                   std::int64_t cols)
{
    const std::int64_t elements =
        rows == 0 || cols == 0 ? 0 : (batch - 1) * distance + (rows - 1) * t.stride + cols;
    return {t.buffer, t.offset, t.offset + static_cast<std::size_t>(elements * elementBytes(t))};
}

} // namespace

void run(Recorder &r, const op::BatchedProduct &op)
{
    const Tensor &a = op.a, &b = op.b, &out = op.out;
    const BatchShape &s = op.shape;
    if (s.batch == 0 || s.m == 0 || s.n == 0)
        return;
    const Access readsA = batchAccess(a, s.batch, s.aStride, s.m, s.k);
    const Access readsB =
        batchAccess(b, s.batch, s.bStride, s.transposeB ? s.n : s.k, s.transposeB ? s.k : s.n);
    const Access writes = batchAccess(out, s.batch, s.outStride, s.m, s.n);

    constexpr std::int64_t kTile = 64;
    const Capabilities &device = r.capabilities();
    const std::uint32_t threads = device.maxWorkgroupSize >= 256 ? 256 : 128;
    const BatchedProductConstants constants{.kThreads = threads,
                                            .kAHalf = isHalf(a),
                                            .kBHalf = isHalf(b),
                                            .kOutHalf = isHalf(out),
                                            .kTransposed = s.transposeB,
                                            .kBlockRows = 1024 / threads};
    const Work whole{static_cast<double>(s.batch) * static_cast<double>(s.m * s.n) *
                         static_cast<double>(s.k),
                     static_cast<double>(readsA.end - readsA.begin + readsB.end - readsB.begin +
                                         writes.end - writes.begin)};
    const std::int64_t rows = r.rowsPerDispatch(whole, s.m, kTile);
    const std::int64_t matrices = device.maxWorkgroups[2];
    for (std::int64_t first = 0; first < s.batch; first += matrices)
        for (std::int64_t row = 0; row < s.m; row += rows) {
            const std::int64_t batch = std::min(matrices, s.batch - first);
            const std::int64_t count = std::min(rows, s.m - row);
            const double part =
                static_cast<double>(batch * count) / static_cast<double>(s.batch * s.m);
            const auto from = [&](const Tensor &t, std::int64_t distance) {
                return r.address(t) +
                       static_cast<VkDeviceAddress>(first * distance * elementBytes(t));
            };
            const BatchedProductPush push{.a = from(a, s.aStride),
                                          .b = from(b, s.bStride),
                                          .result = from(out, s.outStride),
                                          .m = count32(std::min(s.m, row + count)),
                                          .n = count32(s.n),
                                          .k = count32(s.k),
                                          .firstRow = count32(row),
                                          .aRow = count32(a.stride),
                                          .bRow = count32(b.stride),
                                          .outRow = count32(out.stride),
                                          .aMatrix = count32(s.aStride),
                                          .bMatrix = count32(s.bStride),
                                          .outMatrix = count32(s.outStride)};
            r.dispatch("batched_product", constants, push,
                       {ceilDiv(s.n, kTile), ceilDiv(count, kTile), batch}, {readsA, readsB},
                       {writes}, {whole.multiplyAdds * part, whole.bytes * part});
        }
}

} // namespace fireside::vulkan
