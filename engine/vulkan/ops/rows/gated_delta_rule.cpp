#include "shaders/ops/rows/gated_delta_rule.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>
#include <utility>

namespace fireside::vulkan {

namespace {

constexpr std::int64_t kMaxKeyDim = 512;       // a column of the state is kept in registers
constexpr std::int64_t kStagedElements = 2048; // of keys and queries in shared memory: 16 KiB

} // namespace

void requireSupported(const Recorder &r, const op::GatedDeltaRule &op)
{
    if (const std::int64_t keyDim = op.k.cols / op.keyHeads; keyDim > kMaxKeyDim)
        throwUnsupported("gatedDeltaRule on Vulkan for keys of " + std::to_string(keyDim) +
                         " values (at most " + std::to_string(kMaxKeyDim) + ")");
    if (r.rows() > 0)
        r.states(op.kName, statePart(op));
}

void run(Recorder &r, const op::GatedDeltaRule &op)
{
    const Tensor &q = op.q, &k = op.k, &v = op.v, &g = op.g, &beta = op.beta;
    const Tensor &out = op.out;
    const std::int64_t T = r.rows(), heads = op.heads;
    const std::int64_t keyDim = k.cols / op.keyHeads, valueDim = v.cols / heads;
    const auto items = static_cast<std::int64_t>(r.items().size());
    if (T == 0 || keyDim == 0 || valueDim == 0)
        return;

    // Small groups: the columns of all heads are the only parallelism there is.
    const std::int64_t lanes = lanesFor(r, ceilDiv(keyDim, 4), 8);
    const ScanSteps steps = scanSteps(r, kStagedElements / keyDim);
    const std::uint32_t threads = threadsFor(r, valueDim * lanes, steps.threads);
    const bool decayRows = g.cols != heads;
    const bool fours =
        keyDim % 4 == 0 && rowsFitFours(r, {&q, &k}) && (!decayRows || rowsFitFours(r, {&g}));
    const GatedDeltaRuleConstants constants{.kThreads = threads,
                                            .kKeyDim = count32(keyDim),
                                            .kStaged = steps.staged,
                                            .kQHalf = isHalf(q),
                                            .kKHalf = isHalf(k),
                                            .kVHalf = isHalf(v),
                                            .kGHalf = isHalf(g),
                                            .kBetaHalf = isHalf(beta),
                                            .kOutHalf = isHalf(out),
                                            .kDecayRows = decayRows,
                                            .kLanes = count32(lanes),
                                            .kTogether = steps.together,
                                            .kFours = fours};
    const GatedDeltaRulePush push{.q = r.address(q),
                                  .k = r.address(k),
                                  .v = r.address(v),
                                  .g = r.address(g),
                                  .beta = r.address(beta),
                                  .result = r.address(out),
                                  .items = r.itemTable(),
                                  .caches = r.states(op.kName, statePart(op)),
                                  .qStride = strideBytes(q),
                                  .kStride = strideBytes(k),
                                  .vStride = strideBytes(v),
                                  .gStride = strideBytes(g),
                                  .betaStride = strideBytes(beta),
                                  .outStride = strideBytes(out),
                                  .headsPerKey = count32(heads / op.keyHeads),
                                  .valueDim = count32(valueDim),
                                  .stateOffset = count32(op.stateOffset)};
    const Access state = r.stateAccess(statePart(op));
    r.dispatch("gated_delta_rule", constants, push,
               {ceilDiv(valueDim * lanes, threads), heads, items},
               {accessOf(q), accessOf(k), accessOf(v), accessOf(g), accessOf(beta), state},
               {state, accessOf(out)},
               {4.0 * static_cast<double>(T * heads * keyDim * valueDim),
                8.0 * static_cast<double>(items * heads * keyDim * valueDim) + bytesOf(q) +
                    bytesOf(k) + bytesOf(v) + bytesOf(out)});
}

} // namespace fireside::vulkan
