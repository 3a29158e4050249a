#include "shaders/ops/rows/gated_delta_rule.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>
#include <utility>

namespace fireside::vulkan {

namespace {

constexpr std::int64_t kMaxKeyDim = 512;       // a column of the state is kept in registers
constexpr std::int64_t kStagedElements = 1024; // of keys and queries in shared memory: 8 KiB

} // namespace

void gatedDeltaRule(Recorder &r, const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &g,
                    const Tensor &beta, std::int64_t heads, const Tensor &state, const Tensor &out)
{
    const char *op = "gatedDeltaRule";
    const auto items = static_cast<std::int64_t>(r.items().size());
    const std::int64_t T = r.rows();
    if (heads < 1 || k.cols % heads != 0 || v.cols % heads != 0)
        throw Error(ErrorKind::Internal, std::string(op) + ": " + std::to_string(k.cols) +
                                             " columns of k and " + std::to_string(v.cols) +
                                             " of v are no multiples of " + std::to_string(heads) +
                                             " heads");
    const std::int64_t keyDim = k.cols / heads, valueDim = v.cols / heads;
    for (const auto &[what, tensor] :
         {std::pair{"q", &q}, {"k", &k}, {"v", &v}, {"g", &g}, {"beta", &beta}, {"out", &out}})
        expectActivation(op, what, *tensor);
    expectShape(op, "q", T, heads * keyDim, q);
    expectShape(op, "k", T, heads * keyDim, k);
    expectShape(op, "v", T, heads * valueDim, v);
    expectShape(op, "g", T, heads, g);
    expectShape(op, "beta", T, heads, beta);
    expectShape(op, "out", T, heads * valueDim, out);
    expectShape(op, "state", items * heads * keyDim, valueDim, state);
    if (state.dtype != DType::F32)
        throw Error(ErrorKind::Internal,
                    std::string("gatedDeltaRule: the state should be F32 but is ") +
                        info(state.dtype).name);
    if (keyDim > kMaxKeyDim)
        throwUnsupported("gatedDeltaRule on Vulkan for keys of " + std::to_string(keyDim) +
                         " values (at most " + std::to_string(kMaxKeyDim) + ")");
    if (T == 0 || keyDim == 0 || valueDim == 0)
        return;

    // Small groups: the columns of all heads are the only parallelism there is.
    const std::uint32_t threads = threadsFor(r, valueDim, 32);
    const std::int64_t staged = std::clamp<std::int64_t>(kStagedElements / keyDim, 1, 16);
    const GatedDeltaRuleConstants constants{.kThreads = threads,
                                            .kKeyDim = count32(keyDim),
                                            .kStaged = count32(staged),
                                            .kQHalf = isHalf(q),
                                            .kKHalf = isHalf(k),
                                            .kVHalf = isHalf(v),
                                            .kGHalf = isHalf(g),
                                            .kBetaHalf = isHalf(beta),
                                            .kOutHalf = isHalf(out)};
    const GatedDeltaRulePush push{.q = r.address(q),
                                  .k = r.address(k),
                                  .v = r.address(v),
                                  .g = r.address(g),
                                  .beta = r.address(beta),
                                  .state = r.address(state),
                                  .result = r.address(out),
                                  .items = r.itemTable(),
                                  .qStride = strideBytes(q),
                                  .kStride = strideBytes(k),
                                  .vStride = strideBytes(v),
                                  .gStride = strideBytes(g),
                                  .betaStride = strideBytes(beta),
                                  .stateStride = strideBytes(state),
                                  .outStride = strideBytes(out),
                                  .heads = count32(heads),
                                  .valueDim = count32(valueDim)};
    r.dispatch(
        "gated_delta_rule", constants, push, {ceilDiv(valueDim, threads), heads, items},
        {accessOf(q), accessOf(k), accessOf(v), accessOf(g), accessOf(beta), accessOf(state)},
        {accessOf(state), accessOf(out)},
        {4.0 * static_cast<double>(T * heads * keyDim * valueDim),
         2 * bytesOf(state) + bytesOf(q) + bytesOf(k) + bytesOf(v) + bytesOf(out)});
}

} // namespace fireside::vulkan
