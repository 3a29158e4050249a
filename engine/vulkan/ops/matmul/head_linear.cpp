#include "engine/vulkan/ops/matmul/expert_rows.h"
#include "engine/vulkan/ops/matmul/gemm_dispatch.h"
#include "engine/vulkan/ops/ops.h"

namespace fireside::vulkan {

void headLinear(Recorder &r, const Tensor &x, const Weight &weight, const Tensor &out)
{
    const std::int64_t heads = weight.depth;
    expectActivation("headLinear", "x", x);
    expectActivation("headLinear", "out", out);
    expectShape("headLinear", "x", out.rows, heads * weight.cols, x);
    expectShape("headLinear", "out", x.rows, heads * weight.rows, out);
    expectMatrices("headLinear", weight);
    if (x.rows == 0)
        return;
    if (x.rows <= kFewRows) {
        ExpertRows rows;
        rows.op = "headLinear";
        rows.x = x;
        rows.weight = &weight;
        rows.out = out;
        rows.heads = heads;
        dispatchExpertRows(r, rows);
        return;
    }
    TiledProduct product;
    product.op = "headLinear";
    product.x = x;
    product.weight = &weight;
    product.out = out;
    product.heads = heads;
    TiledDispatch dispatch(r);
    dispatch.add(product, tileFor(r, weight, x.rows, false));
}

} // namespace fireside::vulkan
