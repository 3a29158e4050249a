#include "engine/cpu/cpu_op.h"
#include "engine/cpu/linear/batched_product.h"

// Products, with weights and between activations.
namespace fireside::cpu {

void CpuCommands::linear(const LinearInput &input, std::span<const LinearTarget> targets,
                         Accumulate mode)
{
    OpScope op(*this, Op::Linear);
    const Tensor &x = input.x;
    m_jobs.clear();
    for (const LinearTarget &target : targets) {
        if (!target.weight)
            op.fail("a target without weight");
        const CpuWeight &weight = asCpu(*target.weight);
        op.expect(weight.rows, x.cols, weight);
        op.expect("out", x.rows, weight.rows, target.out);
        const FloatRows out = op.output(target.out, "out", mode);
        LinearJob job;
        job.weight = weight.matrix();
        job.out = out.data;
        job.outStride = out.stride;
        job.accumulate = mode == Accumulate::AddToOutput;
        job.bias = op.vector(target.bias, weight.rows);
        m_jobs.push_back(job);
    }
    const InRows from = op.input(input);
    op.run([&] {
        cpu::linear(m_pool, m_linearScratch, from.data, from.stride, from.rows, from.cols, m_jobs);
    });
}

void CpuCommands::gatedLinear(const LinearInput &input, const GatedWeights &weights, Activation act,
                              const Tensor &out)
{
    OpScope op(*this, Op::GatedLinear);
    if (!weights.gate || !weights.up)
        op.fail("gate or up is missing");
    const CpuWeight &gate = asCpu(*weights.gate), &up = asCpu(*weights.up);
    op.expect(gate.rows, input.x.cols, gate);
    op.expect(gate.rows, input.x.cols, up);
    op.expect("out", input.x.rows, gate.rows, out);
    const GateBiases biases{op.vector(weights.gateBias, gate.rows),
                            op.vector(weights.upBias, gate.rows)};
    const FloatRows to = op.output(out, "out");
    const InRows from = op.input(input);
    op.run([&] {
        cpu::gatedLinear(m_pool, m_linearScratch, from.data, from.stride, from.rows, gate.matrix(),
                         up.matrix(), gateFunction(act), to.data, to.stride, biases);
    });
}

void CpuCommands::headLinear(const Tensor &x, const Weight &weight, const Tensor &out)
{
    OpScope op(*this, Op::HeadLinear);
    const CpuWeight &matrices = asCpu(weight);
    op.expect("x", x.rows, weight.depth * weight.cols, x);
    op.expect("out", x.rows, weight.depth * weight.rows, out);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::headLinear(m_pool, m_linearScratch, from, matrices, to); });
}

void CpuCommands::batchedProduct(const Tensor &a, const Tensor &b, const BatchedProduct &shape,
                                 const Tensor &out)
{
    OpScope op(*this, Op::BatchedProduct);
    if (shape.batch < 0 || shape.m < 0 || shape.n < 0 || shape.k < 0 || shape.aStride < 0 ||
        shape.bStride < 0 || shape.outStride < 0)
        op.fail("negative sizes");
    const auto matrices = [&](const Tensor &all, std::int64_t rows, std::int64_t cols,
                              std::int64_t distance, const char *what) {
        if (all.dtype != DType::F32 && all.dtype != DType::F16)
            op.fail(std::string(what) + " is " + fireside::name(all.dtype));
        // The tensor begins with the first matrix; its rows may go on with the others.
        if (all.cols != cols || (all.rows < rows && shape.batch > 0))
            op.expect(what, rows, cols, all);
        if (shape.batch == 0)
            return BatchedMatrix{};
        Tensor last = all;
        last.rows = rows;
        std::byte *data = tensorData(last, all.dtype, what);
        std::size_t skipped = 0;
        if (__builtin_mul_overflow(size(std::max<std::int64_t>(1, shape.batch) - 1), size(distance),
                                   &skipped) ||
            __builtin_mul_overflow(skipped, std::size_t{info(all.dtype).blockBytes}, &skipped) ||
            __builtin_add_overflow(all.offset, skipped, &last.offset))
            op.fail(std::string(what) + " reaches beyond any memory");
        tensorData(last, all.dtype, what);
        return BatchedMatrix{data, all.dtype, size(all.stride)};
    };
    const std::int64_t n = shape.n, k = shape.k;
    const BatchedMatrix left = matrices(a, shape.m, k, shape.aStride, "a");
    const BatchedMatrix right =
        matrices(b, shape.transposeB ? n : k, shape.transposeB ? k : n, shape.bStride, "b");
    const BatchedMatrix to = matrices(out, shape.m, n, shape.outStride, "out");
    op.run([&] { cpu::batchedProduct(m_pool, m_productMemory, left, right, shape, to); });
}

} // namespace fireside::cpu
