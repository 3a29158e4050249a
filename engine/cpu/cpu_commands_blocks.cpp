#include "engine/cpu/cpu_op.h"
#include "engine/cpu/ops/state_ops.h"

// Mixtures of experts and recurrent blocks.
namespace fireside::cpu {

void CpuCommands::expertGatedLinear(const LinearInput &x, const Tensor &ids,
                                    const GatedWeights &weights, Activation act, const Tensor &out)
{
    OpScope op(*this, Op::ExpertGatedLinear);
    if (!weights.gate || !weights.up)
        op.fail("gate or up is missing");
    const CpuWeight &gate = asCpu(*weights.gate), &up = asCpu(*weights.up);
    op.expect(gate.rows, x.x.cols, gate, gate.depth);
    op.expect(gate.rows, x.x.cols, up, gate.depth);
    op.expect("ids", x.x.rows, ids.cols, ids);
    op.expect("out", x.x.rows * ids.cols, gate.rows, out);
    const auto bias = [&](const Weight *weight) -> const CpuWeight * {
        if (!weight)
            return nullptr;
        op.expect(1, gate.rows, *weight, gate.depth);
        return &asCpu(*weight);
    };
    const ExpertGate experts{gate, up, bias(weights.gateBias), bias(weights.upBias),
                             gateFunction(act)};
    const IdRows chosen = op.ids(ids, "ids");
    const FloatRows to = op.output(out, "out");
    const InRows from = op.input(x);
    op.run([&] {
        cpu::expertGatedLinear(m_pool, m_linearScratch, m_expertScratch, from, chosen, experts, to);
    });
}

void CpuCommands::expertLinear(const Tensor &x, const Tensor &ids, const Tensor &weights,
                               const Weight &down, const Weight *bias, const Tensor &out,
                               Accumulate mode)
{
    OpScope op(*this, Op::ExpertLinear);
    const CpuWeight &experts = asCpu(down);
    op.expect(down.rows, x.cols, down, down.depth);
    if (bias)
        op.expect(1, down.rows, *bias, down.depth);
    op.expect("weights", ids.rows, ids.cols, weights);
    op.expect("x", ids.rows * ids.cols, down.cols, x);
    op.expect("out", ids.rows, down.rows, out);
    const CpuWeight *offsets = bias ? &asCpu(*bias) : nullptr;
    const IdRows chosen = op.ids(ids, "ids");
    const InRows from = op.input(x, "x"), shares = op.input(weights, "weights");
    const FloatRows to = op.output(out, "out", mode);
    op.run([&] {
        cpu::expertLinear(m_pool, m_linearScratch, m_expertScratch, from, chosen, shares, experts,
                          offsets, to, mode == Accumulate::AddToOutput);
    });
}

void CpuCommands::shortConvolution(const Tensor &x, const Weight &weight, const Weight *bias,
                                   const Tensor &state, const Tensor &out)
{
    OpScope op(*this, Op::ShortConvolution);
    const CpuWeight &taps = asCpu(weight);
    op.expect("x", rows(), weight.rows, x);
    op.expect("out", rows(), weight.rows, out);
    op.expect(x.cols, weight.cols, weight);
    const auto items = static_cast<std::int64_t>(m_items.size());
    op.expect("state", items * (weight.cols - 1), x.cols, state);
    const float *offset = op.vector(bias, x.cols);
    const InRows from = op.input(x, "x");
    const FloatRows kept = op.update(state, "state"), to = op.output(out, "out");
    const std::size_t taken = size(weight.cols), channels = size(x.cols);
    const FloatRows row = op.temporary(1, taken), turned = op.temporary(taken, channels);
    const FloatRows next = op.temporary(taken, channels);
    op.run([&] {
        for (std::size_t c = 0; c < channels; ++c) {
            dequantizeRow(taps.dtype, taps.row(static_cast<std::int64_t>(c)), row.data, taken);
            for (std::size_t j = 0; j < taken; ++j)
                turned.row(j)[c] = row.data[j];
        }
        cpu::shortConvolution(m_pool, from, asInput(turned), offset, itemRows(), kept, next, to);
    });
}

void CpuCommands::gatedDeltaRule(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &g,
                                 const Tensor &beta, std::int64_t heads, const Tensor &state,
                                 const Tensor &out)
{
    OpScope op(*this, Op::GatedDeltaRule);
    if (heads <= 0 || q.cols % heads != 0 || v.cols % heads != 0)
        op.fail(std::to_string(heads) + " heads in q " + shapeText(q.rows, q.cols) + " and v " +
                shapeText(v.rows, v.cols));
    const auto items = static_cast<std::int64_t>(m_items.size());
    op.expect("q", rows(), q.cols, q);
    op.expect("k", rows(), q.cols, k);
    op.expect("v", rows(), v.cols, v);
    op.expect("g", rows(), heads, g);
    op.expect("beta", rows(), heads, beta);
    op.expect("state", items * q.cols, v.cols / heads, state);
    op.expect("out", rows(), v.cols, out);
    const InRows queries = op.input(q, "q"), keys = op.input(k, "k"), values = op.input(v, "v");
    const InRows decays = op.input(g, "g"), rates = op.input(beta, "beta");
    const FloatRows kept = op.update(state, "state"), to = op.output(out, "out");
    const FloatRows change = op.temporary(size(m_pool.size()), kept.cols);
    op.run([&] {
        cpu::gatedDeltaRule(m_pool, queries, keys, values, decays, rates, itemRows(), kept, change,
                            to);
    });
}

} // namespace fireside::cpu
