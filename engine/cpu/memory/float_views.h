#pragma once
#include "engine/backend/memory.h"
#include "engine/cpu/linear/linear_scratch.h"
#include "engine/cpu/simd/rows.h"

#include <vector>

namespace fireside::cpu {

/// Gives an op the rows of its tensors as floats: an F32 tensor as it lies, an F16 tensor through
/// working memory that is reused from op to op.
class FloatViews
{
public:
    /// For the next op: all memory is free again.
    void restart();

    /// Error(Internal) unless `t` is an F32 or F16 matrix inside its buffer. `fill`: read it now.
    FloatRows view(ThreadPool &pool, const Tensor &t, const char *what, bool fill);
    /// The same for what the op writes: writeBack() brings it into the tensor.
    FloatRows viewToWrite(ThreadPool &pool, const Tensor &t, const char *what, bool fill);
    /// Working memory of an op.
    float *floats(std::size_t count);
    void writeBack(ThreadPool &pool);
    std::size_t bytes() const; // of all memory

private:
    struct Pending
    {
        std::byte *to;
        std::size_t stride; // halves
        FloatRows from;
    };
    std::vector<ScratchBuffer> m_memory;
    std::size_t m_used = 0;
    std::vector<Pending> m_pending;
};

} // namespace fireside::cpu
