#include "engine/cpu/linear/batched_product.h"
#include "engine/cpu/ops/op_call.h"

namespace fireside::cpu {

void run(OpCall &call, const op::BatchedProduct &op)
{
    const auto matrix = [&](const Tensor &t, std::int64_t rows, const char *what) {
        if (op.shape.batch == 0)
            return BatchedMatrix{};
        Tensor first = t;
        first.rows = rows;
        return BatchedMatrix{tensorData(first, t.dtype, what), t.dtype, size(t.stride)};
    };
    const BatchShape &s = op.shape;
    const BatchedMatrix a = matrix(op.a, s.m, "a");
    const BatchedMatrix b = matrix(op.b, s.transposeB ? s.n : s.k, "b");
    const BatchedMatrix out = matrix(op.out, s.m, "out");
    call.run([&] { batchedProduct(call.pool(), call.pass().productMemory, a, b, s, out); });
}

} // namespace fireside::cpu
