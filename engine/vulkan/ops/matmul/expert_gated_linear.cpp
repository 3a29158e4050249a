#include "engine/core/error.h"
#include "engine/vulkan/ops/matmul/expert_rows.h"
#include "engine/vulkan/ops/matmul/expert_tiles.h"
#include "engine/vulkan/ops/matmul/gemv.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {
namespace {

/// The matrices in the order of the kernels: without a gate up comes first, and alone.
struct Matrices
{
    explicit Matrices(const GatedWeights &w)
        : first(w.gate != nullptr ? w.gate : w.up)
        , second(w.gate != nullptr ? w.up : nullptr)
        , bias(w.gate != nullptr ? w.gateBias : w.upBias)
        , secondBias(w.gate != nullptr ? w.upBias : nullptr)
    {}
    const Weight *first, *second, *bias, *secondBias;
};

ExpertRows fewRows(const op::ExpertGatedLinear &op)
{
    ExpertRows rows;
    rows.op = op.kName;
    rows.x = op.input.x;
    rows.norm = op.input.norm;
    rows.eps = op.input.eps;
    const Matrices matrices(op.weights);
    rows.weight = matrices.first;
    rows.up = matrices.second;
    rows.bias = matrices.bias;
    rows.upBias = matrices.secondBias;
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
    if (!isSame(route.ids, gated.ids) || weights.up->depth != logits.cols ||
        routing.score == Routing::Score::SparseMixer)
        return false;
    // Each group compares all experts of a token with one another.
    const std::int64_t maxExperts = r.capabilities().software ? 32 : 256;
    return logits.rows > 0 && logits.dtype == DType::F32 &&
           (logits.rows == 1 || logits.stride == logits.cols) && logits.cols <= maxExperts &&
           routing.bias == nullptr && routing.expertScale == nullptr && routing.groups == 1 &&
           weights.gateBias == nullptr && weights.upBias == nullptr &&
           arePairsFew(logits.rows, routing.used, logits.cols) &&
           (weights.gate == nullptr ||
            asVulkan(*weights.gate).storage == asVulkan(*weights.up).storage) &&
           fitsExpertsOfFewRows(r, *weights.up);
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
    const Weight &up = *op.weights.up, &gate = op.weights.gate != nullptr ? *op.weights.gate : up;
    requireMatrices(op.kName, gate);
    if (asVulkan(gate).storage != asVulkan(up).storage)
        throwUnsupported("expertGatedLinear on Vulkan with " + gate.name + " in " +
                         name(gate.dtype) + " and " + up.name + " in " + name(up.dtype));
    requireSortable(op.kName, op.ids.rows, op.ids.cols, gate.depth);
}

void run(Recorder &r, const op::ExpertGatedLinear &op)
{
    const LinearInput &x = op.input;
    const Matrices matrices(op.weights);
    if (op.out.rows == 0)
        return;
    const std::int64_t tokens = x.x.rows, used = op.ids.cols, experts = op.weights.up->depth;
    if (arePairsFew(tokens, used, experts)) {
        const ExpertRows rows = fewRows(op);
        if (!expertsOfFewRows(r, rows))
            dispatchExpertRows(r, rows);
        return;
    }
    const std::size_t mark = r.mark();
    const GemmTile tile = tileFor(r, *matrices.first, pairsPerExpert(tokens, used, experts),
                                  matrices.second != nullptr);
    const ExpertTiles sorted = sortByExpert(r, op.ids, experts, used, tile);
    TiledProduct product;
    product.op = op.kName;
    product.x = prepareInput(r, x, tile, (matrices.second != nullptr ? 2 : 1) * used * op.out.cols);
    product.weight = matrices.first;
    product.up = matrices.second;
    product.bias = matrices.bias;
    product.upBias = matrices.secondBias;
    product.act = op.act;
    product.out = op.out;
    product.experts = &sorted;
    TiledDispatch(r).add(product, tile);
    r.release(mark);
}

} // namespace fireside::vulkan
