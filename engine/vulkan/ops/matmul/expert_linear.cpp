#include "engine/core/error.h"
#include "engine/vulkan/ops/matmul/expert_rows.h"
#include "engine/vulkan/ops/matmul/expert_tiles.h"
#include "engine/vulkan/ops/matmul/gemv.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "shaders/ops/matmul/expert_tiles.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fireside::vulkan {
namespace {

/// out[t] (+)= Σⱼ weights[t, j] · each[t·used + j]
void sumUp(Recorder &r, const Tensor &each, const Tensor &ids, const Tensor &weights,
           std::int64_t experts, const Tensor &out, bool add)
{
    const std::int64_t all = out.rows * out.cols;
    const ExpertSumConstants constants{.kThreads = threadsFor(r, all),
                                       .kXHalf = isHalf(each),
                                       .kOutHalf = isHalf(out),
                                       .kAdd = add};
    const ExpertSumPush push{.x = r.address(each),
                             .ids = r.address(ids),
                             .shares = r.address(weights),
                             .result = r.address(out),
                             .tokens = count32(out.rows),
                             .used = count32(ids.cols),
                             .outs = count32(out.cols),
                             .experts = count32(experts),
                             .xStride = count32(each.stride),
                             .idStride = count32(ids.stride),
                             .shareStride = count32(weights.stride),
                             .outStride = count32(out.stride)};
    std::vector<Access> reads = {accessOf(each), accessOf(ids), accessOf(weights)};
    if (add)
        reads.push_back(accessOf(out));
    const Access write = accessOf(out);
    r.append("expert_sum", constants, &push, sizeof push,
             flatWorkgroups(r, all, constants.kThreads), reads, {&write, 1},
             {0, bytesOf(each) + bytesOf(out)});
}

} // namespace

void requireSupported(const Recorder & /*r*/, const op::ExpertLinear &op)
{
    requireMatrices(op.kName, op.down);
    if (op.ids.cols > maxSummedExperts() || !arePairsFew(op.ids.rows, op.ids.cols, op.down.depth))
        requireSortable(op.kName, op.ids.rows, op.ids.cols, op.down.depth);
}

void run(Recorder &r, const op::ExpertLinear &op)
{
    const Tensor &x = op.x, &ids = op.ids, &weights = op.weights, &out = op.out;
    const Weight &down = op.down, *const bias = op.bias;
    if (out.rows == 0)
        return;
    const bool add = op.mode == Accumulate::AddToOutput;
    const std::int64_t tokens = out.rows, used = ids.cols, experts = down.depth;
    if (used <= maxSummedExperts() && arePairsFew(tokens, used, experts)) {
        ExpertRows rows;
        rows.op = op.kName;
        rows.x = x;
        rows.weight = &down;
        rows.bias = bias;
        rows.out = out;
        rows.add = add;
        rows.ids = &ids;
        rows.shares = &weights;
        if (!expertsOfFewRows(r, rows))
            dispatchExpertRows(r, rows);
        return;
    }
    const std::size_t mark = r.mark();
    const GemmTile tile = tileFor(r, down, pairsPerExpert(tokens, used, experts), false);
    const ExpertTiles sorted = sortByExpert(r, ids, experts, 1, tile);
    const Tensor each = r.scratch(tokens * used, down.rows);
    TiledProduct product;
    product.op = op.kName;
    product.x = prepareInput(r, x, tile, down.rows);
    product.weight = &down;
    product.bias = bias;
    product.out = each;
    product.experts = &sorted;
    TiledDispatch(r).add(product, tile);
    sumUp(r, each, ids, weights, experts, out, add);
    r.release(mark);
}

} // namespace fireside::vulkan
