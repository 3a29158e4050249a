#pragma once
#include "engine/backend/op.h"
#include "engine/cpu/linear/cpu_weight.h"
#include "engine/cpu/ops/cpu_pass.h"

namespace fireside::cpu {

/// One op of a pass being run, whose shapes are checked: gives its tensors as floats, and says
/// whether to run it at all.
class OpCall
{
public:
    OpCall(CpuPass &pass, const char *op);
    OpCall(const OpCall &) = delete;
    OpCall &operator=(const OpCall &) = delete;

    CpuPass &pass() const { return m_pass; }
    ThreadPool &pool() const { return m_pass.pool; }
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
    /// Each item with its part of a layer's state.
    std::span<const StateItem> states(const op::StatePart &part)
    {
        return m_pass.findStates(op::OpCheck(m_name), part);
    }
    /// Working memory until the op ends.
    FloatRows temporary(std::size_t rows, std::size_t cols);

    /// [cols] floats of a vector, null for no weight.
    const float *vector(const Weight *weight) const
    {
        return weight != nullptr ? asCpu(*weight).vector() : nullptr;
    }
    /// Norm and rotation of heads with their values at hand.
    HeadStep headStep(const HeadTransform &transform) const;
    /// Error(Internal): the op's name and `text`.
    [[noreturn]] void fail(const std::string &text) const;

    /// Runs the op's work and brings its results into their tensors, unless it is skipped.
    template <typename Work>
    void run(const Work &work)
    {
        if (m_skip)
            return;
        work();
        m_pass.views.writeBack(m_pass.pool);
    }

private:
    CpuPass &m_pass;
    const char *m_name;
    bool m_skip = false;
};

/// Each op, in the file of its name in ops/.
#define FIRESIDE_RUN(Each) void run(OpCall &call, const op::Each &op);
FIRESIDE_OPS(FIRESIDE_RUN)
#undef FIRESIDE_RUN

} // namespace fireside::cpu
