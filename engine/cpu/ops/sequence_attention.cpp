#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/op_call.h"

namespace fireside::cpu {

void run(OpCall &call, const op::SequenceAttention &op)
{
    CpuPass &pass = call.pass();
    const float *sinks = call.vector(op.shape.sinks);
    const DistanceBias distances{call.vector(op.distances), op.reach()};
    const InRows q = call.input(op.q, "q"), k = call.input(op.k, "k"), v = call.input(op.v, "v");
    const FloatRows out = call.output(op.out, "out");
    const std::size_t kvHeads = size(op.shape.kvHeads), T = k.rows;
    const std::size_t dim = size(op.shape.headDim), valueDim = size(op.shape.values());
    // Head-major copies are a cache as attention reads it, each item a part of it.
    const FloatRows keyCache = call.temporary(kvHeads * T, dim);
    const FloatRows valueCache = call.temporary(kvHeads * T, valueDim);
    call.run([&] {
        reorderHeads(pass.pool, k, kvHeads, HeadOrder::HeadMajor, keyCache);
        reorderHeads(pass.pool, v, kvHeads, HeadOrder::HeadMajor, valueCache);
        pass.attention.clear();
        for (const BatchItem &item : pass.items) {
            const std::size_t first = size(item.firstRow);
            pass.attention.push_back({{reinterpret_cast<std::byte *>(keyCache.row(first)),
                                       reinterpret_cast<std::byte *>(valueCache.row(first)),
                                       DType::F32, kvHeads, T, dim, valueDim},
                                      first,
                                      size(item.rows),
                                      0});
        }
        attention(pass.pool, pass.attention, q, op.shape, sinks, out, distances);
    });
}

} // namespace fireside::cpu
