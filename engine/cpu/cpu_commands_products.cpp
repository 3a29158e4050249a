#include "engine/cpu/cpu_op.h"

// Products with weights.
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

} // namespace fireside::cpu
