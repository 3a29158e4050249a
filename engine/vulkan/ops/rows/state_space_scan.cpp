#include "shaders/ops/rows/state_space_scan.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {

namespace {

constexpr std::int64_t kMaxRowStates = 256;  // a row of the state is kept in registers
constexpr std::int64_t kStagedStates = 2048; // pairs of b and c in shared memory: 16 KiB

} // namespace

void requireSupported(const Recorder &r, const op::StateSpaceScan &op)
{
    if (const std::int64_t states = op.b.cols / op.groups; states > kMaxRowStates)
        throwUnsupported("stateSpaceScan on Vulkan for states of " + std::to_string(states) +
                         " numbers a row (at most " + std::to_string(kMaxRowStates) + ")");
    if (r.rows() > 0)
        r.states(op.kName, statePart(op));
}

void run(Recorder &r, const op::StateSpaceScan &op)
{
    const Tensor &x = op.x, &dt = op.dt, &b = op.b, &c = op.c, &out = op.out;
    const std::int64_t T = r.rows(), heads = op.heads;
    const std::int64_t headDim = x.cols / heads, states = b.cols / op.groups;
    const auto items = static_cast<std::int64_t>(r.items().size());
    if (T == 0 || headDim == 0 || states == 0)
        return;
    // What a team reads of a row serves all rows of the state that it keeps: on an H200 the scan of
    // a prompt takes as long as reading shared memory. The number of threads stays the same.
    const ScanSteps steps = scanSteps(r, kStagedStates / states);
    const std::int64_t lanes = lanesFor(r, ceilDiv(states, 4), steps.together > 1 ? 32 : 8);
    const std::int64_t own = steps.together > 1 ? std::max<std::int64_t>(2, lanes / 8) : 1;
    const std::uint32_t threads = threadsFor(r, ceilDiv(headDim, own) * lanes, steps.threads);
    const StateSpaceScanConstants constants{.kThreads = threads,
                                            .kStates = count32(states),
                                            .kStaged = steps.staged,
                                            .kXHalf = isHalf(x),
                                            .kDtHalf = isHalf(dt),
                                            .kBHalf = isHalf(b),
                                            .kCHalf = isHalf(c),
                                            .kOutHalf = isHalf(out),
                                            .kHasBias = op.dtBias != nullptr,
                                            .kHasD = op.d != nullptr,
                                            .kLanes = count32(lanes),
                                            .kTogether = steps.together,
                                            .kFours = states % 4 == 0 && rowsFitFours(r, {&b, &c}),
                                            .kOwn = count32(own),
                                            .kStateWide =
                                                states % 4 == 0 && op.stateOffset % 4 == 0};
    const StateSpaceScanPush push{.x = r.address(x),
                                  .dt = r.address(dt),
                                  .dtBias = vectorAddress(op.dtBias),
                                  .a = vectorAddress(&op.a),
                                  .b = r.address(b),
                                  .c = r.address(c),
                                  .d = vectorAddress(op.d),
                                  .result = r.address(out),
                                  .items = r.itemTable(),
                                  .caches = r.states(op.kName, statePart(op)),
                                  .xStride = strideBytes(x),
                                  .dtStride = strideBytes(dt),
                                  .bStride = strideBytes(b),
                                  .cStride = strideBytes(c),
                                  .outStride = strideBytes(out),
                                  .headsPerGroup = count32(heads / op.groups),
                                  .headDim = count32(headDim),
                                  .stateOffset = count32(op.stateOffset),
                                  .dtMin = op.dtMin,
                                  .dtMax = op.dtMax};
    const Access state = r.stateAccess(statePart(op));
    r.dispatch("state_space_scan", constants, push,
               {ceilDiv(headDim, threads / lanes * own), heads, items},
               {accessOf(x), accessOf(dt), accessOf(b), accessOf(c), state}, {state, accessOf(out)},
               {4.0 * static_cast<double>(T * x.cols * states),
                8.0 * static_cast<double>(items * x.cols * states) + bytesOf(x) + bytesOf(out)});
}

} // namespace fireside::vulkan
