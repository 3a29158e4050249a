#include "engine/cpu/memory/float_views.h"

#include "engine/cpu/memory/cpu_buffer.h"
#include "engine/cpu/simd/kernels.h"

namespace fireside::cpu {

void FloatViews::restart()
{
    m_used = 0;
    m_pending.clear();
}

float *FloatViews::floats(std::size_t count)
{
    if (m_used == m_memory.size())
        m_memory.emplace_back();
    return m_memory[m_used++].reserve<float>(std::max<std::size_t>(1, count));
}

FloatRows FloatViews::view(ThreadPool &pool, const Tensor &t, const char *what, bool fill)
{
    if (t.dtype != DType::F16)
        return {reinterpret_cast<float *>(tensorData(t, DType::F32, what)), size(t.stride),
                size(t.rows), size(t.cols)};
    const auto *halves = reinterpret_cast<const std::uint16_t *>(tensorData(t, DType::F16, what));
    const std::size_t n = size(t.cols), stride = size(t.stride);
    const FloatRows rows{floats(size(t.rows) * n), n, size(t.rows), n};
    if (fill) {
        const VectorKernels &vec = vectorKernels();
        forRows(pool, rows.rows, n,
                [&](std::size_t r) { vec.fromHalf(rows.row(r), halves + r * stride, n); });
    }
    return rows;
}

FloatRows FloatViews::viewToWrite(ThreadPool &pool, const Tensor &t, const char *what, bool fill)
{
    const FloatRows rows = view(pool, t, what, fill);
    if (t.dtype == DType::F16)
        m_pending.push_back({tensorData(t, DType::F16, what), size(t.stride), rows});
    return rows;
}

std::size_t FloatViews::bytes() const
{
    std::size_t sum = 0;
    for (const ScratchBuffer &memory : m_memory)
        sum += memory.bytes();
    return sum;
}

void FloatViews::writeBack(ThreadPool &pool)
{
    const VectorKernels &vec = vectorKernels();
    for (const Pending &p : m_pending) {
        auto *halves = reinterpret_cast<std::uint16_t *>(p.to);
        forRows(pool, p.from.rows, p.from.cols, [&](std::size_t r) {
            vec.toHalf(halves + r * p.stride, p.from.row(r), p.from.cols);
        });
    }
    m_pending.clear();
}

} // namespace fireside::cpu
