#include "engine/core/error.h"
#include "engine/vulkan/ops/matmul/expert_rows.h"
#include "engine/vulkan/ops/matmul/expert_tiles.h"
#include "engine/vulkan/ops/matmul/gemv.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {
namespace {

ExpertRows fewRows(const op::ExpertGatedLinear &op)
{
    ExpertRows rows;
    rows.op = op.kName;
    rows.x = op.input.x;
    rows.norm = op.input.norm;
    rows.eps = op.input.eps;
    rows.weight = op.weights.gate;
    rows.up = op.weights.up;
    rows.bias = op.weights.gateBias;
    rows.upBias = op.weights.upBias;
    rows.act = op.act;
    rows.out = op.out;
    rows.ids = &op.ids;
    return rows;
}

} // namespace

bool goTogether(const Recorder &r, const op::Route &route, const op::ExpertGatedLinear &gated)
{
    const Tensor &logits = route.logits;
    const Routing &routing = route.routing;
    const GatedWeights &weights = gated.weights;
    if (weights.gate == nullptr || routing.score == Routing::Score::SparseMixer ||
        routing.expertScale != nullptr)
        return false;
    if (!isSame(route.ids, gated.ids) || weights.gate->depth != logits.cols)
        return false;
    // Each group compares all experts of a token with one another.
    const std::int64_t maxExperts = r.capabilities().software ? 32 : 256;
    return logits.rows > 0 && logits.dtype == DType::F32 &&
           (logits.rows == 1 || logits.stride == logits.cols) && logits.cols <= maxExperts &&
           routing.bias == nullptr && routing.groups == 1 && weights.gateBias == nullptr &&
           weights.upBias == nullptr && arePairsFew(logits.rows, routing.used, logits.cols) &&
           asVulkan(*weights.gate).storage == asVulkan(*weights.up).storage &&
           fitsExpertsOfFewRows(r, *weights.gate);
}

void run(Recorder &r, const op::Route &route, const op::ExpertGatedLinear &gated)
{
    const ExpertChoice choice{route.logits, route.weights, &route.routing};
    ExpertRows rows = fewRows(gated);
    rows.choice = &choice;
    expertsOfFewRows(r, rows);
}

void requireSupported(const Recorder & /*r*/, const op::ExpertGatedLinear &op)
{
    if (op.weights.gate == nullptr)
        throwUnsupported("expertGatedLinear on Vulkan without a gate");
    const Weight &gate = *op.weights.gate, &up = *op.weights.up;
    requireMatrices(op.kName, gate);
    if (asVulkan(gate).storage != asVulkan(up).storage)
        throwUnsupported("expertGatedLinear on Vulkan with " + gate.name + " in " +
                         name(gate.dtype) + " and " + up.name + " in " + name(up.dtype));
    requireSortable(op.kName, op.ids.rows, op.ids.cols, gate.depth);
}

void run(Recorder &r, const op::ExpertGatedLinear &op)
{
    const LinearInput &x = op.input;
    const GatedWeights &weights = op.weights;
    if (op.out.rows == 0)
        return;
    const std::int64_t tokens = x.x.rows, used = op.ids.cols, experts = weights.gate->depth;
    if (arePairsFew(tokens, used, experts)) {
        const ExpertRows rows = fewRows(op);
        if (!expertsOfFewRows(r, rows))
            dispatchExpertRows(r, rows);
        return;
    }
    const std::size_t mark = r.mark();
    const GemmTile tile = tileFor(r, *weights.gate, pairsPerExpert(tokens, used, experts), true);
    const ExpertTiles sorted = sortByExpert(r, op.ids, experts, used, tile);
    TiledProduct product;
    product.op = op.kName;
    product.x = prepareInput(r, x, tile, 2 * used * weights.gate->rows);
    product.weight = weights.gate;
    product.up = weights.up;
    product.bias = weights.gateBias;
    product.upBias = weights.upBias;
    product.act = op.act;
    product.out = op.out;
    product.experts = &sorted;
    TiledDispatch(r).add(product, tile);
    r.release(mark);
}

} // namespace fireside::vulkan
