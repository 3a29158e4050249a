#include "engine/cpu/cpu_op.h"

// The ops of row_ops.h: each row by itself.
namespace fireside::cpu {

void CpuCommands::rmsNorm(const Tensor &x, const Weight &weight, float eps, const Tensor &out)
{
    OpScope op(*this, Op::RmsNorm);
    op.expect("out", x.rows, x.cols, out);
    const float *scale = op.vector(&weight, x.cols);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::rmsNorm(m_pool, from, scale, eps, to); });
}

void CpuCommands::addRmsNorm(const Tensor &residual, const Tensor &x, const Weight &weight,
                             float eps, const Tensor &out)
{
    OpScope op(*this, Op::AddRmsNorm);
    op.expect("residual", x.rows, x.cols, residual);
    op.expect("out", x.rows, x.cols, out);
    const float *scale = op.vector(&weight, x.cols);
    const InRows from = op.input(x, "x");
    const FloatRows sum = op.update(residual, "residual"), to = op.output(out, "out");
    op.run([&] { cpu::addRmsNorm(m_pool, sum, from, scale, eps, to); });
}

void CpuCommands::layerNorm(const Tensor &x, const Weight &weight, const Weight *bias, float eps,
                            const Tensor &out)
{
    OpScope op(*this, Op::LayerNorm);
    op.expect("out", x.rows, x.cols, out);
    const float *scale = op.vector(&weight, x.cols), *offset = op.vector(bias, x.cols);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::layerNorm(m_pool, from, scale, offset, eps, to); });
}

void CpuCommands::addLayerNorm(const Tensor &residual, const Tensor &x, const Weight &weight,
                               const Weight *bias, float eps, const Tensor &out)
{
    OpScope op(*this, Op::AddLayerNorm);
    op.expect("residual", x.rows, x.cols, residual);
    op.expect("out", x.rows, x.cols, out);
    const float *scale = op.vector(&weight, x.cols), *offset = op.vector(bias, x.cols);
    const InRows from = op.input(x, "x");
    const FloatRows sum = op.update(residual, "residual"), to = op.output(out, "out");
    op.run([&] { cpu::addLayerNorm(m_pool, sum, from, scale, offset, eps, to); });
}

void CpuCommands::l2Normalize(const Tensor &x, const Tensor &out)
{
    OpScope op(*this, Op::L2Normalize);
    op.expect("out", x.rows, x.cols, out);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::l2Normalize(m_pool, from, to); });
}

namespace {

/// The second input's shape: the first one's, one row or one number.
bool broadcasts(const Tensor &a, const Tensor &b)
{
    return (b.rows == a.rows && b.cols == a.cols) || (b.rows == 1 && b.cols == a.cols) ||
           (b.rows == 1 && b.cols == 1);
}

} // namespace

void CpuCommands::add(const Tensor &a, const Tensor &b, const Tensor &out)
{
    OpScope op(*this, Op::Add);
    if (!broadcasts(a, b))
        op.expect("b", a.rows, a.cols, b);
    op.expect("out", a.rows, a.cols, out);
    const InRows x = op.input(a, "a"), y = op.input(b, "b");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::add(m_pool, x, y, to); });
}

void CpuCommands::multiply(const Tensor &a, const Tensor &b, const Tensor &out)
{
    OpScope op(*this, Op::Multiply);
    if (!broadcasts(a, b))
        op.expect("b", a.rows, a.cols, b);
    op.expect("out", a.rows, a.cols, out);
    const InRows x = op.input(a, "a"), y = op.input(b, "b");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::multiply(m_pool, x, y, to); });
}

void CpuCommands::addScaled(const Tensor &x, float scale, const Tensor &out)
{
    OpScope op(*this, Op::AddScaled);
    op.expect("out", x.rows, x.cols, out);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.update(out, "out");
    op.run([&] { cpu::addScaled(m_pool, from, scale, to); });
}

void CpuCommands::addBias(const Tensor &x, const Weight &bias, const Tensor *residual,
                          const Tensor &out)
{
    OpScope op(*this, Op::AddBias);
    op.expect("out", x.rows, x.cols, out);
    if (residual)
        op.expect("residual", x.rows, x.cols, *residual);
    const float *offset = op.vector(&bias, x.cols);
    const InRows from = op.input(x, "x");
    const InRows rest = residual ? op.input(*residual, "residual") : InRows{};
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::addBias(m_pool, from, offset, rest, to); });
}

void CpuCommands::activate(const Tensor &x, Activation act, const Weight *bias, const Tensor &out)
{
    OpScope op(*this, Op::Activate);
    if (act == Activation::ClampedSwiGlu)
        op.fail("ClampedSwiGlu needs a gate and an up input");
    op.expect("out", x.rows, x.cols, out);
    const float *offset = op.vector(bias, x.cols);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::activate(m_pool, from, act, offset, to); });
}

void CpuCommands::gate(const Tensor &gateInput, const Tensor &up, Activation act, const Tensor &out)
{
    OpScope op(*this, Op::Gate);
    op.expect("up", gateInput.rows, gateInput.cols, up);
    op.expect("out", gateInput.rows, gateInput.cols, out);
    const InRows gates = op.input(gateInput, "gate"), ups = op.input(up, "up");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::gate(m_pool, gates, ups, act, to); });
}

void CpuCommands::softcap(const Tensor &x, float cap, const Tensor &out)
{
    OpScope op(*this, Op::Softcap);
    op.expect("out", x.rows, x.cols, out);
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::softcap(m_pool, from, cap, to); });
}

void CpuCommands::softmax(const Tensor &x, float scale, const Tensor *visible, const Tensor &out)
{
    OpScope op(*this, Op::Softmax);
    op.expect("out", x.rows, x.cols, out);
    if (visible)
        op.expect("visible", x.rows, 1, *visible);
    const IdRows seen = visible ? op.ids(*visible, "visible") : IdRows{};
    const InRows from = op.input(x, "x");
    const FloatRows to = op.output(out, "out");
    op.run([&] { cpu::softmax(m_pool, from, scale, visible ? &seen : nullptr, to); });
}

void CpuCommands::argmax(const Tensor &x, const Tensor &ids)
{
    OpScope op(*this, Op::Argmax);
    op.expect("ids", x.rows, 1, ids);
    const InRows from = op.input(x, "x");
    const IdRows to = op.ids(ids, "ids");
    op.run([&] { cpu::argmax(m_pool, from, to); });
}

void CpuCommands::topK(const Tensor &x, const Tensor &values, const Tensor &ids)
{
    OpScope op(*this, Op::TopK);
    op.expect("values", x.rows, values.cols, values);
    op.expect("ids", x.rows, values.cols, ids);
    const InRows from = op.input(x, "x");
    const FloatRows largest = op.output(values, "values");
    const IdRows to = op.ids(ids, "ids");
    op.run([&] { cpu::topK(m_pool, from, largest, to); });
}

void CpuCommands::route(const Tensor &logits, const Routing &routing, const Tensor &ids,
                        const Tensor &weights)
{
    OpScope op(*this, Op::Route);
    op.expect("ids", logits.rows, routing.used, ids);
    op.expect("weights", logits.rows, routing.used, weights);
    const float *bias = op.vector(routing.bias, logits.cols);
    const InRows from = op.input(logits, "logits");
    const IdRows chosen = op.ids(ids, "ids");
    const FloatRows to = op.output(weights, "weights");
    checkRouting(routing, logits.cols);
    op.run([&] { cpu::route(m_pool, from, routing, bias, chosen, to); });
}

} // namespace fireside::cpu
