#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"

namespace fireside::cpu {

void run(OpCall &call, const op::AppendLatent &op)
{
    CpuPass &pass = call.pass();
    AttentionShape shape;
    shape.heads = shape.kvHeads = 1;
    shape.headDim = op.latent.cols + op.ropePart.cols;
    shape.valueDim = op.latent.cols;
    pass.findCaches(op.layer, shape);
    for (const AttentionItem &item : pass.attention)
        if (item.cache.values)
            call.fail("the cache of layer " + std::to_string(op.layer) + " is not a latent one");
    const HeadStep step = call.headStep({.headDim = op.ropePart.cols, .rope = op.rope});
    const InRows values = call.input(op.latent, "latent"),
                 rotary = call.input(op.ropePart, "ropePart");
    const FloatRows keys = call.temporary(values.rows, size(shape.headDim));
    call.run([&] {
        copy(pass.pool, values, {keys.data, keys.stride, keys.rows, values.cols});
        transformHeads(pass.pool, rotary, 1, step, HeadOrder::TokenMajor,
                       {keys.data + values.cols, keys.stride, keys.rows, rotary.cols});
        for (const AttentionItem &item : pass.attention)
            appendKv(pass.pool, item.cache, part(asInput(keys), item.firstRow, item.rows), {},
                     item.past);
    });
}

} // namespace fireside::cpu
