#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"

namespace fireside::cpu {
namespace {

/// The part of each query's head that turns.
void turnQueries(ThreadPool &pool, const op::AppendLatent &op, const HeadStep &step,
                 const InRows &queries, const FloatRows &turned)
{
    const std::size_t r = size(op.ropePart.cols);
    for (std::size_t h = 0; h < size(op.heads); ++h)
        transformHeads(pool,
                       {queries.data + h * size(op.queryStep), queries.stride, queries.rows, r}, 1,
                       step, HeadOrder::TokenMajor,
                       {turned.data + h * size(op.turnedStep), turned.stride, turned.rows, r});
}

bool turnsInPlace(const op::AppendLatent &op)
{
    return op.queries.buffer == op.turned.buffer && op.queries.offset == op.turned.offset;
}

} // namespace

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
    const float *norm = call.vector(op.norm);
    const InRows values = call.input(op.latent, "latent"),
                 rotary = call.input(op.ropePart, "ropePart");
    const FloatRows keys = call.temporary(values.rows, size(shape.headDim));
    InRows queries;
    FloatRows turned;
    if (op.heads > 0 && turnsInPlace(op)) {
        turned = call.update(op.turned, "turned");
        queries = asInput(turned);
    } else if (op.heads > 0) {
        queries = call.input(op.queries, "queries");
        turned = call.update(op.turned, "turned"); // what lies between the heads stays
    }
    call.run([&] {
        const FloatRows latent{keys.data, keys.stride, keys.rows, values.cols};
        if (norm)
            rmsNorm(pass.pool, values, norm, op.eps, latent);
        else
            copy(pass.pool, values, latent);
        transformHeads(pass.pool, rotary, 1, step, HeadOrder::TokenMajor,
                       {keys.data + values.cols, keys.stride, keys.rows, rotary.cols});
        for (const AttentionItem &item : pass.attention)
            appendKv(pass.pool, item.cache, part(asInput(keys), item.firstRow, item.rows), {},
                     item.past);
        turnQueries(pass.pool, op, step, queries, turned);
    });
}

} // namespace fireside::cpu
