#include "engine/cpu/ops/op_call.h"

#include "engine/core/error.h"

namespace fireside::cpu {
namespace {

/// Runs f; an Error of a tensor is told with the op's name before it.
template <typename F>
auto named(const char *op, const F &f)
{
    try {
        return f();
    } catch (const Error &error) {
        throw Error(error.kind(), std::string(op) + ": " + error.what());
    }
}

} // namespace

OpCall::OpCall(CpuPass &pass, const char *op)
    : m_pass(pass)
    , m_name(op)
{
    if (pass.stop.stop_requested())
        pass.stopped = true;
    m_skip = pass.stopped;
    pass.views.restart();
}

void OpCall::fail(const std::string &text) const
{
    throwInternal(std::string(m_name) + ": " + text);
}

InRows OpCall::input(const Tensor &t, const char *what)
{
    return named(m_name, [&] { return asInput(m_pass.views.view(m_pass.pool, t, what, !m_skip)); });
}

InRows OpCall::input(const LinearInput &input)
{
    const InRows x = this->input(input.x, "x");
    if (!input.norm)
        return x;
    const float *weight = vector(input.norm);
    const FloatRows out = temporary(x.rows, x.cols);
    if (!m_skip)
        cpu::rmsNorm(m_pass.pool, x, weight, input.eps, out);
    return asInput(out);
}

FloatRows OpCall::output(const Tensor &t, const char *what)
{
    return named(m_name, [&] { return m_pass.views.viewToWrite(m_pass.pool, t, what, false); });
}

FloatRows OpCall::update(const Tensor &t, const char *what)
{
    return named(m_name, [&] { return m_pass.views.viewToWrite(m_pass.pool, t, what, !m_skip); });
}

FloatRows OpCall::output(const Tensor &t, const char *what, Accumulate mode)
{
    return mode == Accumulate::AddToOutput ? update(t, what) : output(t, what);
}

IdRows OpCall::ids(const Tensor &t, const char *what)
{
    return named(m_name, [&] {
        return IdRows{reinterpret_cast<std::int32_t *>(tensorData(t, DType::I32, what)),
                      size(t.stride), size(t.rows), size(t.cols)};
    });
}

FloatRows OpCall::temporary(std::size_t rows, std::size_t cols)
{
    return {m_skip ? nullptr : m_pass.views.floats(rows * cols), cols, rows, cols};
}

HeadStep OpCall::headStep(const HeadTransform &transform) const
{
    HeadStep step;
    step.norm = vector(transform.norm);
    step.eps = transform.eps;
    if (!transform.rope || transform.rope->inverseFrequencies.empty())
        return step;
    const Rope &rope = *transform.rope;
    step.pairs = rope.inverseFrequencies.size();
    step.firstChannel = size(rope.firstChannel);
    step.pairing = rope.pairing;
    if (!m_skip)
        step.cosSin = m_pass.ropeTableFor(rope);
    return step;
}

} // namespace fireside::cpu
