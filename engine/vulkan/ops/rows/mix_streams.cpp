#include "shaders/ops/rows/mix_streams.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {

void run(Recorder &r, const op::MixStreams &op)
{
    const Tensor &x = op.x, &mix = op.coefficients, &out = op.out;
    if (out.rows == 0 || out.cols == 0)
        return;
    const bool add = op.mode == Accumulate::AddToOutput;
    const std::int64_t width = x.cols / op.from;
    const bool fours = width % 4 == 0 && rowsFitFours(r, {&x, &out});
    const std::int64_t units = fours ? width / 4 : width, all = out.rows * op.to * units;
    if (all > 0xf0000000)
        throw Error(ErrorKind::Internal, std::string(op.kName) + ": " + std::to_string(out.rows) +
                                             " rows of " + std::to_string(out.cols) +
                                             " are too much for one dispatch");
    const std::uint32_t threads = threadsFor(r, all);
    const MixStreamsConstants constants{.kThreads = threads,
                                        .kAdd = add,
                                        .kFours = fours,
                                        .kXHalf = isHalf(x),
                                        .kMixHalf = isHalf(mix),
                                        .kOutHalf = isHalf(out)};
    const MixStreamsPush push{.x = r.address(x),
                              .mix = r.address(mix),
                              .result = r.address(out),
                              .xStride = strideBytes(x),
                              .mixStride = strideBytes(mix),
                              .outStride = strideBytes(out),
                              .rows = count32(out.rows),
                              .from = count32(op.from),
                              .to = count32(op.to),
                              .units = count32(units),
                              .plus = op.plus};
    r.dispatch("mix_streams", constants, push, flatWorkgroups(r, all, threads),
               {accessOf(x), accessOf(mix), add ? accessOf(out) : accessOf(x)}, {accessOf(out)},
               {0, bytesOf(x) + bytesOf(out) * (add ? 2 : 1)});
}

} // namespace fireside::vulkan
