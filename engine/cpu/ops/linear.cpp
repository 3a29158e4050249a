#include "engine/cpu/linear/linear.h"
#include "engine/cpu/ops/op_call.h"

// The products themselves are in engine/cpu/linear.
namespace fireside::cpu {

void run(OpCall &call, const op::Linear &op)
{
    CpuPass &pass = call.pass();
    pass.jobs.clear();
    for (const LinearTarget &target : op.targets) {
        const FloatRows out = call.output(target.out, "out", op.mode);
        LinearJob job;
        job.weight = asCpu(*target.weight).matrix();
        job.out = out.data;
        job.outStride = out.stride;
        job.accumulate = op.mode == Accumulate::AddToOutput;
        job.bias = call.vector(target.bias);
        pass.jobs.push_back(job);
    }
    const InRows x = call.input(op.input);
    call.run([&] {
        linear(pass.pool, pass.linearScratch, x.data, x.stride, x.rows, x.cols, pass.jobs);
    });
}

void run(OpCall &call, const op::GatedLinear &op)
{
    CpuPass &pass = call.pass();
    const CpuWeight &gate = asCpu(*op.weights.gate), &up = asCpu(*op.weights.up);
    const GateBiases biases{call.vector(op.weights.gateBias), call.vector(op.weights.upBias)};
    const FloatRows out = call.output(op.out, "out");
    const InRows x = call.input(op.input);
    call.run([&] {
        gatedLinear(pass.pool, pass.linearScratch, x.data, x.stride, x.rows, gate.matrix(),
                    up.matrix(), gateFunction(op.act), out.data, out.stride, biases);
    });
}

} // namespace fireside::cpu
