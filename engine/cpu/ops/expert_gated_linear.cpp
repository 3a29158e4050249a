#include "engine/cpu/ops/expert_ops.h"
#include "engine/cpu/ops/op_call.h"

namespace fireside::cpu {

void run(OpCall &call, const op::ExpertGatedLinear &op)
{
    const auto matrices = [](const Weight *weight) {
        return weight != nullptr ? &asCpu(*weight) : nullptr;
    };
    const GatedWeights &w = op.weights;
    const ExpertGate experts{matrices(w.gate), asCpu(*w.up), matrices(w.gateBias),
                             matrices(w.upBias), gateFunction(op.act)};
    const IdRows ids = call.ids(op.ids, "ids");
    const FloatRows out = call.output(op.out, "out");
    const InRows x = call.input(op.input);
    CpuPass &pass = call.pass();
    call.run([&] {
        expertGatedLinear(pass.pool, pass.linearScratch, pass.expertScratch, x, ids, experts, out);
    });
}

} // namespace fireside::cpu
