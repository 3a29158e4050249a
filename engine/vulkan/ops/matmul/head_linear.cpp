#include "engine/vulkan/ops/matmul/expert_rows.h"
#include "engine/vulkan/ops/matmul/gemm_dispatch.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {

void requireSupported(const Recorder & /*r*/, const op::HeadLinear &op)
{
    requireMatrices(op.kName, op.weight);
}

void run(Recorder &r, const op::HeadLinear &op)
{
    const Tensor &x = op.x, &out = op.out;
    const Weight &weight = op.weight;
    const std::int64_t heads = weight.depth;
    if (x.rows == 0)
        return;
    if (x.rows <= kFewRows) {
        ExpertRows rows;
        rows.op = op.kName;
        rows.x = x;
        rows.weight = &weight;
        rows.out = out;
        rows.heads = heads;
        rows.xStep = op.stepOfX();
        rows.outStep = op.stepOfOut();
        dispatchExpertRows(r, rows);
        return;
    }
    TiledProduct product;
    product.op = op.kName;
    product.x = x;
    product.weight = &weight;
    product.out = out;
    product.heads = heads;
    product.xStep = op.stepOfX();
    product.outStep = op.stepOfOut();
    TiledDispatch dispatch(r);
    dispatch.add(product, tileFor(r, weight, x.rows, false));
}

} // namespace fireside::vulkan
