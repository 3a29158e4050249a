#include "shaders/ops/rows/gather_columns.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {

void run(Recorder &r, const op::GatherColumns &op)
{
    const Tensor &x = op.x, &out = op.out;
    const std::int64_t elements = out.rows * out.cols;
    if (elements == 0)
        return;
    if (elements > 0xf0000000)
        throw Error(ErrorKind::Internal, std::string(op.kName) + ": " + std::to_string(out.rows) +
                                             " rows of " + std::to_string(out.cols) +
                                             " are too much for one dispatch");
    const std::uint32_t threads = threadsFor(r, elements);
    const GatherColumnsConstants constants{.kThreads = threads,
                                           .kColumns = op.columns != nullptr,
                                           .kExperts = op.ids.has_value(),
                                           .kXHalf = isHalf(x),
                                           .kOutHalf = isHalf(out)};
    const GatherColumnsPush push{.x = r.address(x),
                                 .result = r.address(out),
                                 .columns = vectorAddress(op.columns),
                                 .ids = op.ids ? r.address(*op.ids) : 0,
                                 .xStride = strideBytes(x),
                                 .outStride = strideBytes(out),
                                 .rows = count32(out.rows),
                                 .cols = count32(out.cols),
                                 .each = count32(out.rows / x.rows),
                                 .experts = op.columns != nullptr ? count32(op.columns->depth) : 0,
                                 .used = op.ids ? count32(op.ids->cols) : 1,
                                 .idStride = op.ids ? count32(op.ids->stride) : 0};
    r.dispatch("gather_columns", constants, push, flatWorkgroups(r, elements, threads),
               {accessOf(x), accessOf(op.ids ? *op.ids : x)}, {accessOf(out)},
               {0, bytesOf(x) + bytesOf(out)});
}

} // namespace fireside::vulkan
