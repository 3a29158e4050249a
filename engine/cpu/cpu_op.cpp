#include "engine/cpu/cpu_op.h"

#include "engine/core/error.h"
#include "engine/cpu/ops/row_ops.h"

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

CpuCommands::OpScope::OpScope(CpuCommands &commands, Op op)
    : m_commands(commands)
    , m_counter(commands.m_counters[static_cast<std::size_t>(op)])
    , m_name(opName(op))
    , m_start(std::chrono::steady_clock::now())
{
    if (commands.m_stop.stop_requested())
        commands.m_stopped = true;
    m_skip = commands.m_stopped;
    commands.m_views.restart();
}

CpuCommands::OpScope::~OpScope()
{
    if (m_skip)
        return;
    ++m_counter.calls;
    m_counter.time += std::chrono::steady_clock::now() - m_start;
}

void CpuCommands::OpScope::fail(const std::string &text) const
{
    throwInternal(std::string(m_name) + ": " + text);
}

InRows CpuCommands::OpScope::input(const Tensor &t, const char *what)
{
    return named(m_name, [&] {
        return asInput(m_commands.m_views.view(m_commands.m_pool, t, what, !m_skip));
    });
}

InRows CpuCommands::OpScope::input(const LinearInput &input)
{
    const InRows x = this->input(input.x, "x");
    if (!input.norm)
        return x;
    const float *weight = vector(input.norm, input.x.cols);
    const FloatRows out = temporary(x.rows, x.cols);
    if (!m_skip)
        cpu::rmsNorm(m_commands.m_pool, x, weight, input.eps, out);
    return asInput(out);
}

FloatRows CpuCommands::OpScope::output(const Tensor &t, const char *what)
{
    return named(m_name,
                 [&] { return m_commands.m_views.viewToWrite(m_commands.m_pool, t, what, false); });
}

FloatRows CpuCommands::OpScope::update(const Tensor &t, const char *what)
{
    return named(m_name, [&] {
        return m_commands.m_views.viewToWrite(m_commands.m_pool, t, what, !m_skip);
    });
}

FloatRows CpuCommands::OpScope::output(const Tensor &t, const char *what, Accumulate mode)
{
    return mode == Accumulate::AddToOutput ? update(t, what) : output(t, what);
}

IdRows CpuCommands::OpScope::ids(const Tensor &t, const char *what)
{
    return named(m_name, [&] {
        return IdRows{reinterpret_cast<std::int32_t *>(tensorData(t, DType::I32, what)),
                      size(t.stride), size(t.rows), size(t.cols)};
    });
}

FloatRows CpuCommands::OpScope::temporary(std::size_t rows, std::size_t cols)
{
    return {m_skip ? nullptr : m_commands.m_views.floats(rows * cols), cols, rows, cols};
}

const float *CpuCommands::OpScope::vector(const Weight *weight, std::int64_t cols)
{
    if (!weight)
        return nullptr;
    expect(1, cols, *weight);
    return asCpu(*weight).vector();
}

} // namespace fireside::cpu
