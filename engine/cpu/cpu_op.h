#pragma once
#include "engine/cpu/checks.h"
#include "engine/cpu/cpu_commands.h"
#include "engine/cpu/linear/cpu_weight.h"

namespace fireside::cpu {

/// One call of an op: times it, says whether to run it at all, checks its tensors and gives them
/// as floats.
class CpuCommands::OpScope
{
public:
    OpScope(CpuCommands &commands, Op op);
    ~OpScope();
    OpScope(const OpScope &) = delete;
    OpScope &operator=(const OpScope &) = delete;

    const char *name() const { return m_name; }
    /// The pass was stopped: check, but neither read nor write. Memory may be null then.
    bool skip() const { return m_skip; }

    InRows input(const Tensor &t, const char *what);
    /// The input itself, or its norm in memory of our own.
    InRows input(const LinearInput &input);
    FloatRows output(const Tensor &t, const char *what);
    /// Read and written.
    FloatRows update(const Tensor &t, const char *what);
    FloatRows output(const Tensor &t, const char *what, Accumulate mode);
    IdRows ids(const Tensor &t, const char *what);
    /// Working memory until the op ends.
    FloatRows temporary(std::size_t rows, std::size_t cols);

    /// [cols] floats of a vector, null for no weight.
    const float *vector(const Weight *weight, std::int64_t cols);

    void expect(const char *what, std::int64_t rows, std::int64_t cols, const Tensor &t) const
    {
        expectShape(m_name, what, rows, cols, t);
    }
    void expect(std::int64_t rows, std::int64_t cols, const Weight &w, std::int64_t depth = 1) const
    {
        expectShape(m_name, rows, cols, w, depth);
    }
    /// Error(Internal): the op's name and `text`.
    [[noreturn]] void fail(const std::string &text) const;

    /// Runs the op's work and brings its results into their tensors, unless it is skipped.
    template <typename Work>
    void run(const Work &work)
    {
        if (m_skip)
            return;
        work();
        m_commands.m_views.writeBack(m_commands.m_pool);
    }

private:
    CpuCommands &m_commands;
    OpCounter &m_counter;
    const char *m_name;
    std::chrono::steady_clock::time_point m_start;
    bool m_skip = false;
};

} // namespace fireside::cpu
