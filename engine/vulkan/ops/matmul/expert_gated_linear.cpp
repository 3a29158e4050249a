#include "engine/core/error.h"
#include "engine/vulkan/ops/matmul/expert_rows.h"
#include "engine/vulkan/ops/matmul/expert_tiles.h"
#include "engine/vulkan/ops/matmul/gemv.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {
namespace {

void checkExpertGated(const LinearInput &x, const Tensor &ids, const GatedWeights &weights,
                      const Tensor &out)
{
    const char *const op = "expertGatedLinear";
    const Weight &gate = *weights.gate;
    expectActivation(op, "x", x.x);
    expectActivation(op, "out", out);
    expectShape(op, "x", x.x.rows, gate.cols, x.x);
    expectIds(op, "ids", x.x.rows, ids.cols, ids);
    expectShape(op, "out", x.x.rows * ids.cols, gate.rows, out);
    expectShape(op, gate.rows, gate.cols, *weights.up);
    expectMatrices(op, gate);
    expectVector(op, gate.cols, x.norm);
    expectVector(op, gate.rows, weights.gateBias);
    expectVector(op, gate.rows, weights.upBias);
    for (const Weight *other : {weights.up, weights.gateBias, weights.upBias})
        if (other != nullptr && other->depth != gate.depth)
            throw Error(ErrorKind::Internal,
                        std::string(op) + ": " + gate.name + " has " + std::to_string(gate.depth) +
                            " experts, " + other->name + " has " + std::to_string(other->depth));
}

ExpertRows fewRows(const LinearInput &x, const Tensor &ids, const GatedWeights &weights,
                   Activation act, const Tensor &out)
{
    ExpertRows rows;
    rows.op = "expertGatedLinear";
    rows.x = x.x;
    rows.norm = x.norm;
    rows.eps = x.eps;
    rows.weight = weights.gate;
    rows.up = weights.up;
    rows.bias = weights.gateBias;
    rows.upBias = weights.upBias;
    rows.act = act;
    rows.out = out;
    rows.ids = &ids;
    return rows;
}

} // namespace

bool mayRouteInside(const Recorder &r, const Tensor &logits, const Routing &routing,
                    const GatedWeights &weights)
{
    // Each group compares all experts of a token with one another.
    const std::int64_t maxExperts = r.capabilities().software ? 32 : 256;
    return logits.rows > 0 && logits.dtype == DType::F32 &&
           (logits.rows == 1 || logits.stride == logits.cols) && logits.cols <= maxExperts &&
           routing.bias == nullptr && routing.groups == 1 && weights.gateBias == nullptr &&
           weights.upBias == nullptr && arePairsFew(logits.rows, routing.used, logits.cols) &&
           asVulkan(*weights.gate).storage == asVulkan(*weights.up).storage &&
           fitsExpertsOfFewRows(r, *weights.gate);
}

void routeAndExpertGatedLinear(Recorder &r, const Tensor &logits, const Routing &routing,
                               const Tensor &ids, const Tensor &shares, const LinearInput &x,
                               const GatedWeights &weights, Activation act, const Tensor &out)
{
    expectRoute(logits, routing, ids, shares);
    checkExpertGated(x, ids, weights, out);
    expectShape("routeAndExpertGatedLinear", "logits", x.x.rows, weights.gate->depth, logits);
    const ExpertChoice choice{logits, shares, &routing};
    ExpertRows rows = fewRows(x, ids, weights, act, out);
    rows.choice = &choice;
    expertsOfFewRows(r, rows);
}

void expertGatedLinear(Recorder &r, const LinearInput &x, const Tensor &ids,
                       const GatedWeights &weights, Activation act, const Tensor &out)
{
    checkExpertGated(x, ids, weights, out);
    if (out.rows == 0)
        return;
    const std::int64_t tokens = x.x.rows, used = ids.cols, experts = weights.gate->depth;
    if (asVulkan(*weights.gate).storage != asVulkan(*weights.up).storage)
        throwUnsupported("expertGatedLinear on Vulkan with " + weights.gate->name + " in " +
                         name(weights.gate->dtype) + " and " + weights.up->name + " in " +
                         name(weights.up->dtype));
    if (arePairsFew(tokens, used, experts)) {
        const ExpertRows rows = fewRows(x, ids, weights, act, out);
        if (!expertsOfFewRows(r, rows))
            dispatchExpertRows(r, rows);
        return;
    }
    const std::size_t mark = r.mark();
    const GemmTile tile = tileFor(r, *weights.gate, pairsPerExpert(tokens, used, experts), true);
    const ExpertTiles sorted = sortByExpert(r, "expertGatedLinear", ids, experts, used, tile);
    TiledProduct product;
    product.op = "expertGatedLinear";
    product.x = prepareInput(r, x, tile, 2 * used * weights.gate->rows);
    product.weight = weights.gate;
    product.up = weights.up;
    product.bias = weights.gateBias;
    product.upBias = weights.upBias;
    product.act = act;
    product.out = out;
    product.experts = &sorted;
    TiledDispatch(r).add(product, tile);
    r.release(mark);
}

} // namespace fireside::vulkan
